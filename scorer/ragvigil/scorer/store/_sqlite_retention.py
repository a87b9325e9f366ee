"""Takes content out of one SQLite file in small steps, and gives its space back."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.store._sqlite_deletion import count, delete_traces
from ragvigil.scorer.store._sqlite_merging import merge_minutes
from ragvigil.scorer.store._sqlite_meta import remember, remembered

_ANY = 2**63 - 1
"""No moment is later."""
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
_AGED = (
    "SELECT trace_id FROM traces INDEXED BY traces_updated_at "
    f"WHERE updated_at < ? AND trace_id NOT IN ({_SHOWN}) ORDER BY updated_at LIMIT ?"
)
_FIRST = f"SELECT trace_id FROM traces WHERE trace_id NOT IN ({_SHOWN}) ORDER BY rowid LIMIT ?"
_OLDEST_SCORED = (
    "SELECT DISTINCT trace_id FROM (SELECT trace_id FROM records ORDER BY id LIMIT :limit) AS oldest "
    f"WHERE trace_id NOT IN ({_SHOWN}) AND NOT EXISTS "
    "(SELECT 1 FROM ledger l WHERE l.trace_id = oldest.trace_id AND l.updated_at >= :before)"
)
"""Asked of each of a few traces: asked the other way round, the whole ledger is read with every step."""
_OLDEST_UNASKED = (
    "SELECT trace_id FROM ledger WHERE span_id = '' AND updated_at < :before ORDER BY updated_at LIMIT :limit"
)
_TOLD_AND_OVER = (
    "SELECT id FROM incidents WHERE resolved_at < :before "
    "AND EXISTS (SELECT 1 FROM outbox WHERE incident_id = incidents.id) "
    "AND NOT EXISTS (SELECT 1 FROM outbox WHERE incident_id = incidents.id "
    "AND delivered_at IS NULL AND refused_at IS NULL) LIMIT :limit"
)
_OF_INCIDENT = ("outbox", "channel_messages", "acknowledgements", "handed_back")
_TOLD_ANEW = (
    "DELETE FROM outbox WHERE id IN (SELECT old.id FROM outbox AS old "
    "JOIN outbox AS later USING (incident_id, channel) WHERE old.created_at < :before "
    "AND (old.delivered_at IS NOT NULL OR old.refused_at IS NOT NULL) "
    "AND later.id > old.id AND later.delivered_at IS NOT NULL AND later.action IN ('trigger', 'update') LIMIT :limit)"
)
"""Of an open incident the latest message that each channel took stays, with what came after it."""
_CLOCK = "retention_clock"
BYTES_A_ROLLUP = 110
"""Of the file, as measured."""


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

    def rollup_bytes(self) -> int:
        """About how many bytes rollups take."""
        row = self._connection.execute("SELECT value FROM counters WHERE name = 'rollups'").fetchone()
        return BYTES_A_ROLLUP * int(row[0])

    def held(self) -> tuple[int, int]:
        """About how many traces have their content, and how many records there are, but for examples that stay.

        Told by the numbers of the first and the last row: counting them would be to read all of them.
        """
        return self._about("traces"), self._about("records")

    def expire(self, before: int | None, limit: int, *, counter: str) -> Sequence[str]:
        """Take the content out of the oldest traces stored before that moment, at most so many; which they were.

        None: of those that were written first, whatever moment a clock gave them. Scores, verdict figures, ledger and
        rollups stay; a record that waited for its verdict is `expired`. Traces that an open incident shows as
        examples stay whole.
        """
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            rows = (
                self._connection.execute(_FIRST, (limit,))
                if before is None
                else self._connection.execute(_AGED, (before, limit))
            )
            found = [row[0] for row in rows]
            for statement in _BLANK:
                self._connection.executemany(statement, [(trace_id,) for trace_id in found])
            count(self._connection, counter, len(found))
        return found

    def expire_scores(self, before: int | None, limit: int, *, counter: str) -> int:
        """Delete the oldest records, scores and ledger rows that were last written before that moment; how many.

        None: of any moment. Looks at so many records, and at so many traces without one. Rollups stay as they are,
        and so do traces that an open incident shows as examples.
        """
        bounds = {"before": _ANY if before is None else before, "limit": limit}
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            found = [
                row[0]
                for query in (_OLDEST_SCORED, _OLDEST_UNASKED)
                for row in self._connection.execute(query, bounds)
            ]
            return delete_traces(self._connection, found, counter=counter) if found else 0

    def expire_messages(self, before: int, limit: int) -> int:
        """Delete what was sent about incidents that ended before that moment, and what was told anew since; how many.

        Incidents stay, and so does all that still waits. Silences that ended before it go as well.
        """
        bounds = {"before": before, "limit": limit}
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            over = [(row[0],) for row in self._connection.execute(_TOLD_AND_OVER, bounds)]
            for table in _OF_INCIDENT:
                self._connection.executemany(f"DELETE FROM {table} WHERE incident_id = ?", over)
            anew = self._connection.execute(_TOLD_ANEW, bounds).rowcount
            self._connection.execute("DELETE FROM silences WHERE ends_at < :before", bounds)
        return len(over) + anew

    def merge_minutes(self, before: int) -> int:
        """Take a step with the minutes of rollups that began before that moment, whose records are gone; 0: none."""
        return merge_minutes(self._connection, before)

    def give_back(self, pages: int) -> None:
        """Cut so many empty pages off the file."""
        # The statement has a step for each page and no columns: only a script is run to its end.
        self._connection.executescript(f"PRAGMA incremental_vacuum({pages:d})")

    def clock(self) -> tuple[int, int] | None:
        """What `keep_clock` was told last."""
        found = remembered(self._connection, _CLOCK)
        if found is None:
            return None
        boot, ticks = found.split()
        return int(boot), int(ticks)

    def keep_clock(self, boot: int, ticks: int) -> None:
        """Remember when the machine was started by the wall clock (Unix nanoseconds), and how long ago that was."""
        remember(self._connection, _CLOCK, f"{boot} {ticks}")

    def _about(self, table: str) -> int:
        first, last = self._connection.execute(
            f"SELECT (SELECT rowid FROM {table} WHERE trace_id NOT IN ({_SHOWN}) ORDER BY rowid LIMIT 1), "
            f"(SELECT max(rowid) FROM {table})"
        ).fetchone()
        return 0 if first is None else int(last - first + 1)

    def _figure(self, pragma: str) -> int:
        return int(self._connection.execute(f"PRAGMA {pragma}").fetchone()[0])
