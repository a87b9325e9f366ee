"""How much came of each service in each minute."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence

from ragvigil.exporters import Alert
from ragvigil.scorer.moments import MINUTE
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._rows import incident_of
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring
from ragvigil.scorer.store._sqlite_places import places_in
from ragvigil.scorer.store.port import ScoredTrace

_ADD = (
    "INSERT INTO arrivals (service, environment, minute, traces, answers) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET traces = traces + excluded.traces, answers = answers + excluded.answers"
)
_PLACE = "service = ? AND environment = ?"
_LAST = f"SELECT minute FROM arrivals WHERE {_PLACE} AND minute <= ? AND {{what}} > 0 ORDER BY minute DESC LIMIT 1"
_LAST_BUCKET = f"SELECT max(bucket) FROM rollups WHERE series = ? AND {_PLACE} AND bucket <= ? AND n > 0"


class SqliteArrivals:
    """Gathers what one transaction adds, and writes it at its end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._traces: Counter[tuple[str, str]] = Counter()
        self._answers: Counter[tuple[str, str]] = Counter()

    def add(self, place: tuple[str, str], trace: ScoredTrace, *, new: bool, known: int) -> None:
        """Count a trace that is `new`, and answers beyond those `known` before; it is written by `write`.

        The answer may come long after the first spans. A trace that could not be read may have held one.
        """
        if place[0]:
            self._traces[place] += new
            answers = sum(one.ledger.state != "filtered" for one in trace.records)
            self._answers[place] += max((answers or trace.failure is not None) - known, 0)

    def write(self, now: int) -> None:
        """Write what was counted since the last time, as of `now` (Unix nanoseconds)."""
        minute = now // MINUTE
        rows = [(*place, minute, traces, self._answers[place]) for place, traces in self._traces.items()]
        rows = [row for row in rows if any(row[-2:])]
        self._connection.executemany(_ADD, rows)
        self.forget()

    def forget(self) -> None:
        """The transaction was rolled back."""
        self._traces.clear()
        self._answers.clear()


class SqliteArriving:
    """ArrivalStore over one SQLite connection."""

    def __init__(self, connection: sqlite3.Connection, monitoring: SqliteMonitoring) -> None:
        self._connection = connection
        self._monitoring = monitoring

    def places(self) -> Iterator[tuple[str, str]]:
        """Each service and environment of which anything came."""
        return places_in(self._connection, "arrivals")

    def last_answer(self, place: tuple[str, str], until: int) -> int | None:
        """The last minute until that one in which an answer came."""
        row = self._connection.execute(_LAST.format(what="answers"), (*place, until)).fetchone()
        return None if row is None else int(row[0])

    def minutes(self, place: tuple[str, str], since: int, until: int) -> Sequence[tuple[int, int]]:
        """(minute, answers) of the minutes in [since, until] with any, oldest first."""
        return self._connection.execute(
            f"SELECT minute, answers FROM arrivals WHERE {_PLACE} AND minute BETWEEN ? AND ? AND answers > 0 "
            "ORDER BY minute",
            (*place, since, until),
        ).fetchall()

    def last_data(self, key: SeriesKey, until: int) -> int | None:
        """When what that series is made of last came, until then (Unix nanoseconds); None where nobody knows."""
        place = (key.service, key.environment or "")
        if key.name.startswith("coverage_") or key.name == "retrieval":
            row = self._connection.execute(_LAST.format(what="traces"), (*place, until // MINUTE)).fetchone()
            return None if row is None else int(row[0]) * MINUTE
        row = self._connection.execute(_LAST_BUCKET, (key.name, *place, until)).fetchone()
        return None if row[0] is None else int(row[0])

    def keep(self, place: tuple[str, str], since: int, until: int) -> None:
        """Let go of the minutes outside [since, until]."""
        self._connection.execute(
            f"DELETE FROM arrivals WHERE {_PLACE} AND (minute < ? OR minute > ?)", (*place, since, until)
        )

    def open_incidents(self) -> Sequence[Incident]:
        """Those of any series that are not resolved, oldest first."""
        rows = self._connection.execute(
            "SELECT * FROM incidents WHERE resolved_at IS NULL ORDER BY opened_at, id"
        )
        return [incident_of(row) for row in rows]

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment that are open or resolved at or after `since`, newest first."""
        return self._monitoring.neighbours(key, since)

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        self._monitoring.save_incident(incident, alert, channels)
