"""The answers to questions of a choice, from a store that another process writes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator

from ragvigil.scorer.store._rows import record_of
from ragvigil.scorer.trace import RagTrace

_PAGE = 200
_QUESTIONS = (
    "SELECT id, query FROM records WHERE query IS NOT NULL AND (:service IS NULL OR service = :service) "
    "ORDER BY started_at, id"
)
_RECORDS = (
    "SELECT r.*, t.spans FROM records r JOIN traces t USING (trace_id) "
    "WHERE r.id IN (SELECT value FROM json_each(?)) AND r.evidence IS NOT NULL ORDER BY r.started_at, r.id"
)


def answers_to(
    connection: sqlite3.Connection, wanted: Callable[[str], bool], service: str | None = None
) -> Iterator[RagTrace]:
    """The records whose question is `wanted` and whose content is still kept, in order of time."""
    ids = [row["id"] for row in connection.execute(_QUESTIONS, {"service": service}) if wanted(row["query"])]
    for first in range(0, len(ids), _PAGE):
        page = json.dumps(ids[first : first + _PAGE])
        yield from map(record_of, connection.execute(_RECORDS, (page,)).fetchall())
