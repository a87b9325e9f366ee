"""Which dialects of the operator's own fail on spans, for ``ragvigil status``."""

from __future__ import annotations

import sqlite3
import time

from ragvigil.scorer.moments import in_utc
from ragvigil.scorer.store._sqlite_unread import Unread, unread
from ragvigil.scorer.store.reading_metrics import counters


def as_json(connection: sqlite3.Connection) -> dict[str, dict[str, int | None]]:
    """How often each could not look at a span, or not read one: in the last 24 hours and ever; and when it last did."""
    return {name: one._asdict() for name, one in _found(connection).items()}


def as_text(connection: sqlite3.Connection) -> list[str]:
    """One line for each that failed in the last 24 hours: what was mended longer ago is nobody's work any more."""
    return [
        f"dialect {name}: failed on a span {one.lately:,} times in the last 24 hours (last {in_utc(one.last_at or 0)}; "
        f"{one.ever:,} times ever), which was read without it; the log has the first of each start, "
        "ragvigil check-config tries it on odd spans"
        for name, one in _found(connection).items()
        if one.lately
    ]


def _found(connection: sqlite3.Connection) -> dict[str, Unread]:
    return unread(connection, counters(connection), time.time_ns())
