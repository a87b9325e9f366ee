"""One OTLP request as rows for the inbox: split by trace, what can never be accepted told apart.

A row is a TracesData or LogsData that holds one trace only and keeps resource, scope and schema urls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from google.protobuf.message import DecodeError
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData, ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span, TracesData

from ragvigil.scorer.inbox import Arrival, Kind
from ragvigil.scorer.receive import otlp_json, wire
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.otlp_json import Level
from ragvigil.scorer.receive.wire import Batch, framed

Encoding = Literal["protobuf", "json"]

_NO_TRACE = bytes(16)
_CHUNK = 2**20
"""Bytes parsed at once: an empty attribute takes two bytes on the wire and fifty in memory."""


@dataclass(slots=True)
class Decoded:
    """What one request held."""

    rows: list[Arrival] = field(default_factory=list[Arrival])
    accepted: int = 0
    """Spans or log records in the rows."""
    ignored: int = 0
    """Log records without a trace id: accepted, and nothing to do with them."""
    rejected: Counter[str] = field(default_factory=Counter[str])
    """Spans or log records that can never be accepted, by reason."""
    error_message: str | None = None
    """The first rejection in words: the field and the fix. Where there is none, why nothing was found."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found in the request, good or bad."""
        return not (self.rows or self.ignored or self.rejected)

    def reject(self, reason: str, say: Callable[[], str]) -> None:
        """Count one item that can never be accepted; only the first is asked why, for there may be half a million."""
        self.rejected[reason] += 1
        if self.error_message is None:
            self.error_message = say()

    def rejection(self, signal: Signal) -> str | None:
        """One line that says how much was rejected, why, and the first rejection's fix; None when all is well.

        >>> decode(b"\\n\\x04\\x12\\x02\\x12\\0", SPANS, "protobuf", Limits(), received_at=1).rejection(SPANS)[:45]
        '1 span rejected (trace_id 1); the first: span'
        """
        count = self.rejected.total()
        if not count:
            return self.error_message
        reasons = ", ".join(f"{reason} {number}" for reason, number in self.rejected.most_common())
        noun = signal.word if count == 1 else f"{signal.word}s"
        return f"{count} {noun} rejected ({reasons}); the first: {self.error_message}"


@dataclass(frozen=True, slots=True)
class Signal:
    """What differs between traces and logs."""

    kind: Kind
    word: str
    levels: tuple[Level, Level, Level]
    """Resources, scopes and items, as JSON names them."""
    attributes: int
    """Field of an item that holds its attributes."""
    parse: Callable[[bytes], Sequence[Any]]
    """The items of a serialized TracesData or LogsData with one resource and one scope."""


def _spans(data: bytes) -> Sequence[Any]:
    return TracesData.FromString(data).resource_spans[0].scope_spans[0].spans


def _logs(data: bytes) -> Sequence[Any]:
    return LogsData.FromString(data).resource_logs[0].scope_logs[0].log_records


SPANS = Signal(
    "spans",
    "span",
    (
        Level("resourceSpans", ResourceSpans.DESCRIPTOR),
        Level("scopeSpans", ScopeSpans.DESCRIPTOR),
        Level("spans", Span.DESCRIPTOR),
    ),
    attributes=9,
    parse=_spans,
)
"""Traces, as they arrive on /v1/traces."""

LOGS = Signal(
    "logs",
    "log record",
    (
        Level("resourceLogs", ResourceLogs.DESCRIPTOR),
        Level("scopeLogs", ScopeLogs.DESCRIPTOR),
        Level("logRecords", LogRecord.DESCRIPTOR),
    ),
    attributes=6,
    parse=_logs,
)
"""Logs, as they arrive on /v1/logs."""


def decode(body: bytes, signal: Signal, encoding: Encoding, limits: Limits, *, received_at: int) -> Decoded:
    """The rows of a decompressed request. Raises Refusal when the body as a whole cannot be read."""
    if encoding == "protobuf":
        return split(wire.batches(body, max_parts=limits.max_parts), signal, limits, received_at=received_at)
    batches = otlp_json.batches(
        body, signal.levels, max_values=limits.max_json_values, max_depth=limits.max_depth
    )
    decoded = split(batches, signal, limits, received_at=received_at)
    if decoded.is_empty:
        decoded.error_message = otlp_json.unread(body, signal.levels)
    return decoded


def split(batches: Iterable[Batch], signal: Signal, limits: Limits, *, received_at: int) -> Decoded:
    """The batches regrouped by trace: one row for each trace id."""
    decoded = Decoded()
    traces: dict[bytes, list[bytes]] = {}
    sizes: Counter[bytes] = Counter()
    for batch in batches:
        for problem in batch.unreadable:
            decoded.reject("unreadable", partial("{} rejected: {}".format, signal.word, problem))
        for trace_id, items in _by_trace(batch, signal, limits, decoded).items():
            scope = framed(wire.SCOPE, batch.scope + b"".join(items))
            traces.setdefault(trace_id, []).append(framed(wire.ENTRY, batch.resource + scope))
            sizes[trace_id] += len(items)
    for trace_id, entries in traces.items():
        kind: Kind = signal.kind if trace_id else "changes"
        decoded.rows.append(
            Arrival(kind, trace_id or _NO_TRACE, b"".join(entries), received_at, sizes[trace_id])
        )
    return decoded


