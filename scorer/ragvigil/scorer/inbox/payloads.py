"""What the segments of an inbox hold of one trace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox.segments import connect, segments, sql


def payloads(paths: Iterable[Path], trace: bytes) -> tuple[bytes, bytes]:
    """Its spans and its log records, encoded, as they came. Raises sqlite3.Error."""
    held: dict[str, list[bytes]] = {"spans": [], "logs": []}
    for path in paths:
        with closing(connect(path, "ro")) as connection:
            for kind, payload in connection.execute(sql("of_trace"), (trace,)):
                held[kind].append(payload)
    return b"".join(held["spans"]), b"".join(held["logs"])


def staged(folder: Path, trace_id: str) -> tuple[bytes, bytes]:
    """The same of a whole inbox that others may use meanwhile: a segment that goes is not missed. Raises StoreError."""
    found = [(b"", b"")]
    for _, path in segments(folder):
        try:
            found.append(payloads([path], bytes.fromhex(trace_id)))
        except sqlite3.Error as error:
            if path.exists():
                raise StoreError(f"inbox segment {path} cannot be read: {error}") from None
    spans, logs = zip(*found, strict=True)
    return b"".join(spans), b"".join(logs)
