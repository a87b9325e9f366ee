"""MonitorStore over one SQLite connection."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.resources import files

from ragvigil.exporters import Alert, Example, Measurement, clean
from ragvigil.scorer.config import Route
from ragvigil.scorer.incidents.routing import routed
from ragvigil.scorer.moments import HOUR, MINUTE, unix_nanoseconds
from ragvigil.scorer.monitor.shares import Coverage
from ragvigil.scorer.monitoring import Bucket, Incident, SeriesKey, SeriesState, Sums
from ragvigil.scorer.store._bad_claim import bad_claim
from ragvigil.scorer.store._json import to_json
from ragvigil.scorer.store._rows import incident_of, key_of
from ragvigil.scorer.store._sqlite_grouping import Grouping
from ragvigil.scorer.store._sqlite_outbox import group, post
from ragvigil.scorer.store._sqlite_seen import NOT_SCOREABLE
from ragvigil.scorer.store.upstream import upstream_of

_WEIGHTED = frozenset({"faithfulness", "citation", "retrieval"})
"""Series whose level depends on which answers arrive."""
_MEASURED = ("criteria.", "judge.")
"""How the names begin of what the judge measures beside faithfulness."""
_CAVEAT_NANOSECONDS = HOUR
_CAVEAT_CHARACTERS = 250
_END_OF_TIME = 2**63 - 1
LAST_BUCKET = (
    "(SELECT max(bucket) FROM rollups r WHERE (r.series, r.service, r.environment, r.instrument_id) "
    "= (s.series, s.service, s.environment, s.instrument_id))"
)
"""Start of the newest bucket of a row `s` of the table `series`."""
_SERIES = (
    "SELECT series, service, environment FROM series s WHERE state != 'no_data' OR before IS NOT NULL "
    f"OR {LAST_BUCKET} >= ? "
    "OR EXISTS (SELECT 1 FROM arrivals a WHERE (a.service, a.environment) = (s.service, s.environment) "
    "AND a.minute >= ?) "
    "OR EXISTS (SELECT 1 FROM incidents i WHERE (i.series, i.service, i.environment) "
    "= (s.series, s.service, s.environment) AND i.resolved_at IS NULL) ORDER BY series, service, environment"
)
_PLACE = "series = ? AND service = ? AND environment = ?"


def _place(key: SeriesKey) -> tuple[str, str, str]:
    return key.name, key.service, key.environment or ""


def _level(level: Measurement | None) -> str | None:
    return None if level is None else to_json(asdict(level))


def read_coverage(connection: sqlite3.Connection, since: int, until: int | None = None) -> Sequence[Coverage]:
    """What arrived since then and before `until` (Unix nanoseconds), by service and environment."""
    sql = files("ragvigil.scorer.store").joinpath("schema/coverage.sql").read_text(encoding="utf-8")
    until = _END_OF_TIME if until is None else until
    told = {"since": since, "until": until, "not_scoreable": json.dumps(NOT_SCOREABLE)}
    rows = connection.execute(sql, told)
    return [Coverage(row[0], row[1] or None, *row[2:]) for row in rows]


@contextmanager
def joined(connection: sqlite3.Connection) -> Generator[None]:
    """The caller's transaction where there is one, else one of its own."""
    if connection.in_transaction:
        yield
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


def with_caveat(connection: sqlite3.Connection, key: SeriesKey, alert: Alert) -> Alert:
    """The alert with what is known of sampling before the scorer, beside numbers that depend on it."""
    if key.name not in _WEIGHTED and not key.name.startswith(_MEASURED):
        return alert
    at = unix_nanoseconds(alert.at)
    found = upstream_of(connection, key.service, key.environment, at - _CAVEAT_NANOSECONDS, at)
    caveat = found.caveat if found is not None else None
    if caveat is None:
        return alert
    said = clean(caveat, limit=_CAVEAT_CHARACTERS)
    return replace(alert, summary=f"{alert.summary}\n{said[:1].upper()}{said[1:]}.")


