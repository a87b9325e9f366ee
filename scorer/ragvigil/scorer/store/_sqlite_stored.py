"""What one SQLite file has of traces that come again: their content, and how large it is before it is unpacked."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping

from ragvigil.scorer.store._packing import FRAME_HEAD, unpack, unpacked_size
from ragvigil.scorer.store._sqlite_erasures import SqliteErasures
from ragvigil.scorer.store.port import RawTrace


def stored_traces(
    connection: sqlite3.Connection, erasures: SqliteErasures, trace_ids: Collection[str]
) -> Mapping[str, RawTrace]:
    """Those of the traces that were seen before."""
    rows = connection.execute(
        f"SELECT trace_id, spans, logs, rules, dropped FROM traces WHERE trace_id IN ({_marks(trace_ids)})",
        tuple(trace_ids),
    )
    found = {
        row[0]: RawTrace(
            unpack(row[1]),
            unpack(row[2]) if row[2] else b"",
            rules=frozenset(row[3].split()),
            dropped=row[4],
        )
        for row in rows
    }
    missing = [trace_id for trace_id in trace_ids if trace_id not in found]
    rows = connection.execute(
        f"SELECT DISTINCT trace_id FROM ledger WHERE trace_id IN ({_marks(missing)})", missing
    )
    gone = {*(row[0] for row in rows), *erasures.kept_out(missing)}
    return found | {trace_id: RawTrace(b"", b"", gone=True) for trace_id in gone}


def stored_bytes(connection: sqlite3.Connection, trace_ids: Collection[str]) -> Mapping[str, int]:
    """Of those of the traces whose content is here, how many bytes it is once unpacked."""
    rows = connection.execute(
        f"SELECT trace_id, substr(spans, 1, {FRAME_HEAD}), substr(logs, 1, {FRAME_HEAD}) FROM traces "
        f"WHERE trace_id IN ({_marks(trace_ids)})",
        tuple(trace_ids),
    )
    return {row[0]: sum(unpacked_size(head) for head in row[1:] if head) for row in rows}


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" * len(values))
