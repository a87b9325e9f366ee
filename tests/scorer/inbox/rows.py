"""Rows for an inbox, and what comes out of it again."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ragvigil.scorer.inbox import Arrival, InboxRow
from ragvigil.scorer.inbox.segments import segments

TRACE = bytes(range(16))


def arrival(number: int, size: int = 10) -> Arrival:
    """A row that can be told from its neighbours."""
    return Arrival("spans", TRACE, b"%d." % number + bytes(size), number)


def numbers(rows: list[InboxRow]) -> list[int]:
    """What tells the rows apart."""
    return [row.received_at for row in rows]


def files(folder: Path) -> list[Path]:
    """The segments of an inbox, oldest first."""
    return [path for _, path in segments(folder)]


def wait_for(condition: Callable[[], bool], *, seconds: float = 10.0) -> None:
    """Poll until true, or fail."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)
