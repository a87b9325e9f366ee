"""Questions that people asked, as they are kept, from a store that another process writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.testset.draw import Question

_QUESTIONS = (
    "SELECT trace_id, span_id, query, segment, upstream_probability FROM records "
    "WHERE started_at >= ? AND started_at < ? AND (? IS NULL OR service = ?) "
    "AND query IS NOT NULL AND trim(query) <> '' ORDER BY started_at, id"
)


def questions(
    connection: sqlite3.Connection, since: int, until: int, service: str | None
) -> Sequence[Question]:
    """Those from `since` until before `until` (Unix nanoseconds) whose text is kept, in order of time."""
    return [
        Question(row[0], row[1], row[2], json.loads(row[3]), row[4] or 1.0)
        for row in connection.execute(_QUESTIONS, (since, until, service, service))
    ]
