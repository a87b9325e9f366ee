"""What senders say of their own sampling: nobody sees from the traces that came how many were left out."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Upstream:
    """The answers of one service and environment, and with which probability they were kept."""

    service: str
    environment: str | None
    answers: int
    told: int
    """Answers whose trace state tells the probability; it is in their weight. The others count once each."""
    least: float | None
    """Smallest probability told, in (0, 1]."""
    most: float | None

    @property
    def caveat(self) -> str | None:
        """What to say beside every number; None where all is known and nothing was left out."""
        if self.told == 0:
            return "upstream sampling unknown: its senders do not say (tracestate ot=th)"
        if self.told < self.answers:
            return f"upstream sampling unknown of {self.answers - self.told:,} of {self.answers:,} answers"
        if self.least == self.most == 1.0:
            return None
        return f"upstream sampling known: {_range(self.least, self.most)} of answers arrive, and are weighted"


def upstream(connection: sqlite3.Connection, since: int) -> Sequence[Upstream]:
    """What is known of the answers given since then (Unix nanoseconds), by service and environment."""
    rows = connection.execute(
        "SELECT service, environment, count(*), count(upstream_probability), min(upstream_probability), "
        "max(upstream_probability) FROM records WHERE started_at >= ? GROUP BY 1, 2 ORDER BY 1, 2",
        (since,),
    )
    return [Upstream(row[0], row[1] or None, *tuple(row)[2:]) for row in rows]


def _range(least: float | None, most: float | None) -> str:
    if least is None or most is None:
        return "some"
    return f"{least:.3g}" if least == most else f"{least:.3g} to {most:.3g}"
