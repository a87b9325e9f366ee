"""What people noted of answers, from a store that another process writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.labels.notes import Note

_NOTES = (
    "SELECT l.record_id, r.trace_id, r.query, l.annotator, l.label, l.note, "
    "(SELECT i.inclusion * g.inclusion FROM label_items i JOIN ledger g "
    "ON g.trace_id = r.trace_id AND g.span_id = r.span_id WHERE i.record_id = l.record_id "
    "ORDER BY i.inclusion DESC LIMIT 1) AS inclusion "
    "FROM labels l JOIN records r ON r.id = l.record_id AND r.input_hash = l.input_hash "
    "WHERE r.started_at >= ? AND (? IS NULL OR r.service = ?) ORDER BY l.at, l.annotator, l.record_id"
)


def notes(connection: sqlite3.Connection, since: int, service: str | None) -> Sequence[Note]:
    """Labels with or without a note on answers given since then (Unix nanoseconds), in order of time."""
    return [Note(*row) for row in connection.execute(_NOTES, (since, service, service))]
