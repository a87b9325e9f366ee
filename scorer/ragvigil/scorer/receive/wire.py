"""OTLP protobuf cut at its own seams: which bytes are a span, which describe its resource and scope.

Traces and logs nest alike: request {1: resource {2: scope {2: item}}}. Cutting instead of parsing keeps every
byte of a span as it came, costs no memory, and lets one bad span be told from its neighbours.
Wire format: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ragvigil.scorer.receive.refusal import Refusal

ENTRY = 1
"""Field of a request, and of TracesData, that holds one resource with its scopes."""
SCOPE = 2
"""Field of ResourceSpans and ResourceLogs that holds one scope with its items."""
ITEM = 2
"""Field of ScopeSpans and ScopeLogs that holds one span or log record."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {_FIXED64: 8, _FIXED32: 4}
_MAX_VARINT_BITS = 70

_KEY = 1
"""Field of KeyValue that holds the key."""
_MAX_ATTRIBUTES = 100_000
_SHOWN_BYTES = 100


@dataclass(slots=True)
class Batch:
    """Items of one scope of one resource. Everything but the items is kept as bytes."""

    resource: bytes
    """ResourceSpans or ResourceLogs without its scopes."""
    scope: bytes
    """ScopeSpans or ScopeLogs without its items."""
    items: list[bytes] = field(default_factory=list[bytes])
    """Spans or log records, each framed as a field `ITEM`."""
    unreadable: list[str] = field(default_factory=list[str])
    """One message for each item that could not be made out at all."""


class TooManyParts(Refusal):
    """A body with more fields than it may have, whatever they are."""


class Walk:
    """Cuts messages out of `body`; refuses a body with more than `max_parts` fields on the way."""

    def __init__(self, body: bytes, *, max_parts: int) -> None:
        self._body = body
        self._max_parts = max_parts
        self._left = max_parts

    def parts(self, start: int, end: int, number: int) -> tuple[list[tuple[int, int, int]], bytes]:
        """(begin, start, end) of each sub-message in field `number`, and all other fields as bytes.

        `begin` is where the tag stands, [start, end) the content. Raises Refusal when it is not a message.
        """
        body, at, wanted = self._body, start, number << 3 | _BYTES
        subs: list[tuple[int, int, int]] = []
        others: list[bytes] = []
        while at < end:
            self._left -= 1
            if self._left < 0:
                raise TooManyParts.malformed(
                    f"more than {self._max_parts} parts in one request; lower the exporter's batch size"
                )
            begin = at
            tag, at = (body[at], at + 1) if body[at] < 128 else self._varint(at, end)
            content, at = self._content(tag & 7, at, end)
            if at > end:
                raise Refusal.malformed(f"not protobuf, or cut short: a field at byte {begin} has no end")
            if tag == wanted:
                subs.append((begin, content, at))
            else:
                others.append(body[begin:at])
        return subs, b"".join(others)

    def _content(self, kind: int, at: int, end: int) -> tuple[int, int]:
        """Begin and end of the content of a field of wire type `kind`."""
        if kind == _BYTES:
            size, at = self._varint(at, end)
            return at, at + size
        if kind == _VARINT:
            return at, self._varint(at, end)[1]
        if kind in _FIXED:
            return at, at + _FIXED[kind]
        raise Refusal.malformed(f"not protobuf: wire type {kind} at byte {at}")

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        body, value, shift = self._body, 0, 0
        while at < end and shift < _MAX_VARINT_BITS:
            byte = body[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value, at
            shift += 7
        raise Refusal.malformed(f"not protobuf, or cut short: a number at byte {at} has no end")


def batches(body: bytes, *, max_parts: int) -> Iterator[Batch]:
    """The request in `body` as batches, in its order. Raises Refusal when the body is not protobuf."""
    walk = Walk(body, max_parts=max_parts)
    entries, _ = walk.parts(0, len(body), ENTRY)
    for _, entry, entry_end in entries:
        scopes, resource = walk.parts(entry, entry_end, SCOPE)
        for _, scope, scope_end in scopes:
            items, description = walk.parts(scope, scope_end, ITEM)
            yield Batch(resource, description, [body[begin:end] for begin, _, end in items])


def largest_attribute(item: bytes, attributes: int) -> tuple[str, int] | None:
    """Key and size of the largest attribute of a framed item; None when that cannot be made out."""
    walk = Walk(item, max_parts=_MAX_ATTRIBUTES)
    try:
        ((_, start, end),), _ = walk.parts(0, len(item), ITEM)
        found, _ = walk.parts(start, end, attributes)
        _, start, end = max(found, key=lambda part: part[2] - part[1])
        ((_, key, key_end),), _ = walk.parts(start, end, _KEY)
    except (Refusal, ValueError):
        return None
    return item[key:key_end][:_SHOWN_BYTES].decode(errors="replace"), end - start


def framed(number: int, content: bytes) -> bytes:
    """`content` as a sub-message in field `number` (below 16).

    >>> framed(1, b"abc")
    b'\\n\\x03abc'
    """
    return bytes((number << 3 | _BYTES,)) + _encoded(len(content)) + content


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
