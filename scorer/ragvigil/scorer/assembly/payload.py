"""What assembly must know of an encoded TracesData: its top, its service, how many spans; and how to cut it."""

from __future__ import annotations

from collections.abc import Callable, MutableSequence, Sized
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

from google.protobuf.message import DecodeError
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span, TracesData

from ragvigil.scorer.span import HAS_IS_REMOTE, IS_REMOTE

_Part = TypeVar("_Part")
_REMOTE = HAS_IS_REMOTE | IS_REMOTE


class Top(IntEnum):
    """The highest span that is here."""

    NONE = 0
    LOCAL = 1
    """Its parent is in another process, which may send its spans elsewhere."""
    ROOT = 2
    """It has no parent."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one payload holds."""

    top: Top = Top.NONE
    service: str | None = None
    spans: int = 0


def look(payload: bytes) -> Seen:
    """Top, service and number of spans; bytes that are no spans have none of them."""
    try:
        message = TracesData.FromString(payload)
    except DecodeError:
        return Seen()
    top, count = Top.NONE, 0
    for resource_spans in message.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            count += len(scope_spans.spans)
            for span in reversed(scope_spans.spans):  # roots end last, and mostly come last
                if top is Top.ROOT:
                    break
                top = max(top, _top(span))
    services = (_service(resource_spans) for resource_spans in message.resource_spans)
    return Seen(top, next((service for service in services if service), None), count)


def trimmed(payload: bytes, *, spans: int, size: int) -> tuple[bytes, int]:
    """The payload cut after so many spans or bytes, and how many spans are left; empty when none is."""
    message, kept = TracesData.FromString(payload), 0
    for resource_spans in message.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            room = 0
            for span in scope_spans.spans:
                size -= span.ByteSize()
                if kept + room >= spans or size < 0:
                    break
                room += 1
            else:
                kept += room
                continue
            del scope_spans.spans[room:]
            kept += room
            spans = kept
    return (message.SerializeToString(), kept) if kept else (b"", 0)


def without_repeats(payload: bytes, seen: set[bytes] | None = None) -> bytes:
    """The payload with every span once that is there several times, byte for byte: sent again, or sent by two ways.

    What is in `seen` is left out, too, and what stays is added to it. Of spans that share an id and differ both stay:
    who reads them takes the one that says most.
    """
    message, seen = TracesData.FromString(payload), set[bytes]() if seen is None else seen
    for resource_spans in message.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for place in reversed(range(len(scope_spans.spans))):
                encoded = scope_spans.spans[place].SerializeToString(deterministic=True)
                if encoded in seen:
                    del scope_spans.spans[place]
                seen.add(encoded)
        _drop_empty(resource_spans.scope_spans, lambda scope_spans: scope_spans.spans)
    _drop_empty(message.resource_spans, lambda resource_spans: resource_spans.scope_spans)
    return message.SerializeToString()


def _drop_empty(parts: MutableSequence[_Part], content: Callable[[_Part], Sized]) -> None:
    for place in reversed(range(len(parts))):
        if not len(content(parts[place])):
            del parts[place]


def _top(span: Span) -> Top:
    if not span.parent_span_id:
        return Top.ROOT
    return Top.LOCAL if span.flags & _REMOTE == _REMOTE else Top.NONE


def _service(resource_spans: ResourceSpans) -> str | None:
    for pair in resource_spans.resource.attributes:
        if pair.key == "service.name":
            return pair.value.string_value
    return None
