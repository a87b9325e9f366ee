"""Records that late spans gave another span to stand for them: a generator after the root and the search."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection


def follow(
    connection: sqlite3.Connection, trace_id: str, known: dict[str, sqlite3.Row], kept: Collection[str]
) -> None:
    """Give the one record of the trace that is gone the span of the one that is new: it is the same question.

    Its version, decision and old scores go on. Of several that are gone or new nobody knows which became which.
    Changes `known`, the rows by span, and the tables alike.
    """
    gone = [span_id for span_id, row in known.items() if span_id not in kept and row["id"] is not None]
    new = [span_id for span_id in kept if span_id and span_id not in known]
    if len(gone) != 1 or len(new) != 1:
        return
    known[new[0]] = known.pop(gone[0])
    for table in ("records", "ledger"):
        connection.execute(
            f"UPDATE {table} SET span_id = ? WHERE trace_id = ? AND span_id = ?", (*new, trace_id, *gone)
        )
