"""Spans by trace id until their trace is complete.

Pure: no I/O and no clock. A trace is complete when a span without a parent has ended (exported means ended)
and nothing more came for `quiet_seconds`; without such a span after `rootless_seconds`; in any case after
`timeout_seconds`, or when the bounds on open traces are reached, and is then marked as timed out. A span that
comes later opens the trace again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from google.protobuf.message import DecodeError
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.config import Assemble
from ragvigil.scorer.inbox import Kind, Position

_NANOSECONDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Assembled:
    """All that came for one trace while it was open."""

    trace_id: str
    spans: tuple[bytes, ...]
    """Encoded TracesData messages, in the order of arrival."""
    logs: tuple[bytes, ...]
    """Encoded LogsData messages."""
    first_position: Position
    """Smallest place in the inbox of any of them."""
    timed_out: bool
    """Whether the trace was given up waiting for."""


@dataclass(slots=True)
class _Open:
    first_position: Position
    first_at: int
    last_at: int
    rooted: bool = False
    size: int = 0
    spans: list[bytes] = field(default_factory=list[bytes])
    logs: list[bytes] = field(default_factory=list[bytes])


class Assembler:
    """Holds open traces. Times are nanoseconds of one clock that the caller chooses."""

    def __init__(self, settings: Assemble) -> None:
        self._quiet = int(settings.quiet_seconds * _NANOSECONDS)
        self._rootless = int(settings.rootless_seconds * _NANOSECONDS)
        self._timeout = int(settings.timeout_seconds * _NANOSECONDS)
        self._max_traces = settings.max_open_traces
        self._max_bytes = settings.max_open_bytes
        self._open: dict[str, _Open] = {}
        self._deadlines: list[tuple[int, str]] = []
        self._positions: list[tuple[Position, str]] = []
        self._bytes = 0

    @property
    def open_traces(self) -> int:
        """How many traces are open."""
        return len(self._open)

    @property
    def open_bytes(self) -> int:
        """Bytes of the payloads of open traces."""
        return self._bytes

    def add(self, position: Position, kind: Kind, trace_id: str, payload: bytes, now: int) -> None:
        """Put one inbox row to its trace, opening the trace when it is new."""
        trace = self._open.get(trace_id)
        if trace is None:
            trace = self._open[trace_id] = _Open(position, now, now)
            heappush(self._positions, (position, trace_id))
            heappush(self._deadlines, (now + min(self._rootless, self._timeout), trace_id))
        elif position < trace.first_position:
            trace.first_position = position
            heappush(self._positions, (position, trace_id))
        trace.last_at = max(trace.last_at, now)
        trace.size += len(payload)
        self._bytes += len(payload)
        if kind == "logs":
            trace.logs.append(payload)
            return
        trace.spans.append(payload)
        if not trace.rooted and _has_root(payload):
            trace.rooted = True
            heappush(self._deadlines, (self._deadline(trace), trace_id))

    def due(self, now: int, *, everything: bool = False) -> list[Assembled]:
        """Take out the traces that are complete, given up, or over the bounds, by position.

        With `everything`, all open traces are taken as they stand.
        """
        taken = list(self._over_bounds())
        while self._deadlines and (everything or self._deadlines[0][0] <= now):
            _, trace_id = heappop(self._deadlines)
            trace = self._open.get(trace_id)
            if trace is None:
                continue
            deadline = self._deadline(trace)
            if deadline <= now or everything:
                given_up = deadline <= now and deadline < self._complete_at(trace)
                taken.append(self._take(trace_id, timed_out=given_up))
            else:
                heappush(self._deadlines, (deadline, trace_id))
        return sorted(taken, key=lambda item: item.first_position)

    def oldest(self) -> Position | None:
        """The smallest inbox position of any open trace: nothing before it is needed any more."""
        while self._positions:
            position, trace_id = self._positions[0]
            trace = self._open.get(trace_id)
            if trace is not None and trace.first_position == position:
                return position
            heappop(self._positions)
        return None

    def _deadline(self, trace: _Open) -> int:
        return min(self._complete_at(trace), trace.first_at + self._timeout)

    def _complete_at(self, trace: _Open) -> int:
        return trace.last_at + (self._quiet if trace.rooted else self._rootless)

    def _over_bounds(self) -> Iterator[Assembled]:
        """The traces that were opened first, as long as there are too many or too much."""
        while self._open and (len(self._open) > self._max_traces or self._bytes > self._max_bytes):
            yield self._take(next(iter(self._open)), timed_out=True)

    def _take(self, trace_id: str, *, timed_out: bool) -> Assembled:
        trace = self._open.pop(trace_id)
        self._bytes -= trace.size
        return Assembled(trace_id, tuple(trace.spans), tuple(trace.logs), trace.first_position, timed_out)


def _has_root(payload: bytes) -> bool:
    """Whether a span without a parent is among them; bytes that are no spans have none."""
    try:
        message = TracesData.FromString(payload)
    except DecodeError:
        return False
    return any(
        not span.parent_span_id
        for resource_spans in message.resource_spans
        for scope_spans in resource_spans.scope_spans
        for span in scope_spans.spans
    )
