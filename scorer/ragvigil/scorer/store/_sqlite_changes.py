"""Changes in one SQLite file: each once, those seen in traffic since their first moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ragvigil.scorer.changes import Change, first_values
from ragvigil.scorer.moments import DAY, HOUR
from ragvigil.scorer.store._json import storable
from ragvigil.scorer.trace import RagTrace

_INSERT = (
    "INSERT INTO changes (id, at, kind, text, service, environment, source) VALUES (?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET at = excluded.at WHERE excluded.at < at "
    f"AND (source = 'told' OR excluded.at >= at - {HOUR})"
)
"""A trace may come late, but not by more than an hour: what says so has a clock that is behind, and would carry off the
mark of a deploy to where no page looks for it."""
_MOST_A_DAY = 20
"""First values of one kind, service and environment in a day: what changes with every request is no version."""
_MOST_KNOWN = 10_000


class SqliteChanges:
    """Writes changes within the caller's transactions."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[str, int] = {}

    def put(self, changes: Iterable[Change]) -> None:
        """Write what was told; what stands already, stands."""
        for change in changes:
            self._write(change)

    def meet(self, record: RagTrace) -> None:
        """Note the versions that this record is the first to show."""
        for change in first_values(record):
            known = self._known.get(change.id)
            if known is not None and not known - HOUR <= change.at < known:
                continue
            if self._is_new(change) and self._crowded(change):
                continue
            self._write(change)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[change.id] = self._stands_at(change)

    def forget(self) -> None:
        """A transaction was rolled back: nothing that it wrote is known any more."""
        self._known.clear()

    def _write(self, change: Change) -> None:
        values = (change.kind, change.text, change.service or "", change.environment or "")
        row = (storable(change.id), change.at, *(storable(value) for value in values), change.source)
        self._connection.execute(_INSERT, row)

    def _stands_at(self, change: Change) -> int:
        query = "SELECT at FROM changes WHERE id = ?"
        return int(self._connection.execute(query, (storable(change.id),)).fetchone()[0])

    def _is_new(self, change: Change) -> bool:
        query = "SELECT 1 FROM changes WHERE id = ?"
        return self._connection.execute(query, (change.id,)).fetchone() is None

    def _crowded(self, change: Change) -> bool:
        count: int = self._connection.execute(
            "SELECT count(*) FROM changes WHERE source = 'traffic' AND service = ? AND environment = ? "
            "AND kind = ? AND at > ? AND at < ?",
            (
                storable(change.service or ""),
                storable(change.environment or ""),
                change.kind,
                change.at - DAY,
                change.at + DAY,
            ),
        ).fetchone()[0]
        return count >= _MOST_A_DAY
