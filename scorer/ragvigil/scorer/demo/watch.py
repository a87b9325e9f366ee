"""What the demo sees of the scorer: its store, opened read-only, as anybody may."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ragvigil.exporters import Measurement
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.estimate import rate
from ragvigil.scorer.incidents.life import measurement
from ragvigil.scorer.monitoring import Incident, SeriesKey, SeriesName, Sums
from ragvigil.scorer.store import reading

_LATEST = 8
_ALL = 100


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer with what check and judge said of it."""

    trace_id: str
    query: str | None
    answer: str | None
    verdict: str
    passed: bool | None
    citation: float | None
    """Citation correctness in [0, 1]; None for an answer that owes none."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The store at one moment."""

    ledger: reading.Ledger
    series: tuple[reading.SeriesStatus, ...] = ()
    incidents: tuple[Incident, ...] = ()
    """Newest first."""
    answers: tuple[JudgedAnswer, ...] = ()
    """Newest first."""
    undelivered: int = 0
    """Messages on their way to the on-call."""

    def state(self, name: SeriesName) -> str | None:
        """The state of the series of that name; None before its first evaluation."""
        return next((status.state for status in self.series if status.key.name == name), None)


EMPTY = Snapshot(reading.Ledger(0, {}, {}))
"""What there is before the scorer has made its store."""


def look(path: Path) -> Snapshot:
    """The store at `path` as it stands; EMPTY while there is none."""
    try:
        connection = reading.open_for_reading(path)
    except StoreError:
        return EMPTY
    with closing(connection):
        return Snapshot(
            reading.ledger(connection),
            tuple(reading.series(connection)),
            tuple(reading.incidents(connection, _ALL)),
            tuple(_answers(connection)),
            reading.undelivered(connection),
        )


def measure(
    path: Path, key: SeriesKey, stretches: Sequence[tuple[int, int]], grain: int
) -> Measurement | None:
    """The rate of a series over the buckets (`grain` ns long) that lie wholly within `stretches` of event time.

    None where they hold too few observations for an interval.
    """
    sums = Sums()
    with closing(reading.open_for_reading(path)) as connection:
        for begin, end in stretches:
            place = (key.name, key.service, key.environment or "", begin, end - grain)
            row = connection.execute(_statement("rollups.sql"), place).fetchone()
            if row["n"] is not None:
                sums += Sums(**dict(row))
    estimate = rate(sums)
    return None if estimate is None else measurement(estimate)


def _answers(connection: sqlite3.Connection) -> list[JudgedAnswer]:
    return [
        JudgedAnswer(
            row["trace_id"], row["query"], row["answer"], row["verdict"],
            None if row["passed"] is None else bool(row["passed"]), row["citation"],
        )
        for row in connection.execute(_statement("latest.sql"), (_LATEST,))
    ]  # fmt: skip


def _statement(name: str) -> str:
    return files("ragvigil.scorer.demo").joinpath(name).read_text(encoding="utf-8")
