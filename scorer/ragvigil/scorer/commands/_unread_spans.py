"""Which dialects of the operator's own fail on spans, for ``ragvigil status``."""

from __future__ import annotations

import sqlite3

from ragvigil.scorer.store.reading_metrics import counters

_COUNTED = "dialect_failure."


def as_json(connection: sqlite3.Connection) -> dict[str, int]:
    """How often each could not look at a span, or not read one."""
    counted = counters(connection)
    return {
        name.removeprefix(_COUNTED): times
        for name, times in sorted(counted.items())
        if name.startswith(_COUNTED)
    }


def as_text(connection: sqlite3.Connection) -> list[str]:
    """One line for each that ever failed."""
    return [
        f"dialect {name}: failed on a span {times:,} times, which was read without it; the log has the first of each "
        "start, ragvigil check-config tries it on odd spans"
        for name, times in as_json(connection).items()
    ]
