"""Spans by trace id until their trace is complete.

Pure: no I/O and no clock. A trace is complete when a span without a parent has ended (exported means ended)
and nothing more came for its service's quiet time; for the longest quiet time when all that is known is a span
whose parent is in another process; without either after `rootless_seconds`; in any case after
`timeout_seconds`, or when the bounds on open traces are reached, and is then marked as timed out. A span that
comes later opens the trace again. What is beyond the bounds of one trace is dropped and counted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from google.protobuf.message import DecodeError

from ragvigil.scorer.assembly.payload import Top, look, trimmed, without_repeats
from ragvigil.scorer.assembly.quiet_time import QuietTimes
from ragvigil.scorer.config import Assemble
from ragvigil.scorer.inbox import Kind, Position

_NANOSECONDS = 1_000_000_000
_RECENT = 10_000
"""Traces that are remembered after they were complete, to know their late spans again."""


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
    """Whether the trace was given up waiting for, or lost spans at its bounds."""
    dropped: int = 0
    """Spans and log payloads beyond the bounds of one trace."""
    received_at: int = 0
    """When the first of it was received, Unix nanoseconds; 0 when nobody says."""
    heard_at: int = 0
    """When the last of it was."""
    rootless: bool = False
    """Whether its root is still to come: those of its service do come."""


@dataclass(frozen=True, slots=True)
class _Recent:
    last_at: int
    service: str | None
    top: Top


@dataclass(slots=True)
class _Open:
    first_position: Position
    first_at: int
    last_at: int
    received_at: int = 0
    heard_at: int = 0
    gap: int | None = 0
    """Longest time between two arrivals since the root is known: what came before kept nobody waiting.

    None when it was opened again by what nobody could have waited for, such as a vote a minute later.
    """
    service: str | None = None
    top: Top = Top.NONE
    size: int = 0
    count: int = 0
    dropped: int = 0
    spans: list[bytes] = field(default_factory=list[bytes])
    logs: dict[bytes, None] = field(default_factory=dict[bytes, None])
    """Each once, in the order of arrival."""
    held: set[bytes] | None = None
    """Its spans, each encoded, once a bound was met: what is sent again must not take the room of what is new."""


class Assembler:
    """Holds open traces. Times are nanoseconds of one clock that the caller chooses."""

    def __init__(self, settings: Assemble) -> None:
        self._quiet = QuietTimes(
            first=int(settings.quiet_seconds * _NANOSECONDS),
            shortest=int(settings.shortest_quiet_seconds * _NANOSECONDS),
            longest=int(settings.longest_quiet_seconds * _NANOSECONDS),
        )
        self._rootless = int(settings.rootless_seconds * _NANOSECONDS)
        self._timeout = int(settings.timeout_seconds * _NANOSECONDS)
        self._max_traces = settings.max_open_traces
        self._max_bytes = settings.max_open_bytes
        self.max_trace_spans = settings.max_trace_spans
        self.max_trace_bytes = settings.max_trace_bytes
        self._recent: OrderedDict[str, _Recent] = OrderedDict()
        self._open: dict[str, _Open] = {}
        self._deadlines: list[tuple[int, str]] = []
        self._positions: list[tuple[Position, str]] = []
        self._bytes = 0

    @property
    def open_traces(self) -> int:
        """How many traces are open."""
        return len(self._open)

    @property
    def open_ids(self) -> Collection[str]:
        """Which they are."""
        return self._open.keys()

    @property
    def open_bytes(self) -> int:
        """Bytes of the payloads of open traces."""
        return self._bytes

    def add(
        self,
        position: Position,
        kind: Kind,
        trace_id: str,
        payload: bytes,
        now: int,
        *,
        received_at: int = 0,
    ) -> bool:
        """Put one inbox row to its trace, opening the trace when it is new.

        Whether that opened a trace whose root is not known: somebody may know it (see `root_is_known`).
        """
        trace = self._open.get(trace_id)
        opened = trace is None
        if trace is None:
            trace = self._open[trace_id] = self._reopened(trace_id, position, now)
            trace.received_at = received_at
            heappush(self._positions, (position, trace_id))
            heappush(self._deadlines, (min(self._deadline(trace), now + self._rootless), trace_id))
        elif trace.top is Top.ROOT and trace.gap is not None:
            trace.gap = max(trace.gap, now - trace.last_at)
        if position < trace.first_position:
            trace.first_position = position
            heappush(self._positions, (position, trace_id))
        trace.last_at = max(trace.last_at, now)
        trace.heard_at = max(trace.heard_at, received_at)
        if kind == "logs":
            if payload not in trace.logs and self._keep(trace, payload):  # else it was sent again
                trace.logs[payload] = None
        else:
            self._add_spans(trace_id, trace, payload)
        return opened and trace.top < Top.ROOT

    def root_is_known(self, trace_id: str) -> None:
        """The root of this trace has been stored before: only late spans come, and quiet time is enough."""
        trace = self._open.get(trace_id)
        if trace is not None:
            self._found(trace_id, trace, Top.ROOT)

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

    def _reopened(self, trace_id: str, position: Position, now: int) -> _Open:
        recent = self._recent.pop(trace_id, None)
        if recent is None:
            return _Open(position, now, now)
        gap = max(now - recent.last_at, 0) if recent.top is Top.ROOT else 0
        taught = gap if gap <= self._quiet.longest else None
        return _Open(position, now, now, gap=taught, service=recent.service, top=recent.top)

    def _add_spans(self, trace_id: str, trace: _Open, payload: bytes) -> None:
        seen = look(payload)
        trace.service = trace.service or seen.service
        if not seen.spans:  # nobody can read it, and whoever reads the trace is to say so
            if self._keep(trace, payload):
                trace.spans.append(payload)
            return
        count = seen.spans
        if trace.held is not None or self._is_beyond(trace, count, len(payload)):
            payload = self._new_in(trace, payload)
            count = look(payload).spans
        if self._is_beyond(trace, count, len(payload)):
            room = self.max_trace_spans - trace.count
            payload, kept = trimmed(payload, spans=room, size=self.max_trace_bytes - trace.size)
            trace.dropped += count - kept
            count = kept
        if count:
            trace.count += count
            trace.spans.append(payload)
            self._hold(trace, payload)
        self._found(trace_id, trace, seen.top)

    def _is_beyond(self, trace: _Open, spans: int, size: int) -> bool:
        return trace.count + spans > self.max_trace_spans or trace.size + size > self.max_trace_bytes

    def _new_in(self, trace: _Open, payload: bytes) -> bytes:
        """The spans of the payload that are not held; the first time, what is held twice is let go of."""
        if trace.held is None:
            trace.held = set()
            try:
                single = without_repeats(b"".join(trace.spans), trace.held)
            except DecodeError:  # what nobody can read stays as it is
                return payload
            freed = sum(map(len, trace.spans)) - len(single)
            trace.spans, trace.count = [single] if single else [], look(single).spans
            trace.size -= freed
            self._bytes -= freed
        return without_repeats(payload, trace.held)

    def _keep(self, trace: _Open, payload: bytes) -> bool:
        """Whether there is room for it."""
        if trace.size + len(payload) > self.max_trace_bytes:
            trace.dropped += 1
            return False
        self._hold(trace, payload)
        return True

    def _hold(self, trace: _Open, payload: bytes) -> None:
        trace.size += len(payload)
        self._bytes += len(payload)

    def _found(self, trace_id: str, trace: _Open, top: Top) -> None:
        if top > trace.top:
            trace.top = top
            heappush(self._deadlines, (self._deadline(trace), trace_id))

    def _deadline(self, trace: _Open) -> int:
        return min(self._complete_at(trace), trace.first_at + self._timeout)

    def _complete_at(self, trace: _Open) -> int:
        if trace.top is Top.ROOT:
            return trace.last_at + self._quiet.of(trace.service)
        if trace.top is Top.LOCAL:
            return trace.last_at + min(self._quiet.longest, self._rootless)
        return trace.last_at + self._rootless

    def _over_bounds(self) -> Iterator[Assembled]:
        """The traces that were opened first, as long as there are too many or too much."""
        while self._open and (len(self._open) > self._max_traces or self._bytes > self._max_bytes):
            yield self._take(next(iter(self._open)), timed_out=True)

    def _take(self, trace_id: str, *, timed_out: bool) -> Assembled:
        trace = self._open.pop(trace_id)
        self._bytes -= trace.size
        if not timed_out:
            if trace.top is Top.ROOT and trace.gap is not None:
                self._quiet.observe(trace.service, trace.gap)
            self._recent[trace_id] = _Recent(trace.last_at, trace.service, trace.top)
            if len(self._recent) > _RECENT:
                self._recent.popitem(last=False)
        return Assembled(
            trace_id,
            tuple(trace.spans),
            tuple(trace.logs),
            trace.first_position,
            timed_out or trace.dropped > 0,
            trace.dropped,
            trace.received_at,
            trace.heard_at,
            rootless=not timed_out and trace.top is Top.NONE and self._quiet.knows(trace.service),
        )