def _by_trace(batch: Batch, signal: Signal, limits: Limits, decoded: Decoded) -> dict[bytes, list[bytes]]:
    """The acceptable items of a batch by trace id; under none, marks of changes."""
    items = [item for item in batch.items if _small_enough(item, signal, limits, decoded)]
    if items and not _describes(batch, signal, limits):
        for _ in items:
            decoded.reject(
                "unreadable", lambda: f"{signal.word} rejected: its resource or scope cannot be read"
            )
        return {}
    traces: dict[bytes, list[bytes]] = {}
    for item, parsed in zip(items, _parsed(items, signal), strict=True):
        if parsed is None:
            decoded.reject(
                "unreadable",
                lambda: (
                    f"{signal.word} rejected: it is not valid protobuf, has text that is not UTF-8, "
                    "or nests over 100 levels (keep lists and objects within 40, or send them as one JSON string)"
                ),
            )
        elif signal is LOGS and _is_change(parsed):
            traces.setdefault(b"", []).append(item)
            decoded.accepted += 1
        elif signal is LOGS and not parsed.trace_id:
            decoded.ignored += 1
        elif _identified(parsed, signal, decoded):
            traces.setdefault(parsed.trace_id, []).append(item)
            decoded.accepted += 1
    return traces


def _is_change(record: LogRecord) -> bool:
    """Loaded with the first log record: the tracer's names come with the tracer, a tenth of a second at the start."""
    from ragvigil.scorer.changes import is_change

    return is_change(record)


def _describes(batch: Batch, signal: Signal, limits: Limits) -> bool:
    """Whether resource and scope can be read where the row will have them."""
    if len(batch.resource) + len(batch.scope) > limits.max_span_bytes:
        return False
    try:
        signal.parse(framed(wire.ENTRY, batch.resource + framed(wire.SCOPE, batch.scope)))
    except DecodeError:
        return False
    return True


def _parsed(items: Sequence[bytes], signal: Signal) -> Iterator[Any]:
    """Each item's message, or None where it cannot be read; parsed at the depth at which the row will be."""
    at = 0
    while at < len(items):
        size, start = 0, at
        while at < len(items) and (at == start or size + len(items[at]) <= _CHUNK):
            size += len(items[at])
            at += 1
        yield from _halved(items[start:at], signal)


def _halved(items: Sequence[bytes], signal: Signal) -> Iterator[Any]:
    """All at once when they are sound, else half by half until the unsound ones stand alone."""
    try:
        yield from signal.parse(framed(wire.ENTRY, framed(wire.SCOPE, b"".join(items))))
    except DecodeError:
        if len(items) == 1:
            yield None
            return
        middle = len(items) // 2
        yield from _halved(items[:middle], signal)
        yield from _halved(items[middle:], signal)


def _identified(item: Any, signal: Signal, decoded: Decoded) -> bool:
    """Whether both ids are as they must be; the first problem is told."""
    trace_id, span_id = item.trace_id, item.span_id
    if len(trace_id) != 16 or not any(trace_id):
        decoded.reject("trace_id", lambda: _id_problem(signal, "trace_id", 16, trace_id))
    elif (len(span_id) == 8 and any(span_id)) or (signal is LOGS and not span_id):
        return True
    else:
        decoded.reject("span_id", lambda: _id_problem(signal, "span_id", 8, span_id))
    return False


def _id_problem(signal: Signal, name: str, size: int, got: bytes) -> str:
    found = "all zeros" if got and not any(got) else f"{len(got)} bytes" if got else "none"
    return (
        f"{signal.word} rejected: {name} must be {size} bytes ({2 * size} hex characters in JSON) "
        f"and not all zeros, got {found}"
    )


def _small_enough(item: bytes, signal: Signal, limits: Limits, decoded: Decoded) -> bool:
    if len(item) <= limits.max_span_bytes:
        return True
    decoded.reject("too_large", lambda: _size_problem(item, signal, limits))
    return False


def _size_problem(item: bytes, signal: Signal, limits: Limits) -> str:
    largest = wire.largest_attribute(item, signal.attributes)
    blame = f" (largest attribute: {largest[0]!r}, {largest[1]} bytes)" if largest else ""
    return (
        f"{signal.word} rejected: {len(item)} bytes{blame}, the limit is {limits.max_span_bytes}; "
        "shorten the attribute or raise receive.max_span_bytes"
    )
