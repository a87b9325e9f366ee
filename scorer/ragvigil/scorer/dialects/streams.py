"""A stream's chunks as the one text that they are: tracers without a reducer keep them as a list."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import cast

from ragvigil.scorer.dialects.values import mapping_of, sequence_of, text_of

_SILENT = (
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_stop",
    "ping",
)
"""Kinds of Anthropic's stream events that carry no text of the answer."""
_PRINTED = re.compile(r"(?:\w+\.)*\w*(?:Chunk|Delta|Event)\w*\(|content=['\"]|<[\w.]+ object at 0x")
"""How Python prints chunks that nobody made into JSON."""


def streamed(value: object) -> str | None:
    """The text of a list of chunks, of texts or objects; None for anything else, and where one has no known shape.

    >>> streamed('["At ", "nine."]'), streamed("[]"), streamed('["At", 9]')
    ('At nine.', None, None)
    >>> streamed([{"choices": [{"delta": {"content": "At "}}]}, {"choices": [{"delta": {"content": "nine."}}]}])
    'At nine.'
    """
    chunks = sequence_of(value)
    if _are_texts(chunks):
        printed = all(_PRINTED.match(chunk) for chunk in cast("list[str]", chunks))
        return None if printed else text_of("".join(cast("list[str]", chunks)))
    pieces = [_piece(chunk) for chunk in chunks]
    known = [piece for piece in pieces if piece is not None]
    return text_of("".join(known)) if len(known) == len(pieces) else None


def recut(chunks: list[object], cut: Callable[[str], str]) -> list[object]:
    """The chunks of a stream, in one chunk where `cut` finds something in their text; any other list as it is.

    >>> recut(["to ana@exam", "ple.org"], lambda text: text.replace("ana@example.org", "<EMAIL>"))
    ['to <EMAIL>']
    """
    text = streamed(chunks) if len(chunks) > 1 else None
    found = text if text is None else cut(text)
    if found is None or found == text:
        return chunks
    if _are_texts(chunks):
        return [found]
    beside = [chunk for chunk in chunks if not _piece(chunk)]
    return [{"object": "chat.completion.chunk", "choices": [{"delta": {"content": found}}]}, *beside]


def is_unread_stream(value: object) -> bool:
    """Whether the value is a list of chunks of which some have no shape that is known.

    >>> is_unread_stream([{"type": "AcmeChunk", "payload": "At"}]), is_unread_stream(["At ", "nine."])
    (True, False)
    """
    chunks = sequence_of(value)
    if chunks and _are_texts(chunks):
        return all(_PRINTED.match(chunk) for chunk in cast("list[str]", chunks))
    return any(map(is_chunk, chunks)) and any(_piece(chunk) is None for chunk in chunks)


def is_chunk(item: object) -> bool:
    """Whether the object says that it is a part of a stream."""
    fields: Mapping[str, object] = mapping_of(cast("object", item)) if isinstance(item, dict) else {}
    kinds = (fields.get("object"), fields.get("type"), mapping_of(fields.get("kwargs")).get("type"))
    told = any(isinstance(kind, str) and kind.lower().endswith("chunk") for kind in kinds)
    return told or "delta" in fields or "delta" in _choice(fields)


def _are_texts(chunks: list[object]) -> bool:
    return all(isinstance(chunk, str) for chunk in chunks)


def _piece(chunk: object) -> str | None:
    """What the chunk adds, which may be nothing; None where that is not known."""
    if not isinstance(chunk, dict):
        return None
    outer = cast("Mapping[str, object]", chunk)
    fields = mapping_of(outer.get("kwargs")) or outer
    kind = str(fields.get("type") or "")
    if isinstance(fields.get("choices"), list):
        choice = _choice(fields)
        known = not choice or "delta" in choice
        return _text(mapping_of(choice.get("delta")).get("content")) if known else None
    delta = fields.get("delta")
    if isinstance(delta, str):
        return delta if kind.endswith("text.delta") else ""
    if isinstance(delta, dict):
        inner = mapping_of(cast("object", delta))
        return _text(inner.get("text") or inner.get("content"))
    if kind.endswith("Chunk") and ("content" in fields or "text" in fields):
        return _text(fields.get("content") or fields.get("text"))
    return "" if kind in _SILENT or kind.startswith("response.") else None


def _choice(fields: Mapping[str, object]) -> Mapping[str, object]:
    return mapping_of(next(iter(sequence_of(fields.get("choices"))), None))


def _text(content: object) -> str:
    """A chunk may be a single space, so no text is taken for an empty one."""
    if isinstance(content, str):
        return content
    parts = (mapping_of(part).get("text") for part in sequence_of(content))
    return "".join(part for part in parts if isinstance(part, str))
