"""Spans in OTLP's protobuf, each written once: its size is known by then, and a request is only put around them.

Building protobuf messages costs three times as much as writing their bytes, and their size would have to be
estimated before. Fields and types are those of ``opentelemetry/proto/trace/v1/trace.proto`` and
``common/v1/common.proto``, release 1; tags are ``field number << 3 | wire type``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from ragvigil.tracer._sizes import entries_of

_MOST_KEYS = 4_096
_INT64 = 2**63
_HERE, _REMOTE = b"\x85\x01\x00\x01\x00\x00", b"\x85\x01\x00\x03\x00\x00"
"""``Span.flags`` with its tag: that it is known where the parent is, and that it is in another process."""

_double = struct.Struct("<d").pack
_times = struct.Struct("<BQBQ").pack
_fixed64 = struct.Struct("<BQ").pack


def encoded_span(
    span: ReadableSpan, attributes: Mapping[str, object], status: Status, *, bare: bool = False
) -> bytes:
    """One entry of ``ScopeSpans.spans``, with tag and length: the span with these attributes and this status.

    ``bare`` leaves events and links out. Raises whatever a name or a value does that is not what its type says.
    """
    out: list[bytes] = []
    if (own := span.context) is not None:
        out += (b"\x0a\x10", own.trace_id.to_bytes(16, "big"), b"\x12\x08", own.span_id.to_bytes(8, "big"))
        if own.trace_state:
            _add_text(out, 0x1A, own.trace_state.to_header())
    above = span.parent
    if above is not None:
        out += (b"\x22\x08", above.span_id.to_bytes(8, "big"))
    _add_text(out, 0x2A, span.name)
    out += (_KINDS[span.kind], _times(0x39, span.start_time or 0, 0x41, span.end_time or 0))
    _add_attributes(out, b"\x4a", attributes)
    if dropped := span.dropped_attributes:
        out += (b"\x50", varint(dropped))
    if not bare and entries_of(span):
        _add_events(out, span.events, span.dropped_events)
        _add_links(out, span.links, span.dropped_links)
    if status.status_code is StatusCode.UNSET:
        out.append(b"\x7a\x00")
    else:
        _add_status(out, status)
    out.append(_REMOTE if above is not None and above.is_remote else _HERE)
    data = b"".join(out)
    return b"".join((b"\x12", varint(len(data)), data))


def encoded_request(spans: Iterable[tuple[ReadableSpan, bytes]]) -> bytes:
    """An ``ExportTraceServiceRequest`` with these spans, by resource and scope in the order of their first spans."""
    groups: dict[int, tuple[Resource, dict[InstrumentationScope | None, list[bytes]]]] = {}
    for span, data in spans:
        _, scopes = groups.setdefault(id(span.resource), (span.resource, {}))
        scopes.setdefault(span.instrumentation_scope, []).append(data)
    out: list[bytes] = []
    for resource, scopes in groups.values():
        inner = [b"\x0a", *_measured(_resource(resource))]
        for scope, entries in scopes.items():
            parts = [b"\x0a", *_measured(_scope(scope)), *entries]
            if scope is not None and scope.schema_url:
                _add_text(parts, 0x1A, scope.schema_url)
            inner += (b"\x12", *_measured(b"".join(parts)))
        if resource.schema_url:
            _add_text(inner, 0x1A, resource.schema_url)
        out += (b"\x0a", *_measured(b"".join(inner)))
    return b"".join(out)


def envelope_size(span: ReadableSpan) -> int:
    """At most the bytes that a request has around the spans of this one's resource and scope."""
    scope = span.instrumentation_scope
    around = len(_resource(span.resource)) + len(_scope(scope)) + len(span.resource.schema_url.encode())
    return around + (0 if scope is None else len((scope.schema_url or "").encode())) + 64


def varint(number: int) -> bytes:
    """A number from 0 up to 2**64 - 1, seven bits a byte, the lowest first.

    >>> varint(1).hex(), varint(300).hex()
    ('01', 'ac02')
    """
    if number < 0x4000:
        return _VARINTS[number]
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


_VARINTS = [
    *(bytes([number]) for number in range(0x80)),
    *(bytes([number & 0x7F | 0x80, number >> 7]) for number in range(0x80, 0x4000)),
]
_KINDS = {kind: bytes([0x30, kind.value + 1]) for kind in SpanKind}
"""Kinds count from 0 in the SDK, and from 1 in OTLP."""
_keys: dict[str, bytes] = {}
"""Names of attributes, each as ``KeyValue.key``: there are few of them."""


