"""What each record contributes to each series, and the rollups that sum it up."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ragvigil.scorer.monitoring import SeriesName, Sums
from ragvigil.scorer.trace import RagTrace

_ADD_TO_ROLLUP = (
    "INSERT INTO rollups (series, service, environment, instrument_id, bucket, n, w, wx, w2, w2x, w2x2) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET n = n + excluded.n, w = w + excluded.w, wx = wx + excluded.wx, "
    "w2 = w2 + excluded.w2, w2x = w2x + excluded.w2x, w2x2 = w2x2 + excluded.w2x2"
)
_MEET_SERIES = (
    "INSERT INTO series (series, service, environment, instrument_id, first_bucket, state) "
    "VALUES (?, ?, ?, ?, ?, 'cold_start') ON CONFLICT DO UPDATE SET first_bucket = "
    "CASE WHEN instrument_id = excluded.instrument_id THEN min(first_bucket, excluded.first_bucket) "
    "ELSE excluded.first_bucket END, instrument_id = excluded.instrument_id"
)
_COLUMNS = "record_id, series, service, environment, instrument_id, bucket, value, weight"


class Observation(NamedTuple):
    """One record's value in one series."""

    record_id: int
    series: SeriesName
    service: str
    environment: str
    instrument_id: int
    bucket: int
    value: float
    weight: float


class SqliteObservations:
    """Adds and takes away observations so that each rollup is always the sum of what stands."""

    def __init__(self, connection: sqlite3.Connection, *, bucket_nanoseconds: int) -> None:
        self._connection = connection
        self._bucket = bucket_nanoseconds

    def put(
        self,
        record_id: int,
        record: RagTrace,
        series: SeriesName,
        instrument: int,
        value: float,
        weight: float,
        *,
        new: bool = False,
    ) -> None:
        """The record's value in the series; one that stood before is taken away, a `new` record has none."""
        bucket = record.started_at - record.started_at % self._bucket
        fresh = Observation(
            record_id, series, record.service, record.environment or "", instrument, bucket, value, weight
        )
        if not new:
            if self._standing(record_id, series) == [fresh]:
                return
            self.remove(record_id, series)
        self._connection.execute(
            f"INSERT INTO observations ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", fresh
        )
        self._add(fresh, Sums.of(value, weight))
        self._connection.execute(_MEET_SERIES, fresh[1:6])

    def follow(self, record_id: int, record: RagTrace, series: SeriesName, weight: float) -> None:
        """Keep the record's value, and move it to where the record and its weight are now."""
        for standing in self._standing(record_id, series):
            self.put(record_id, record, series, standing.instrument_id, standing.value, weight)

    def reweigh(self, record_id: int, series: SeriesName, factor: float) -> None:
        """Multiply the weight of the record's value."""
        for standing in self._standing(record_id, series):
            weight = standing.weight * factor
            self._add(standing, -Sums.of(standing.value, standing.weight))
            self._add(standing, Sums.of(standing.value, weight))
            self._connection.execute(
                "UPDATE observations SET weight = ? WHERE record_id = ? AND series = ?",
                (weight, record_id, series),
            )

    def remove(self, record_id: int, series: SeriesName | None = None) -> None:
        """Take away what the record contributes to the series, or to all."""
        for standing in self._standing(record_id, series):
            self._add(standing, -Sums.of(standing.value, standing.weight))
            self._connection.execute(
                "DELETE FROM observations WHERE record_id = ? AND series = ?", (record_id, standing.series)
            )

    def _standing(self, record_id: int, series: SeriesName | None) -> list[Observation]:
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM observations WHERE record_id = ? AND series = coalesce(?, series)",
            (record_id, series),
        )
        return [Observation(*row) for row in rows]

    def _add(self, observation: Observation, sums: Sums) -> None:
        totals = (sums.n, sums.w, sums.wx, sums.w2, sums.w2x, sums.w2x2)
        self._connection.execute(_ADD_TO_ROLLUP, (*observation[1:6], *totals))


def weight_of(record: RagTrace, inclusion: float) -> float:
    """How many answers this one stands for; a sender that does not say what it left out left out nothing."""
    upstream = 1.0 if record.upstream_probability is None else record.upstream_probability
    return 1.0 / (inclusion * upstream)
