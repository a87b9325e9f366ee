"""How large texts and spans are: in memory while they wait, and in bytes of OTLP when they are sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

SPAN_OVERHEAD_BYTES = 600
"""At least what a span takes beside its texts: ids, times, status, and the marks that are put on it last."""
ATTRIBUTE_OVERHEAD_BYTES = 24
"""At least what OTLP puts around the name and the value of one attribute: four tags with their lengths."""
_ENTRY_BYTES = 12
"""The same around one text of an array, or around a number."""
_EVENT_BYTES = 60
_LINK_BYTES = 120


def bound(text: str) -> int:
    """At least as many bytes as the text has in UTF-8, without encoding it, and as its letters take in memory.

    CPython keeps 1, 2 or 4 bytes a character; the widest of each kind takes 2, 3 and 4 in UTF-8.

    >>> bound("water"), bound("ä" * 100) < 400, bound("水" * 100)
    (5, True, 400)
    """
    return len(text) if text.isascii() else min(4 * len(text), 2 * getsizeof(text))


def utf8_size(text: str) -> int:
    """Bytes of the text in UTF-8.

    >>> utf8_size("水a")
    4
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def cut(text: str, most: int) -> str:
    """The longest beginning of the text that has at most so many bytes in UTF-8; never a part of a character.

    >>> cut("水水", 5), cut("水水", 6)
    ('水', '水水')
    """
    if len(text) * 4 <= most:
        return text
    if text.isascii():
        return text[: max(0, most)]
    data = text.encode("utf-8", "replace")
    return text if len(data) <= most else data[: max(0, most)].decode("utf-8", "ignore")


def _encoded_attribute(name: str, value: object) -> int:
    """At least the bytes of an attribute in OTLP, and little more."""
    return ATTRIBUTE_OVERHEAD_BYTES + utf8_size(name) + _encoded(value)


def encoded_attributes(attributes: Mapping[str, object]) -> int:
    """At least the bytes of these attributes in OTLP, and little more."""
    size = ATTRIBUTE_OVERHEAD_BYTES * len(attributes)
    for name, value in attributes.items():
        size += len(name) if name.isascii() else utf8_size(name)
        if type(value) is str:
            size += len(value) if value.isascii() else len(value.encode("utf-8", "replace"))
        else:
            size += _encoded(value)
    return size


def too_large(attributes: Mapping[str, object], most: int) -> list[str]:
    """The largest attributes without which the others have at most so many bytes; none when all do.

    >>> too_large({"a": "x" * 500, "b": "x" * 50}, 200)
    ['a']
    """
    sizes = {name: _encoded_attribute(name, value) for name, value in attributes.items()}
    total, found = sum(sizes.values()), list[str]()
    if total <= most:
        return found
    for name in sorted(sizes, key=lambda name: sizes[name], reverse=True):
        if total <= most:
            break
        total -= sizes[name]
        found.append(name)
    return found


def _encoded(value: object) -> int:
    if isinstance(value, int | float):
        return _ENTRY_BYTES
    if isinstance(value, str):
        return utf8_size(value)
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, Mapping):
        return encoded_attributes(cast("Mapping[str, object]", value))
    if isinstance(value, Sequence):
        return sum(_ENTRY_BYTES + _encoded(entry) for entry in cast("Sequence[object]", value))
    return _ENTRY_BYTES


def bound_of(attributes: Iterable[tuple[str, object]]) -> int:
    """At least the bytes of these attributes, without encoding their texts."""
    size = 0
    for name, value in attributes:
        size += ATTRIBUTE_OVERHEAD_BYTES + 4 * len(name)
        if type(value) is str:
            size += bound(value)
        elif isinstance(value, int | float):
            continue
        elif isinstance(value, Sequence) and not isinstance(value, bytes):
            for entry in cast("Sequence[object]", value):
                size += _ENTRY_BYTES + (bound(entry) if isinstance(entry, str) else _encoded(entry))
        else:
            size += _encoded(value)
    return size


def bound_beside(span: ReadableSpan) -> int:
    """At least the bytes that a span holds of what was set on it: its name, its attributes, events and links."""
    size = SPAN_OVERHEAD_BYTES + 4 * len(span.name) + 4 * len(span.status.description or "")
    if attributes := span.attributes:
        size += bound_of(dict(attributes).items())
    if entries_of(span):
        size += _bound_of_events(span)
    return size


def entries_of(span: ReadableSpan) -> bool:
    """Whether it has events or links; the SDK's own views copy both lists, under a lock, only to be found empty."""
    events, links = getattr(span, "_events", None), getattr(span, "_links", None)
    return bool(span.events or span.links if events is None or links is None else len(events) or len(links))


def _bound_of_events(span: ReadableSpan) -> int:
    size = 0
    for event in span.events:
        size += _EVENT_BYTES + 4 * len(event.name) + bound_of(dict(event.attributes or {}).items())
    for link in span.links:
        size += _LINK_BYTES + bound_of(dict(link.attributes or {}).items())
    return size
