"""EscalationStore over one SQLite connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.exporters import Alert, from_json
from ragvigil.scorer.escalation import Told, Unanswered
from ragvigil.scorer.store._sqlite_monitoring import incident_of, joined
from ragvigil.scorer.store._sqlite_oncall import SILENCED
from ragvigil.scorer.store._sqlite_outbox import post

_SAID = (
    "SELECT channel, action, created_at, delivered_at, alert, attempts, refused_at, reason FROM outbox "
    "WHERE incident_id = ? ORDER BY id"
)
_SET_ASIDE = frozenset({"superseded", "silenced"})


class SqliteEscalation:
    """What is open and unanswered, and what is said about it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def unanswered(self, now: int) -> Sequence[Unanswered]:
        """Open incidents that were told and that nobody has in hand, oldest first."""
        rows = self._connection.execute(
            "SELECT * FROM incidents WHERE resolved_at IS NULL AND told AND id NOT IN "
            "(SELECT incident_id FROM acknowledgements) AND EXISTS (SELECT 1 FROM outbox "
            f"WHERE outbox.incident_id = incidents.id AND NOT {SILENCED}) ORDER BY opened_at, id",
            {"now": now},
        ).fetchall()
        found = (self._unanswered(row) for row in rows)
        return [one for one in found if one is not None]

    def post(self, alert: Alert, channels: Sequence[str]) -> None:
        """Put an alert into the outbox of those channels."""
        with joined(self._connection):
            post(self._connection, alert, channels)

    def _unanswered(self, row: sqlite3.Row) -> Unanswered | None:
        began: int | None = None
        alert = None
        told: dict[str, Told] = {}
        for one in self._connection.execute(_SAID, (row["id"],)):
            began = None if one["action"] == "resolve" else began or one["created_at"]
            if one["refused_at"] is not None and one["reason"] in _SET_ASIDE:
                continue
            alert = one["alert"]
            delivered = one["delivered_at"] is not None
            failed = not delivered and one["attempts"] > 0
            told[one["channel"]] = Told(one["channel"], one["created_at"], delivered, failed)
        if alert is None or began is None:
            return None
        return Unanswered(incident_of(row), from_json(alert), began, told)
