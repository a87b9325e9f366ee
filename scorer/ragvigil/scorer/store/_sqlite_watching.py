"""WatchStore over one SQLite connection."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager

from ragvigil.exporters import Alert, Example
from ragvigil.scorer.incidents.storms import STORM
from ragvigil.scorer.moments import MINUTE
from ragvigil.scorer.monitoring import Bucket, Incident, SeriesKey, Sums
from ragvigil.scorer.store._packing import pack, unpack
from ragvigil.scorer.store._rows import incident_of, record_of
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring, joined
from ragvigil.scorer.store._sqlite_observations import SqliteObservations
from ragvigil.scorer.store._sqlite_seen import BATCH, seen_places
from ragvigil.scorer.store.port import Job
from ragvigil.scorer.watch.port import Past, Place, Raised, Seen

_PLACE = "service = ? AND environment = ?"
_SUMS = "count(*), sum(w), sum(w * x), sum(w * w), sum(w * w * x), sum(w * w * x * x)"
_OBSERVED = (
    "SELECT o.bucket AS at, o.weight AS w, o.value AS x FROM observations o JOIN series USING "
    "(series, service, environment, instrument_id) {join} "
    "WHERE o.series = ? AND o.service = ? AND o.environment = ? AND o.bucket >= ? AND o.bucket < ? {where}"
)
_RETRIEVED = (
    "SELECT started_at AS at, 1.0 AS w, min(documents, 1) AS x FROM sightings "
    "WHERE documents IS NOT NULL AND service = ? AND environment = ? AND started_at >= ? AND started_at < ? {where}"
)
_JOBS = (
    "SELECT r.*, t.spans, l.inclusion FROM records r JOIN traces t USING (trace_id) "
    "JOIN ledger l USING (trace_id, span_id) WHERE r.id IN (SELECT value FROM json_each(?)) ORDER BY r.id"
)
_JUDGED = (
    "SELECT o.record_id, o.value FROM observations o JOIN records r ON r.id = o.record_id "
    "WHERE o.series = 'faithfulness' AND o.service = ? AND o.environment = ? AND o.bucket < ? "
    "AND r.evidence IS NOT NULL ORDER BY o.bucket DESC, o.record_id LIMIT ?"
)
_FROZEN = (
    "SELECT c.record_id, c.passed FROM canaries c JOIN records r ON r.id = c.record_id AND r.input_hash = c.input_hash "
    "WHERE r.service = ? AND r.environment = ? AND r.evidence IS NOT NULL ORDER BY c.record_id LIMIT ?"
)
_EMPTY = (
    "SELECT r.trace_id, r.query, r.answer FROM sightings s JOIN records r ON r.id = s.record_id "
    "WHERE s.service = ? AND s.environment = ? AND s.started_at >= ? AND s.started_at < ? AND s.documents = 0 {where} "
    "ORDER BY s.started_at DESC LIMIT ?"
)
_WORST = (
    "SELECT r.id, r.trace_id, r.query, r.answer FROM observations o JOIN records r ON r.id = o.record_id {join} "
    "WHERE o.series = ? AND o.service = ? AND o.environment = ? AND o.bucket >= ? AND o.bucket < ? AND o.value < 1 "
    "{where} ORDER BY o.value, r.started_at DESC LIMIT ?"
)
_INCIDENTS = (
    f"SELECT DISTINCT service, environment FROM incidents WHERE resolved_at IS NULL AND series != '{STORM}'"
)
_ANSWERS = f"SELECT coalesce(sum(answers), 0) FROM arrivals WHERE {_PLACE} AND minute >= ?"
_JOIN_STREAM = "JOIN sightings s ON s.record_id = o.record_id"
_NEWEST_JUDGED = 3_000


class SqliteWatching:
    """What the watcher reads and writes, in one SQLite file."""

    def __init__(
        self, connection: sqlite3.Connection, monitoring: SqliteMonitoring, observations: SqliteObservations
    ) -> None:
        self._connection = connection
        self._monitoring = monitoring
        self._observations = observations

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside becomes durable together, or nothing."""
        return joined(self._connection)

    def places(self) -> Sequence[Place]:
        """Every service and environment with a record that is kept for the detectors, or with an open incident."""
        ill = map(_of, self.in_incident())
        known = sorted({*seen_places(self._connection), *ill})
        return [Place(service, environment or None) for service, environment in known]

    def in_incident(self) -> Collection[Place]:
        """Those with an incident that is not resolved."""
        return {Place(row[0], row[1] or None) for row in self._connection.execute(_INCIDENTS)}

    def answers(self, place: Place, since: int) -> int:
        """How many came of it from the minute of that moment on."""
        (count,) = self._connection.execute(_ANSWERS, (*_of(place), since // MINUTE)).fetchone()
        return int(count)

    def detector(self, place: Place) -> tuple[str | None, str | None]:
        """(the watcher's state, the core's state), as saved."""
        row = self._connection.execute(
            f"SELECT state, core FROM detectors WHERE {_PLACE}", _of(place)
        ).fetchone()
        if row is None:
            return None, None
        return row[0], None if row[1] is None else unpack(row[1]).decode()

    def save_detector(self, place: Place, state: str, core: str) -> None:
        """Keep both, instead of what was kept."""
        self._connection.execute(
            "INSERT OR REPLACE INTO detectors (service, environment, state, core) VALUES (?, ?, ?, ?)",
            (*_of(place), state, pack(core.encode())),
        )

    def first_waiting(self, place: Place) -> int | None:
        """When the oldest record that waits for a batch began."""
        row = self._connection.execute(
            f"SELECT min(started_at) FROM sightings WHERE {_PLACE} AND batch IS NULL", _of(place)
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def newest_taken(self, place: Place) -> int | None:
        """When the newest record that is in a batch began."""
        row = self._connection.execute(
            f"SELECT max(started_at) FROM sightings WHERE {_PLACE} AND batch > 0", _of(place)
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def take(self, place: Place, end: int, late: int) -> int:
        """Put what waits into the batch that ends at `end`, what began before `late` into none."""
        self._connection.execute(
            f"UPDATE sightings SET batch = ? WHERE {_PLACE} AND started_at >= ? AND started_at < ? "
            "AND batch IS NULL",
            (end, *_of(place), late, end),
        )
        return self._connection.execute(
            f"UPDATE sightings SET batch = 0 WHERE {_PLACE} AND started_at < ? AND batch IS NULL",
            (*_of(place), late),
        ).rowcount

    def batch(self, place: Place, end: int, since: int) -> Sequence[Seen]:
        """The records of a batch, in order of time."""
        rows = self._connection.execute(BATCH, (*_of(place), since, end, end))
        return [Seen(*row) for row in rows]

    def waits(self, place: Place, end: int, since: int) -> bool:
        """Whether any record of a batch waits for its verdict; none began before `since`."""
        row = self._connection.execute(
            "SELECT 1 FROM ledger l JOIN records r USING (trace_id, span_id) "
            "JOIN sightings s ON s.record_id = r.id "
            "WHERE l.state = 'pending' AND s.service = ? AND s.environment = ? AND s.started_at >= ? "
            "AND s.started_at < ? AND s.batch = ? LIMIT 1",
            (*_of(place), since, end, end),
        ).fetchone()
        return row is not None

    def set_streams(self, streams: Sequence[tuple[int, int]]) -> None:
        """(segment code, record id) of each record."""
        self._connection.executemany("UPDATE sightings SET stream = ? WHERE record_id = ?", streams)

    def raise_inclusion(self, raised: Sequence[Raised], now: int) -> Sequence[Job]:
        """Note the probabilities, and the verdicts' weights with them; the records to judge."""
        asked: list[int] = []
        for record_id, inclusion, judged in raised:
            row = self._connection.execute(
                "SELECT l.trace_id, l.span_id, l.state, l.inclusion FROM ledger l JOIN records r "
                "USING (trace_id, span_id) WHERE r.id = ?",
                (record_id,),
            ).fetchone()
            if row is None:
                continue
            newly = judged and row["state"] == "checked_only"
            self._connection.execute(
                "UPDATE ledger SET inclusion = ?, state = ?, reason = iif(?, NULL, reason), "
                "updated_at = ? WHERE trace_id = ? AND span_id = ?",
                (
                    inclusion,
                    "pending" if newly else row["state"],
                    newly,
                    now,
                    row["trace_id"],
                    row["span_id"],
                ),
            )
            if newly:
                asked.append(record_id)
            elif row["state"] == "judged":
                self._observations.reweigh(record_id, row["inclusion"] / inclusion)
        return self._jobs(asked)

    def past(self, place: Place, before: int, limit: int) -> Sequence[Past]:
        """Of the newest verdicts given before that moment, some at random, the same at every call."""
        rows = self._connection.execute(_JUDGED, (*_of(place), before, _NEWEST_JUDGED)).fetchall()
        rows.sort(key=lambda row: hashlib.sha256(f"{before} {row['record_id']}".encode()).digest())
        passed = {row["record_id"]: int(row["value"]) for row in rows[:limit]}
        return [Past(job, passed[job.record_id]) for job in self._jobs(list(passed))]

    def frozen(self, place: Place, before: int, limit: int, now: int) -> Sequence[Past]:
        """The verdicts that are compared with every time, made up to `limit` from `past`."""
        passed: dict[int, int] = dict(self._connection.execute(_FROZEN, (*_of(place), limit)).fetchall())
        fresh = [one for one in self.past(place, before, limit) if one.job.record_id not in passed]
        for one in fresh[: limit - len(passed)]:
            passed[one.job.record_id] = one.passed
            self._connection.execute(
                "INSERT OR REPLACE INTO canaries (record_id, input_hash, passed, frozen_at) VALUES (?, ?, ?, ?)",
                (one.job.record_id, one.job.input_hash, one.passed, now),
            )
        return [Past(job, passed[job.record_id]) for job in self._jobs(list(passed))]

    def refreeze(self, passed: Sequence[tuple[int, int]]) -> None:
        """(verdict, record id) to compare with from now on, of those that are frozen."""
        self._connection.executemany("UPDATE canaries SET passed = ? WHERE record_id = ?", passed)

    def save_canary(self, rows: Sequence[tuple[int, int, str, int, int]]) -> None:
        """(record id, moment, judge version, verdict before, verdict now)."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO rejudged (record_id, at, judge_version, passed_before, passed_now) "
            "VALUES (?, ?, ?, ?, ?)",
            rows,
        )

    def levels(
        self, key: SeriesKey, stream: int | None, since: int, until: int, grain: int
    ) -> Sequence[Bucket]:
        """Sums of a series of one segment (None: all), by `grain` nanoseconds."""
        place = (key.service, key.environment or "", since, until)
        streams = () if stream is None else (stream,)
        if key.name == "retrieval":
            inner = _RETRIEVED.format(where="" if stream is None else "AND stream = ?")
            values: tuple[object, ...] = (*place, *streams)
        else:
            inner = _OBSERVED.format(**_by_stream(stream))
            values = (key.name, *place, *streams)
        rows = self._connection.execute(
            f"SELECT at / {grain:d} * {grain:d} AS start, {_SUMS} FROM ({inner}) GROUP BY 1 ORDER BY 1",
            values,
        )
        return [Bucket(row[0], Sums(*row[1:])) for row in rows]

    def examples(
        self, key: SeriesKey, stream: int | None, since: int, until: int, limit: int
    ) -> Sequence[Example]:
        """Traces of that stretch that show the fault."""
        place = (key.service, key.environment or "", since, until)
        streams = () if stream is None else (stream,)
        if key.name == "retrieval":
            sql = _EMPTY.format(where="" if stream is None else "AND s.stream = ?")
            rows = self._connection.execute(sql, (*place, *streams, limit)).fetchall()
            return [
                Example(row["trace_id"], row["query"], row["answer"], "nothing was retrieved") for row in rows
            ]
        sql = _WORST.format(**_by_stream(stream))
        rows = self._connection.execute(sql, (key.name, *place, *streams, limit)).fetchall()
        return [
            Example(
                row["trace_id"], row["query"], row["answer"], self._monitoring.reason(key.name, row["id"])
            )
            for row in rows
        ]

    def open_incidents(self, place: Place) -> Sequence[Incident]:
        """Those that are not resolved, oldest first."""
        rows = self._connection.execute(
            f"SELECT * FROM incidents WHERE {_PLACE} AND resolved_at IS NULL ORDER BY opened_at, id",
            _of(place),
        )
        return [incident_of(row) for row in rows]

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment that are open or resolved at or after `since`, newest first."""
        return self._monitoring.neighbours(key, since)

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel."""
        self._monitoring.save_incident(incident, alert, channels)

    def forget_sightings(self, place: Place, before: int) -> None:
        """Delete what began before that moment."""
        self._connection.execute(
            f"DELETE FROM sightings WHERE {_PLACE} AND started_at < ?", (*_of(place), before)
        )

    def _jobs(self, record_ids: Sequence[int]) -> list[Job]:
        rows = self._connection.execute(_JOBS, (json.dumps(list(record_ids)),))
        return [Job(row["id"], row["input_hash"], record_of(row), row["inclusion"]) for row in rows]


def _of(place: Place) -> tuple[str, str]:
    return place.service, place.environment or ""


def _by_stream(stream: int | None) -> dict[str, str]:
    if stream is None:
        return {"join": "", "where": ""}
    return {"join": _JOIN_STREAM, "where": "AND s.stream = ?"}
