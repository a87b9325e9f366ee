"""Passages in what tools answered, where nothing but the conversation with the model tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragvigil.scorer.dialects.documents import ranked
from ragvigil.scorer.dialects.messages import content_of
from ragvigil.scorer.dialects.tools import is_search, tool_reading
from ragvigil.scorer.dialects.values import id_of, mapping_of, sequence_of, structure_of, text_of
from ragvigil.scorer.trace import Document

_RESPONSE = "tool_call_response"
_RESULTS = ("response", "result")
"""The conventions' model says the one, their examples the other."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What tools answered for the last question of a conversation."""

    documents: tuple[Document, ...] | None = None
    """The passages; None where there are none."""
    unread: bool = False
    """Whether a tool that is called a search answered something else than passages."""


_NOTHING = Answered()


def passages_answered(messages: object) -> Answered:
    """What tools found for the last question of a conversation in GenAI parts.

    >>> found = {"type": "tool_call_response", "id": "c", "response": [{"id": "a", "text": "Snow."}]}
    >>> [each.text for each in passages_answered([{"role": "tool", "parts": [found]}]).documents or ()]
    ['Snow.']
    >>> passages_answered([{"role": "user", "parts": [{"type": "text", "content": "why?"}]}])
    Answered(documents=None, unread=False)
    """
    if isinstance(messages, str) and _RESPONSE not in messages:
        return _NOTHING  # as nearly always: nothing is decoded for it
    calls: dict[str | None, Mapping[str, object]] = {}
    found: list[Document] = []
    unread = False
    for message in map(mapping_of, sequence_of(messages)):
        parts = [*map(mapping_of, sequence_of(message.get("parts")))]
        if message.get("role") == "user" and content_of(list(parts)):
            found, unread = [], False  # what was found for a question before
        calls |= {id_of(part.get("id")): part for part in parts if part.get("type") == "tool_call"}
        for part in parts:
            if part.get("type") == _RESPONSE:
                call = calls.get(id_of(part.get("id")), {})
                passages = _found(part)
                found += passages or ()
                unread = unread or (passages is None and is_search(_name(part, call)))
    return Answered(ranked(found) or None, unread) if found or unread else _NOTHING


def _name(part: Mapping[str, object], call: Mapping[str, object]) -> str:
    return text_of(call.get("name")) or text_of(part.get("name")) or ""


def _found(part: Mapping[str, object]) -> tuple[Document, ...] | None:
    """The passages, by their shape alone: words under the name of a search may say that it failed."""
    result = next((part[key] for key in _RESULTS if part.get(key) is not None), None)
    if structure_of(result) == []:
        return ()
    return tool_reading("", None, result).documents