def _add_attributes(out: list[bytes], tag: bytes, attributes: Mapping[str, object]) -> None:
    """Add these as ``KeyValue`` messages under a tag."""
    for name, value in attributes.items():
        key = _keys.get(name) or _key(name)
        if type(value) is str:
            text = value.encode("utf-8", "replace")
            # Written out: nearly all values are texts, and large ones are copied but once.
            length = varint(len(text))
            size = 1 + len(length) + len(text)
            around = varint(size)
            out += (
                tag,
                varint(len(key) + 1 + len(around) + size),
                key,
                b"\x12",
                around,
                b"\x0a",
                length,
                text,
            )
        else:
            data = _value(value)
            around = varint(len(data))
            out += (tag, varint(len(key) + 1 + len(around) + len(data)), key, b"\x12", around, data)


def _key(name: str) -> bytes:
    key = b"".join((b"\x0a", *_measured(name.encode("utf-8", "replace"))))
    if len(_keys) < _MOST_KEYS:
        _keys[name] = key
    return key


def _value(value: object) -> bytes:
    """An ``AnyValue``; what it has no field for is printed, None is one without a value."""
    if isinstance(value, str):
        return b"".join((b"\x0a", *_measured(value.encode("utf-8", "replace"))))
    if isinstance(value, bool):
        return b"\x10\x01" if value else b"\x10\x00"
    if isinstance(value, int) and -_INT64 <= value < _INT64:
        return b"\x18" + varint(value & 0xFFFF_FFFF_FFFF_FFFF)
    if isinstance(value, float):
        return b"\x21" + _double(value)
    if isinstance(value, bytes):
        return b"".join((b"\x3a", *_measured(value)))
    if isinstance(value, Sequence):
        entries: list[bytes] = []
        for entry in cast("Sequence[object]", value):
            entries += (b"\x0a", *_measured(_value(entry)))
        return b"".join((b"\x2a", *_measured(b"".join(entries))))
    if isinstance(value, Mapping):
        pairs: list[bytes] = []
        named = {str(name): entry for name, entry in cast("Mapping[object, object]", value).items()}
        _add_attributes(pairs, b"\x0a", named)
        return b"".join((b"\x32", *_measured(b"".join(pairs))))
    return b"" if value is None else _value(str(value))


def _add_events(out: list[bytes], events: Sequence[Event], dropped: int) -> None:
    for event in events:
        parts = [_fixed64(0x09, event.timestamp)]
        _add_text(parts, 0x12, event.name)
        _add_attributes(parts, b"\x1a", dict(event.attributes or {}))
        if event.dropped_attributes:
            parts += (b"\x20", varint(event.dropped_attributes))
        out += (b"\x5a", *_measured(b"".join(parts)))
    if dropped:
        out += (b"\x60", varint(dropped))


def _add_links(out: list[bytes], links: Sequence[Link], dropped: int) -> None:
    for link in links:
        to = link.context
        parts = [b"\x0a\x10", to.trace_id.to_bytes(16, "big"), b"\x12\x08", to.span_id.to_bytes(8, "big")]
        _add_attributes(parts, b"\x22", dict(link.attributes or {}))
        if link.dropped_attributes:
            parts += (b"\x28", varint(link.dropped_attributes))
        parts += (b"\x35", (_REMOTE if to.is_remote else _HERE)[2:])
        out += (b"\x6a", *_measured(b"".join(parts)))
    if dropped:
        out += (b"\x70", varint(dropped))


def _add_status(out: list[bytes], status: Status) -> None:
    parts: list[bytes] = []
    if status.description:
        _add_text(parts, 0x12, status.description)
    if status.status_code.value:
        parts += (b"\x18", varint(status.status_code.value))
    out += (b"\x7a", *_measured(b"".join(parts)))


def _resource(resource: Resource) -> bytes:
    out: list[bytes] = []
    _add_attributes(out, b"\x0a", dict(resource.attributes))
    return b"".join(out)


def _scope(scope: InstrumentationScope | None) -> bytes:
    out: list[bytes] = []
    if scope is not None:
        _add_text(out, 0x0A, scope.name)
        _add_text(out, 0x12, scope.version or "")
        _add_attributes(out, b"\x1a", dict(scope.attributes or {}))
    return b"".join(out)


def _add_text(out: list[bytes], tag: int, text: str) -> None:
    """Add a text under a tag; an empty one is left out, as protobuf does."""
    if text:
        out += (_VARINTS[tag], *_measured(text.encode("utf-8", "replace")))


def _measured(data: bytes) -> tuple[bytes, bytes]:
    """The length, and the data."""
    return varint(len(data)), data
