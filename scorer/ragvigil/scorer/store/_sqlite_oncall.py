"""Acknowledgements and silences, in one SQLite file."""

from __future__ import annotations

import sqlite3

from ragvigil.scorer.errors import OrderError
from ragvigil.scorer.oncall import Acknowledge, Silence, Unacknowledge, Unsilence

SILENCED = (
    "EXISTS (SELECT 1 FROM silences JOIN incidents ON incidents.id = outbox.incident_id "
    "WHERE silences.starts_at <= :now AND silences.ends_at > :now "
    "AND coalesce(silences.series, incidents.series) = incidents.series "
    "AND coalesce(silences.service, incidents.service) = incidents.service "
    "AND coalesce(silences.environment, incidents.environment) = incidents.environment "
    "AND (silences.segment IS NULL OR silences.segment = incidents.segment))"
)
"""Whether a row of `outbox` must wait at :now."""


class SqliteOncall:
    """What people say about incidents."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def acknowledge(self, wanted: Acknowledge, at: int) -> str:
        """Note who has it in hand; the incident's id."""
        incident = self._standing(wanted.incident)
        self._connection.execute(
            "INSERT OR REPLACE INTO acknowledgements VALUES (?, ?, ?, ?)",
            (incident, at, wanted.by, wanted.note),
        )
        return incident

    def unacknowledge(self, wanted: Unacknowledge, at: int) -> str:
        """Nobody has it in hand; the incident's id."""
        del at
        incident = self._standing(wanted.incident)
        self._connection.execute("DELETE FROM acknowledgements WHERE incident_id = ?", (incident,))
        return incident

    def _standing(self, given: str) -> str:
        """The id of the one open incident that is meant."""
        rows = self._connection.execute(
            "SELECT id, resolved_at FROM incidents WHERE substr(id, 1, length(:given)) = :given "
            "OR dedup_key = :given ORDER BY resolved_at IS NOT NULL, opened_at DESC",
            {"given": given},
        ).fetchall()
        standing = [str(row["id"]) for row in rows if row["resolved_at"] is None]
        if not rows:
            raise OrderError(f"no incident {given!r}; ragvigil incidents --all shows what there is")
        if not standing:
            raise OrderError(f"{rows[0]['id']} is resolved already")
        if len(standing) > 1:
            raise OrderError(f"{given!r} may be {' or '.join(standing[:3])}; give more of the id")
        return standing[0]

    def silence(self, wanted: Silence, at: int) -> str:
        """Keep it; its id."""
        if wanted.ends_at <= at:
            raise OrderError("the silence would end before it begins to count; give a later end")
        self._connection.execute(
            "INSERT OR IGNORE INTO silences VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                wanted.id,
                wanted.series,
                wanted.service,
                wanted.environment,
                wanted.segment,
                wanted.starts_at,
                wanted.ends_at,
                wanted.comment,
                wanted.by,
                at,
            ),
        )
        return wanted.id

    def unsilence(self, wanted: Unsilence, at: int) -> str:
        """End it now; its id."""
        row = self._connection.execute(
            "SELECT ends_at FROM silences WHERE id = ?", (wanted.silence,)
        ).fetchone()
        if row is None:
            raise OrderError(f"no silence {wanted.silence!r}; ragvigil silence list shows what there is")
        if row["ends_at"] <= at:
            raise OrderError(f"{wanted.silence} has ended already")
        self._connection.execute(
            "UPDATE silences SET ends_at = ?, starts_at = min(starts_at, ?) WHERE id = ?",
            (at, at, wanted.silence),
        )
        return wanted.silence
