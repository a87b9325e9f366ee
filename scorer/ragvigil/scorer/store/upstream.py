"""What senders say of their own sampling: nobody sees from the traces that came how many were left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

_SELECT = (
    "SELECT service, environment, count(*), "
    "count(CASE WHEN upstream_sampler IS NULL THEN upstream_probability END), "
    "min(upstream_probability), max(upstream_probability), min(upstream_sampler) FROM records WHERE started_at >= ?"
)


@dataclass(frozen=True, slots=True)
class Upstream:
    """The answers of one service and environment, and with which probability they were kept."""

    service: str
    environment: str | None
    answers: int
    told: int
    """Answers whose spans tell the probability; it is in their weight. The others count once each."""
    least: float | None
    """Smallest probability told, in (0, 1]."""
    most: float | None
    sampler: str | None = None
    """A sampler that left answers out and does not say how many; one of several."""

    @property
    def caveat(self) -> str | None:
        """What to say beside every number; None where all is known and nothing was left out."""
        if self.sampler is not None:
            return (
                f"upstream sampling unknown of {self.answers - self.told:,} of {self.answers:,} answers, assumed "
                f"none, though there was some: {self.sampler}"
            )
        if self.told == 0:
            return "upstream sampling unknown, assumed none: its senders do not say (tracestate ot=th)"
        if self.told < self.answers:
            silent = f"{self.answers - self.told:,} of {self.answers:,} answers"
            return f"upstream sampling unknown of {silent}, assumed none"
        if self.least == self.most == 1.0:
            return None
        return f"upstream sampling known: {_range(self.least, self.most)} of answers arrive, and are weighted"


def upstream(connection: sqlite3.Connection, since: int) -> Sequence[Upstream]:
    """What is known of the answers given since then (Unix nanoseconds), by service and environment."""
    rows = connection.execute(f"{_SELECT} GROUP BY 1, 2 ORDER BY 1, 2", (since,))
    return [_read(row) for row in rows]


def upstream_of(
    connection: sqlite3.Connection, service: str, environment: str | None, since: int, until: int
) -> Upstream | None:
    """The same of one service and environment, until a moment; None when nothing was answered."""
    where = "started_at <= ? AND service = ? AND coalesce(environment, '') = ?"
    row = connection.execute(
        f"{_SELECT} AND {where} GROUP BY 1, 2", (since, until, service, environment or "")
    ).fetchone()
    return None if row is None else _read(row)


def _read(row: sqlite3.Row) -> Upstream:
    return Upstream(row[0], row[1] or None, *tuple(row)[2:])


def _range(least: float | None, most: float | None) -> str:
    if least is None or most is None:
        return "some"
    return f"{least:.3g}" if least == most else f"{least:.3g} to {most:.3g}"