class SqliteMonitoring:
    """What the monitor reads and writes, in one SQLite file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        routes: Mapping[str, Route],
        grouping: Grouping | None = None,
    ) -> None:
        """Without `grouping` every page goes out on its own."""
        self._connection = connection
        self._routes = routes
        self._grouping = grouping

    def series(self, since: int = 0) -> Sequence[SeriesKey]:
        """Those to look at: of which anything came since then, in an incident, or whose state is of when some came.

        Services and environments come and go; those that are gone cost a seek, and not an evaluation.
        """
        rows = self._connection.execute(_SERIES, (since, since // MINUTE))
        return [key_of(row) for row in rows]

    def buckets(self, key: SeriesKey, since: int, until: int) -> Sequence[Bucket]:
        """Buckets whose start lies in [since, until), oldest first."""
        rows = self._connection.execute(
            "SELECT bucket, n, w, wx, w2, w2x, w2x2 "
            "FROM series JOIN rollups USING (series, service, environment, instrument_id) "
            f"WHERE {_PLACE} AND bucket >= ? AND bucket < ? AND n > 0 ORDER BY bucket",
            (*_place(key), since, until),
        )
        return [Bucket(row[0], Sums(*row[1:])) for row in rows]

    def sums(self, key: SeriesKey, since: int, until: int) -> Sums:
        """The sums over those buckets, added up where they are: a week of them is ten thousand rows."""
        row = self._connection.execute(
            "SELECT coalesce(sum(n), 0), total(w), total(wx), total(w2), total(w2x), total(w2x2) "
            "FROM series JOIN rollups USING (series, service, environment, instrument_id) "
            f"WHERE {_PLACE} AND bucket >= ? AND bucket < ?",
            (*_place(key), since, until),
        ).fetchone()
        return Sums(*row)

    def first_seen(self, key: SeriesKey) -> int | None:
        """Start of the series' first bucket."""
        row = self._connection.execute(
            f"SELECT first_bucket FROM series WHERE {_PLACE}",
            _place(key),
        ).fetchone()
        return None if row is None else int(row[0])

    def examples(self, key: SeriesKey, since: int, until: int, limit: int) -> Sequence[Example]:
        """Traces of that stretch that show the fault best: lowest value first, newest first among equals."""
        rows = self._connection.execute(
            "SELECT r.id, r.trace_id, r.query, r.answer "
            "FROM observations o JOIN records r ON r.id = o.record_id "
            "WHERE o.series = ? AND o.service = ? AND o.environment = ? AND o.bucket >= ? AND o.bucket < ? "
            "AND o.value < 1 ORDER BY o.value, r.started_at DESC LIMIT ?",
            (*_place(key), since, until, limit),
        ).fetchall()
        return [
            Example(row["trace_id"], row["query"], row["answer"], self.reason(key.name, row["id"]))
            for row in rows
        ]

    def waits_since(self) -> Mapping[tuple[str, str | None], int]:
        """Since when the oldest record waits for its verdict, by service and environment."""
        rows = self._connection.execute(
            "SELECT r.service, r.environment, min(l.updated_at) FROM ledger l JOIN records r "
            "USING (trace_id, span_id) WHERE l.state = 'pending' GROUP BY 1, 2"
        )
        return {(row[0], row[1] or None): row[2] for row in rows}

    def overdue(self, before: int) -> int:
        """Records that have waited for a verdict since before that moment."""
        row = self._connection.execute(
            "SELECT count(*) FROM ledger WHERE state = 'pending' AND updated_at < ?", (before,)
        ).fetchone()
        return int(row[0])

    def open_incident(self, key: SeriesKey) -> Incident | None:
        """The incident of that series that is not resolved."""
        row = self._connection.execute(
            f"SELECT * FROM incidents WHERE {_PLACE} AND resolved_at IS NULL",
            _place(key),
        ).fetchone()
        return None if row is None else incident_of(row)

    def open_incidents_called(self, name: str) -> Sequence[Incident]:
        """The incidents of every service in that series that are not resolved."""
        rows = self._connection.execute(
            "SELECT * FROM incidents WHERE series = ? AND resolved_at IS NULL ORDER BY opened_at, id", (name,)
        )
        return [incident_of(row) for row in rows]

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment that are open or resolved at or after `since`, newest first."""
        rows = self._connection.execute(
            "SELECT * FROM incidents WHERE service = ? AND environment = ? "
            "AND (resolved_at IS NULL OR resolved_at >= ?) ORDER BY opened_at DESC, id",
            (*_place(key)[1:], since),
        )
        return [incident_of(row) for row in rows]

    def incident_spans(self, key: SeriesKey, since: int) -> Sequence[tuple[int, int | None]]:
        """(since, resolved_at) of the incidents that touch [since, now)."""
        rows = self._connection.execute(
            f"SELECT since, resolved_at FROM incidents WHERE {_PLACE} "
            "AND NOT withdrawn AND (resolved_at IS NULL OR resolved_at >= ?) ORDER BY since",
            (*_place(key), since),
        )
        return [(row[0], row[1]) for row in rows]

    def coverage(self, since: int, until: int | None = None) -> Sequence[Coverage]:
        """What arrived since then and before `until`, by service and environment."""
        return read_coverage(self._connection, since, until)

    def standing(self, name: str) -> Sequence[Incident]:
        """The incidents of that series, of any service, that are not resolved."""
        rows = self._connection.execute(
            "SELECT * FROM incidents WHERE series = ? AND resolved_at IS NULL ORDER BY opened_at, id", (name,)
        )
        return [incident_of(row) for row in rows]

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        alert = alert and with_caveat(self._connection, incident.key, alert)
        with joined(self._connection):
            if incident.resolved_at is None:
                self._forget_who_had_it(incident.id)
            self._keep(incident)
            if alert is not None:
                self._post(incident, alert, self._addressed(incident, alert, channels))

    def _post(self, incident: Incident, alert: Alert, channels: Sequence[str]) -> None:
        """To each channel, but where a storm speaks for it."""
        storms: Mapping[str, str | Incident] = {}
        if self._grouping is not None:
            storms = self._grouping.storms(incident, alert, channels)
        for channel, storm in storms.items():
            if isinstance(storm, Incident):
                self._keep(storm)
            group(self._connection, alert, channel, storm.id if isinstance(storm, Incident) else storm)
        post(self._connection, alert, [channel for channel in channels if channel not in storms])

    def _keep(self, incident: Incident) -> None:
        row = (
            incident.id,
            *_place(incident.key),
            incident.dedup_key,
            incident.opened_at,
            incident.since,
            *(_level(part) for part in (incident.before, incident.worst, incident.now)),
            incident.recovering_since,
            incident.resolved_at,
            incident.detector,
            incident.segment,
            incident.stream,
            incident.told,
            incident.note,
            _level(incident.first),
            incident.first_until,
            incident.amended_at,
            incident.withdrawn,
            incident.reopened,
            incident.again_since,
            _level(incident.last_told),
        )
        self._connection.execute(
            f"INSERT OR REPLACE INTO incidents VALUES ({', '.join('?' * len(row))})",
            row,
        )

    def _forget_who_had_it(self, incident: str) -> None:
        """One that resolved and opens again is in nobody's hand: whoever had it may have gone to bed."""
        self._connection.execute(
            "DELETE FROM acknowledgements WHERE incident_id = ? AND EXISTS "
            "(SELECT 1 FROM incidents WHERE id = ? AND resolved_at IS NOT NULL)",
            (incident, incident),
        )

    def save_state(
        self,
        key: SeriesKey,
        state: SeriesState,
        at: int,
        before: Measurement | None,
        now: Measurement | None,
        counted: Sequence[tuple[int, int]] = (),
    ) -> None:
        """Remember the series' latest evaluation, and of which stretches [from, to) `now` is."""
        values = [_level(part) for part in (before, now)]
        self._connection.execute(
            f'UPDATE series SET state = ?, evaluated_at = ?, "before" = ?, now = ?, counted = ? WHERE {_PLACE}',
            (state, at, *values, json.dumps(counted), *_place(key)),
        )

    def _addressed(self, incident: Incident, alert: Alert, channels: Sequence[str]) -> Sequence[str]:
        """The channels that the routes choose; whoever heard of it hears how it goes on, ends and opens again.

        Who heard of it by escalation alone hears that it opens again by escalation: somebody may answer before.
        """
        if not self._routes:
            return channels
        rows = self._connection.execute(
            "SELECT channel FROM outbox WHERE incident_id = :incident GROUP BY channel HAVING :action <> 'trigger' "
            "OR SUM(json_extract(alert, '$.title') LIKE 'Escalated: %') = 0",
            {"incident": incident.id, "action": alert.action},
        )
        told = {row[0] for row in rows}
        fresh = set[str]()
        if alert.action != "resolve":
            fresh = set(
                routed(self._routes, channels, incident.key, alert.severity, alert.at, incident.segment)
            )
        return [channel for channel in channels if channel in told | fresh]

    def reason(self, series: str, record_id: int) -> str:
        """What is wrong with a record of a series, in words."""
        if series.startswith(_MEASURED):
            return self._critique(series, record_id)
        if series == "citation":
            return self._bad_citation(record_id)
        return bad_claim(self._connection, record_id) or "an unsupported claim"

    def _critique(self, series: str, record_id: int) -> str:
        row = self._connection.execute(
            "SELECT s.reason FROM scores s JOIN instruments i ON i.id = s.instrument_id "
            "WHERE s.record_id = ? AND s.current AND i.name = ?",
            (record_id, series),
        ).fetchone()
        return row[0] if row and row[0] else "the judge gave no reason"

    def _bad_citation(self, record_id: int) -> str:
        row = self._connection.execute(
            "SELECT s.reason FROM scores s JOIN instruments i ON i.id = s.instrument_id "
            "WHERE s.record_id = ? AND s.current AND i.name = 'citation_correctness'",
            (record_id,),
        ).fetchone()
        return row[0] if row and row[0] else "a citation is wrong"
