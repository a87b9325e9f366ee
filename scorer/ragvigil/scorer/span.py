"""Spans and log events as plain values, decoded from OTLP protobuf in one pass.

`TracesData` and `ExportTraceServiceRequest` have the same bytes on the wire, so have their log counterparts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status, TracesData

HAS_IS_REMOTE = 0x100
"""Flag of OTLP's SpanFlags: the sender says whether the parent is remote."""
IS_REMOTE = 0x200
"""Flag of OTLP's SpanFlags: the parent lives in another process."""


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened during a span, whether it came as a span event or as a log record."""

    name: str
    time: int
    """Unix time, nanoseconds."""
    attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    dropped_attributes: int = 0
    """Attributes of it that the sender threw away."""


@dataclass(slots=True)
class Span:
    """One finished span, which nobody changes: not frozen, because to make it would take four times as long."""

    trace_id: str
    """Lower-case hex."""
    span_id: str
    parent_id: str | None
    name: str
    kind: int
    start: int
    """Unix time, nanoseconds."""
    end: int
    attributes: Mapping[str, object]
    events: tuple[SpanEvent, ...] = ()
    failed: bool = False
    """Whether the status is ERROR."""
    status_message: str = ""
    scope: str = ""
    resource: Mapping[str, object] = field(default_factory=dict[str, object])
    trace_state: str = ""
    dropped_attributes: int = 0
    """Attributes that the sender threw away; the Python SDK throws the oldest away first."""
    flags: int = 0
    scope_attributes: Mapping[str, object] = field(default_factory=dict[str, object])
    dropped_events: int = 0
    """Events that the sender threw away; most SDKs throw the oldest away first."""

    @property
    def parent_is_remote(self) -> bool:
        """Whether the sender said that the parent lives in another process."""
        return self.flags & (HAS_IS_REMOTE | IS_REMOTE) == HAS_IS_REMOTE | IS_REMOTE


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One log record that belongs to a trace."""

    trace_id: str
    span_id: str | None
    name: str
    time: int
    attributes: Mapping[str, object]
    """The attributes over the fields of the body; a body that is no mapping stands under `body`."""
    dropped_attributes: int = 0


def spans_of(payload: bytes) -> list[Span]:
    """Every span of an encoded TracesData or ExportTraceServiceRequest.

    Raises google.protobuf.message.DecodeError when the bytes are neither.
    """
    return spans_in(TracesData.FromString(payload))


def spans_in(data: TracesData) -> list[Span]:
    """Every span of the message."""
    found: list[Span] = []
    for resource_spans in data.resource_spans:
        resource = _mapping(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            origin = Origin(resource, scope_spans.scope.name, _mapping(scope_spans.scope.attributes))
            found += [
                span_of(wire, _mapping(wire.attributes), tuple(map(_event, wire.events)), origin)
                for wire in scope_spans.spans
            ]
    return found


def not_finite(spans: Iterable[Span]) -> int:
    """Attributes that are NaN or infinite: no score is, so readers take them for unknown, and they are counted."""
    numbers = [value for span in spans for value in span.attributes.values() if isinstance(value, float)]
    return len(numbers) - sum(map(math.isfinite, numbers))


def resource_text(spans: Iterable[Span], *keys: str) -> str | None:
    """The first text that any span's resource has under one of these keys."""
    found = (span.resource.get(key) for span in spans for key in keys)
    return next((text for text in found if isinstance(text, str) and text), None)


def logs_of(payload: bytes) -> list[LogEvent]:
    """Every log record with a trace id of an encoded LogsData or ExportLogsServiceRequest."""
    return [
        LogEvent(
            trace_id=record.trace_id.hex(),
            span_id=record.span_id.hex() or None,
            name=record.event_name or _older_event_name(record.attributes),
            time=record.time_unix_nano or record.observed_time_unix_nano,
            attributes={**_body(record.body), **_mapping(record.attributes)},
            dropped_attributes=record.dropped_attributes_count,
        )
        for resource_logs in LogsData.FromString(payload).resource_logs
        for scope_logs in resource_logs.scope_logs
        for record in scope_logs.log_records
        if record.trace_id
    ]


class Origin(NamedTuple):
    """What made spans: their resource and their scope."""

    resource: Mapping[str, object]
    scope: str
    scope_attributes: Mapping[str, object]


def span_of(
    wire: WireSpan, attributes: Mapping[str, object], events: tuple[SpanEvent, ...], origin: Origin
) -> Span:
    """The span of a message, `attributes` and `events` being those of the message as plain values."""
    status = wire.status
    return Span(
        wire.trace_id.hex(),
        wire.span_id.hex(),
        wire.parent_span_id.hex() or None,
        wire.name,
        wire.kind,
        wire.start_time_unix_nano,
        wire.end_time_unix_nano,
        attributes,
        events,
        status.code == Status.STATUS_CODE_ERROR,
        status.message,
        origin.scope,
        origin.resource,
        wire.trace_state,
        wire.dropped_attributes_count,
        wire.flags,
        origin.scope_attributes,
        wire.dropped_events_count,
    )


def event_of(wire: WireSpan.Event, attributes: Mapping[str, object]) -> SpanEvent:
    """The event of a message, `attributes` being its own as plain values."""
    return SpanEvent(wire.name, wire.time_unix_nano, attributes, wire.dropped_attributes_count)


def _event(wire: WireSpan.Event) -> SpanEvent:
    return event_of(wire, _mapping(wire.attributes))


def _mapping(pairs: Iterable[KeyValue]) -> dict[str, object]:
    found: dict[str, object] = {}
    for pair in pairs:
        value = pair.value
        text = value.string_value  # most are texts: a look at the text is dearer than one at the kind
        found[pair.key] = text or plain(value)
    return found


def plain(value: AnyValue) -> object:
    """The value as Python says it: lists and dictionaries for what is nested, None for what is not set."""
    which = value.WhichOneof("value")
    if which == "string_value":
        return value.string_value
    if which == "array_value":
        return [plain(item) for item in value.array_value.values]
    if which == "kvlist_value":
        return _mapping(value.kvlist_value.values)
    return getattr(value, which) if which else None


def _body(body: AnyValue) -> dict[str, object]:
    content = plain(body)
    if isinstance(content, dict):
        return content  # pyright: ignore[reportUnknownVariableType] -- `plain` makes str keys only
    return {} if content is None else {"body": content}


def _older_event_name(attributes: Iterable[KeyValue]) -> str:
    """Before LogRecord had `event_name`, the name stood in the attribute `event.name`."""
    return next((pair.value.string_value for pair in attributes if pair.key == "event.name"), "")
