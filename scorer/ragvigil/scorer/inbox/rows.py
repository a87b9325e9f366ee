"""What goes into the inbox and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Kind = Literal["spans", "logs", "changes"]
"""``changes`` are log records about no trace: marks of deploys, index builds and prompt edits."""


class Position(NamedTuple):
    """Place of a row; ordered as the rows were committed.

    >>> Position(1, 900) < Position(2, 1)
    True
    """

    segment: int
    row: int


class Arrival(NamedTuple):
    """One trace's share of one request, on its way in."""

    kind: Kind
    trace_id: bytes
    """16 bytes; all zeros for changes."""
    payload: bytes
    """Serialized TracesData or LogsData holding this trace only."""
    received_at: int
    """Unix time, nanoseconds."""
    items: int = 1
    """Spans or log records in the payload."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One trace's share of one request, committed."""

    position: Position
    kind: Kind
    trace_id: str
    """32 lower-case hex characters."""
    payload: bytes
    """Serialized TracesData or LogsData holding this trace only."""
    received_at: int
    """Unix time, nanoseconds."""
    items: int = 1
    """Spans or log records in the payload."""
