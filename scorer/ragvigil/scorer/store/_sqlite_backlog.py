"""Thins what waits for the judge, by the published hash of the trace ids."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store._sqlite_monitoring import joined

REASON = "judge_backlog"
_WAITING = (
    "SELECT l.trace_id, l.span_id, l.inclusion, r.id FROM ledger l JOIN records r USING (trace_id, span_id) "
    "WHERE l.state = 'pending'"
)
_THIN = "UPDATE ledger SET inclusion = ? WHERE trace_id = ? AND span_id = ?"
_EXPIRE = (
    "UPDATE ledger SET inclusion = ?, state = 'expired', reason = ?, updated_at = ? "
    "WHERE trace_id = ? AND span_id = ?"
)


class SqliteBacklog:
    """Records that wait, in one SQLite file; on the one writing thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def waits_since(self) -> int | None:
        """Since when the oldest record waits for its verdict, Unix nanoseconds; None when none does."""
        row = self._connection.execute(
            "SELECT min(updated_at) FROM ledger WHERE state = 'pending'"
        ).fetchone()
        return None if row[0] is None else int(row[0])

    def thin(self, share: float, now: int) -> Sequence[int]:
        """Keep that share of what waits; the ids of the records that expired.

        The draw is nested: who is kept would have been drawn at the lower probability, too, which is what is
        stored for all of them. So the weighted mean stays unbiased.
        """
        kept: list[tuple[float, str, str]] = []
        expired: list[tuple[float, str, int, str, str]] = []
        gone: list[int] = []
        with joined(self._connection):
            for trace_id, span_id, inclusion, record_id in self._connection.execute(_WAITING).fetchall():
                chance = inclusion * share
                if fraction(trace_id) < chance:
                    kept.append((chance, trace_id, span_id))
                else:
                    expired.append((chance, REASON, now, trace_id, span_id))
                    gone.append(record_id)
            self._connection.executemany(_THIN, kept)
            self._connection.executemany(_EXPIRE, expired)
        return gone
