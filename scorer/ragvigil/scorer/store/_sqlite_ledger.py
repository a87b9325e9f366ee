"""One line of the ledger: which state a record is in, and why."""

from __future__ import annotations

import sqlite3

from ragvigil.scorer.store.port import LedgerEntry

_INSERT_LEDGER = (
    "INSERT INTO ledger (trace_id, span_id, state, reason, inclusion, stratum, updated_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (trace_id, span_id) DO UPDATE SET state = excluded.state, "
    "reason = excluded.reason, inclusion = excluded.inclusion, "
    "stratum = coalesce(excluded.stratum, stratum), updated_at = excluded.updated_at"
)


def write_ledger(
    connection: sqlite3.Connection, trace_id: str, span_id: str, entry: LedgerEntry, now: int
) -> None:
    """Set the state of a record, or of a trace without one (its span id is empty)."""
    row = (trace_id, span_id, entry.state, entry.reason, entry.inclusion, entry.stratum, now)
    connection.execute(_INSERT_LEDGER, row)
