"""What is stored of one trace as it came, for whoever asks how it is read."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Literal

from ragvigil.scorer.erasure.forgetting import tombstone
from ragvigil.scorer.store._packing import unpack
from ragvigil.scorer.store.port import RawTrace

Gone = Literal["forgotten", "expired"]
"""Why nothing is kept of a trace that once was here: erased by order, or by age or the ceiling on disk."""


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """One trace, redacted."""

    raw: RawTrace
    timed_out: bool
    """Whether it was given up waiting for, or lost spans at its bounds."""


def stored_trace(connection: sqlite3.Connection, trace_id: str) -> StoredTrace | Gone | None:
    """What is stored of the trace, or why it is gone; None where it never was here."""
    row = connection.execute(
        "SELECT spans, logs, rules, dropped, timed_out FROM traces WHERE trace_id = ?", (trace_id,)
    ).fetchone()
    if row is not None:
        logs = unpack(row[1]) if row[1] else b""
        raw = RawTrace(unpack(row[0]), logs, rules=frozenset(row[2].split()), dropped=row[3])
        return StoredTrace(raw, bool(row[4]))
    if connection.execute("SELECT 1 FROM forgotten WHERE digest = ?", (tombstone(trace_id),)).fetchone():
        return "forgotten"
    in_ledger = connection.execute("SELECT 1 FROM ledger WHERE trace_id = ? LIMIT 1", (trace_id,)).fetchone()
    return "expired" if in_ledger else None
