"""Leaks that were found and not told yet, in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from ragvigil.exporters import Alert
from ragvigil.scorer.monitor.leaks import CHECK, Leak
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store._rows import key_of
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring, joined
from ragvigil.scorer.store.port import ScoredRecord


def note_leak(
    connection: sqlite3.Connection, record_id: int, scored: ScoredRecord, *, new: bool, again: bool
) -> None:
    """Remember what the check found, in the transaction of the scores; `again`: the same input was read before.

    Of a `new` record nothing is remembered yet.
    """
    kinds = next(
        (one.details.get("kinds") for one in scored.checks if one.check == CHECK and one.value == 1.0), None
    )
    if kinds is None:
        if not new:
            connection.execute("DELETE FROM leaks WHERE record_id = ?", (record_id,))
    elif not again:
        record = scored.record
        connection.execute(
            "INSERT OR REPLACE INTO leaks VALUES (?, ?, ?, ?, ?)",
            (record_id, record.trace_id, record.service, record.environment or "", json.dumps(kinds)),
        )


class SqliteLeaks:
    """What the leak watch reads and writes."""

    def __init__(self, connection: sqlite3.Connection, monitoring: SqliteMonitoring) -> None:
        self._connection = connection
        self._monitoring = monitoring

    def leaks(self) -> Sequence[Leak]:
        """Those that nobody has been told of, oldest record first."""
        rows = self._connection.execute(
            "SELECT 'leak' AS series, * FROM leaks ORDER BY record_id LIMIT 1000"
        ).fetchall()
        return [
            Leak(row["record_id"], key_of(row), row["trace_id"], tuple(json.loads(row["kinds"])))
            for row in rows
        ]

    def open_leaks(self) -> Sequence[Incident]:
        """The tickets about leaks that are not resolved."""
        return self._monitoring.open_incidents_called("leak")

    def open_incident(self, key: SeriesKey) -> Incident | None:
        """The ticket of that service, if it is not resolved."""
        return self._monitoring.open_incident(key)

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        self._monitoring.save_incident(incident, alert, channels)

    def tell(
        self, incident: Incident, alert: Alert | None, channels: Sequence[str], told: Sequence[Leak]
    ) -> None:
        """Write the ticket with its messages, and let go of what it tells, in one transaction."""
        with joined(self._connection):
            self._monitoring.save_incident(incident, alert, channels)
            self._connection.executemany(
                "DELETE FROM leaks WHERE record_id = ?", [(one.record_id,) for one in told]
            )
