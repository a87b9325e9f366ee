"""How many scores fell into which tenth, over all time, and the latest answer in each."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from ragvigil.scorer.trace import RagTrace

EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Upper edges of the buckets; a score of 0 has one of its own."""

_ADD = (
    "INSERT INTO score_counts "
    "(score, service, environment, instrument_id, edge, n, total, trace_id, span_id, value, at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n, "
    "total = total + excluded.total, trace_id = excluded.trace_id, span_id = excluded.span_id, "
    "value = excluded.value, at = excluded.at"
)


@dataclass(slots=True)
class _Added:
    n: int
    total: float
    trace_id: str
    span_id: str
    value: float
    at: int


class SqliteScoreCounts:
    """Gathers what one transaction adds, and writes it at its end: a row for each bucket, not for each answer."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._added: dict[tuple[str, str, str, int, float], _Added] = {}

    def add(self, score: str, instrument: int, record: RagTrace, value: float, now: int) -> None:
        """Count one score in [0, 1]; it is written by `write`."""
        edge = next((edge for edge in EDGES if value <= edge), EDGES[-1])
        key = (score, record.service, record.environment or "", instrument, edge)
        before = self._added.get(key)
        n, total = (before.n, before.total) if before else (0, 0.0)
        self._added[key] = _Added(n + 1, total + value, record.trace_id, record.span_id, value, now)

    def write(self) -> None:
        """Write what was counted since the last time."""
        self._connection.executemany(
            _ADD,
            [
                (*key, one.n, one.total, one.trace_id, one.span_id, one.value, one.at)
                for key, one in self._added.items()
            ],
        )
        self._added.clear()

    def forget(self) -> None:
        """The transaction was rolled back."""
        self._added.clear()
