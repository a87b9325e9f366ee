"""What each record contributes to each series, and the rollups that sum it up."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from ragvigil.scorer.monitoring import JudgedName, SeriesName, Sums
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
_CHECKED = frozenset({"citation"})
"""Series of checks, which every record has; the others are the judge's."""
_COLUMNS = "record_id, series, service, environment, instrument_id, bucket, value, weight"


class Observation(NamedTuple):
    """One record's value in one series."""

    record_id: int
    series: SeriesName | JudgedName
    service: str
    environment: str
    instrument_id: int
    bucket: int
    value: float
    weight: float


class SqliteObservations:
    """Adds and takes away observations so that each rollup is the sum of what stands.

    What one transaction changes of the rollups is gathered, and written at its end.
    """

    def __init__(self, connection: sqlite3.Connection, *, bucket_nanoseconds: int) -> None:
        self._connection = connection
        self._bucket = bucket_nanoseconds
        self._sums: dict[tuple[str, str, str, int, int], Sums] = {}
        self._met: dict[tuple[str, str, str], tuple[int, int]] = {}
        """Instrument and first bucket of each series."""

    def put(
        self,
        record_id: int,
        record: RagTrace,
        series: SeriesName | JudgedName,
        instrument: int,
        value: float,
        weight: float,
        *,
        new: bool = False,
    ) -> bool:
        """The record's value in the series; one that stood before is taken away, a `new` record has none.

        Whether one stood before.
        """
        bucket = record.started_at - record.started_at % self._bucket
        fresh = Observation(
            record_id, series, record.service, record.environment or "", instrument, bucket, value, weight
        )
        before = [] if new else self._standing(record_id, series)
        if before == [fresh]:
            return True
        if before:
            self.remove(record_id, series)
        self._connection.execute(
            f"INSERT INTO observations ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", fresh
        )
        self._add(fresh, Sums.of(value, weight))
        self._meet(fresh)
        return bool(before)

    def follow(self, record_id: int, record: RagTrace, weight: float) -> None:
        """Keep what was judged of the record, and move it to where the record and its weight are now."""
        for standing in self._judged(record_id):
            own = weight / self._share(record_id, standing.instrument_id)
            self.put(record_id, record, standing.series, standing.instrument_id, standing.value, own)

    def reweigh(self, record_id: int, factor: float) -> None:
        """Multiply the weight of all that was judged of the record; written at once."""
        for standing in self._judged(record_id):
            weight = standing.weight * factor
            self._add(standing, -Sums.of(standing.value, standing.weight))
            self._add(standing, Sums.of(standing.value, weight))
            self._connection.execute(
                "UPDATE observations SET weight = ? WHERE record_id = ? AND series = ?",
                (weight, record_id, standing.series),
            )
        self.write()

    def remove_judged(self, record_id: int) -> None:
        """Take away all that was judged of the record."""
        for standing in self._judged(record_id):
            self.remove(record_id, standing.series)

    def remove(self, record_id: int, series: SeriesName | JudgedName | None = None) -> None:
        """Take away what the record contributes to the series, or to all."""
        for standing in self._standing(record_id, series):
            self._add(standing, -Sums.of(standing.value, standing.weight))
            self._connection.execute(
                "DELETE FROM observations WHERE record_id = ? AND series = ?", (record_id, standing.series)
            )

    def write(self) -> None:
        """Write what has changed since the last time."""
        totals = [(*key, one.n, one.w, one.wx, one.w2, one.w2x, one.w2x2) for key, one in self._sums.items()]
        met = [(*key, *each) for key, each in self._met.items()]
        self.forget()
        self._connection.executemany(_ADD_TO_ROLLUP, totals)
        self._connection.executemany(_MEET_SERIES, met)

    def forget(self) -> None:
        """The transaction was rolled back."""
        self._sums.clear()
        self._met.clear()

    def _judged(self, record_id: int) -> list[Observation]:
        return [one for one in self._standing(record_id, None) if one.series not in _CHECKED]

    def _share(self, record_id: int, instrument: int) -> float:
        """Probability with which a judged record was asked about; 1 for verdicts, which have no such score."""
        row = self._connection.execute(
            "SELECT json_extract(details, '$.share') FROM scores "
            "WHERE record_id = ? AND instrument_id = ? AND current",
            (record_id, instrument),
        ).fetchone()
        return 1.0 if row is None or row[0] is None else float(row[0])

    def _standing(self, record_id: int, series: SeriesName | JudgedName | None) -> list[Observation]:
        rows = self._connection.execute(
            f"SELECT {_COLUMNS} FROM observations WHERE record_id = ? AND series = coalesce(?, series)",
            (record_id, series),
        )
        return [Observation(*row) for row in rows]

    def _add(self, observation: Observation, sums: Sums) -> None:
        key = observation[1:6]
        before = self._sums.get(key)
        self._sums[key] = sums if before is None else before + sums

    def _meet(self, observation: Observation) -> None:
        series, instrument, bucket = observation[1:4], observation.instrument_id, observation.bucket
        known = self._met.get(series)
        earlier = known is not None and known[0] == instrument and known[1] < bucket
        if not earlier:
            self._met[series] = (instrument, bucket)


def weight_of(record: RagTrace, inclusion: float) -> float:
    """How many answers this one stands for; a sender that does not say what it left out left out nothing."""
    upstream = 1.0 if record.upstream_probability is None else record.upstream_probability
    return 1.0 / (inclusion * upstream)
