"""Payloads of chosen traces cut out of the inbox, for an erasure while nobody else uses it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox.payloads import payloads
from ragvigil.scorer.inbox.segments import connect, open_for_writing, segments, sql

Chosen = Callable[[str, bytes, bytes], bool]
"""Trace id, its spans and its logs as they came."""


def blank(folder: Path, chosen: Chosen) -> Sequence[str]:
    """Empty the rows of the traces that `chosen` picks; which traces those were.

    The rows stay, so that what was received is still counted. The caller holds the inbox's lock. Raises StoreError.
    """
    paths = [path for _, path in segments(folder)]
    try:
        picked = [trace for trace in _traces(paths) if chosen(trace.hex(), *payloads(paths, trace))]
        for path in paths:
            _blank(path, picked)
    except sqlite3.Error as error:
        raise StoreError(f"inbox {folder}: {error}") from None
    return [trace.hex() for trace in picked]


def _traces(paths: Iterable[Path]) -> Sequence[bytes]:
    found = dict[bytes, None]()
    for path in paths:
        with closing(connect(path, "ro")) as connection:
            found.update((row[0], None) for row in connection.execute(sql("traces")))
    return list(found)


def _blank(path: Path, traces: Iterable[bytes]) -> None:
    with closing(open_for_writing(path)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        with connection:
            connection.executemany(sql("blank"), [(trace,) for trace in traces])
        connection.execute(sql("retire")).fetchone()
