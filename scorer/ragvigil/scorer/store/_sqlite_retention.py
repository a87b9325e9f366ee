"""Takes content out of one SQLite file in small steps, and gives its space back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.store._sqlite_deletion import count, delete_traces

_BLANK_RECORD = (
    "UPDATE records SET query = NULL, answer = NULL, evidence = NULL, feedback = '[]', "
    "evaluations = '[]', cited = NULL, error_message = NULL WHERE trace_id = ?"
)
_OF_TRACE = "WHERE record_id IN (SELECT id FROM records WHERE trace_id = ?)"
_BLANK = (
    "DELETE FROM traces WHERE trace_id = ?",
    f"UPDATE scores SET reason = NULL, details = NULL {_OF_TRACE}",
    f"UPDATE verdicts SET claims = '[]', reason = NULL {_OF_TRACE}",
    _BLANK_RECORD,
    "UPDATE ledger SET state = 'expired', reason = 'content_expired' WHERE trace_id = ? AND state = 'pending'",
)
_SHOWN = (
    "SELECT json_extract(example.value, '$.trace_id') FROM incidents "
    "JOIN outbox ON outbox.incident_id = incidents.id, json_each(outbox.alert, '$.examples') AS example "
    "WHERE incidents.resolved_at IS NULL"
)
_OLDEST = (
    f"SELECT trace_id FROM traces WHERE updated_at < ? AND trace_id NOT IN ({_SHOWN}) ORDER BY rowid LIMIT ?"
)
_OLDEST_SCORED = (
    "SELECT DISTINCT trace_id FROM (SELECT trace_id FROM records ORDER BY id LIMIT :limit) "
    f"WHERE trace_id NOT IN ({_SHOWN}) AND trace_id NOT IN (SELECT l.trace_id FROM ledger l JOIN "
    "(SELECT trace_id FROM records ORDER BY id LIMIT :limit) USING (trace_id) WHERE l.updated_at >= :before)"
)
_OLDEST_UNASKED = (
    "SELECT trace_id FROM ledger WHERE span_id = '' AND updated_at < :before ORDER BY updated_at LIMIT :limit"
)


class SqliteRetention:
    """What retention needs of a store; every call is one short transaction of the writing thread."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def used_bytes(self) -> int:
        """Bytes of the file that hold something."""
        return (self._figure("page_count") - self.free_pages()) * self._figure("page_size")

    def free_pages(self) -> int:
        """Pages of the file that hold nothing."""
        return self._figure("freelist_count")

    def expire(self, before: int, limit: int, *, counter: str) -> Sequence[str]:
        """Take the content out of the oldest traces stored before that moment, at most so many; which they were.

        Scores, verdict figures, ledger and rollups stay; a record that waited for its verdict is `expired`.
        Traces that an open incident shows as examples stay whole.
        """
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            found = [row[0] for row in self._connection.execute(_OLDEST, (before, limit))]
            for statement in _BLANK:
                self._connection.executemany(statement, [(trace_id,) for trace_id in found])
            count(self._connection, counter, len(found))
        return found

    def expire_scores(self, before: int, limit: int, *, counter: str) -> int:
        """Delete the oldest records, scores and ledger rows that were last written before that moment; how many.

        Looks at so many records, and at so many traces without one. Rollups stay as they are, and so do traces that
        an open incident shows as examples.
        """
        bounds = {"before": before, "limit": limit}
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            found = [
                row[0]
                for query in (_OLDEST_SCORED, _OLDEST_UNASKED)
                for row in self._connection.execute(query, bounds)
            ]
            return delete_traces(self._connection, found, counter=counter) if found else 0

    def give_back(self, pages: int) -> None:
        """Cut so many empty pages off the file."""
        # The statement has a step for each page and no columns: only a script is run to its end.
        self._connection.executescript(f"PRAGMA incremental_vacuum({pages:d})")

    def _figure(self, pragma: str) -> int:
        return int(self._connection.execute(f"PRAGMA {pragma}").fetchone()[0])
