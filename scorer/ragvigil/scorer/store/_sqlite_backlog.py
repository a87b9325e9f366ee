"""Thins what waits for the judge, by the published hash of the trace ids."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store._json import storable
from ragvigil.scorer.store._sqlite_monitoring import joined
from ragvigil.scorer.trace import Place

REASON = "judge_backlog"
_WAITING = (
    "SELECT l.trace_id, l.span_id, l.inclusion, r.id FROM ledger l JOIN records r USING (trace_id, span_id) "
    "WHERE l.state = 'pending' AND r.service = ? AND r.environment = ?"
)
_LATE = (
    "SELECT DISTINCT r.service, r.environment FROM ledger l JOIN records r USING (trace_id, span_id) "
    "WHERE l.state = 'pending' AND l.updated_at < ?"
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

    def late(self, before: int) -> Sequence[Place]:
        """Where a record has waited for its verdict since before that moment (Unix nanoseconds)."""
        return [(row[0], row[1] or None) for row in self._connection.execute(_LATE, (before,))]

    def thin(self, place: Place, share: float, now: int) -> Sequence[int]:
        """Keep that share of what waits there; the ids of the records that expired.

        The draw is nested: who is kept would have been drawn at the lower probability, too, which is what is
        stored for all of them. So the weighted mean stays unbiased.
        """
        kept: list[tuple[float, str, str]] = []
        expired: list[tuple[float, str, int, str, str]] = []
        gone: list[int] = []
        where = storable(place[0]), storable(place[1] or "")
        with joined(self._connection):
            waiting = self._connection.execute(_WAITING, where).fetchall()
            for trace_id, span_id, inclusion, record_id in waiting:
                chance = inclusion * share
                if fraction(trace_id) < chance:
                    kept.append((chance, trace_id, span_id))
                else:
                    expired.append((chance, REASON, now, trace_id, span_id))
                    gone.append(record_id)
            self._connection.executemany(_THIN, kept)
            self._connection.executemany(_EXPIRE, expired)
        return gone
