"""Answers in what models and functions returned: from the known shapes of replies, anything else as it stands.

An answer that merely looks like JSON (a service that answers in JSON, a text "42") is never taken apart.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import cast

from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.messages import content_of, last_of, messages_of, replied
from ragvigil.scorer.dialects.streams import is_chunk, is_unread_stream, streamed
from ragvigil.scorer.dialects.values import (
    ANSWER_KEYS,
    answer_in,
    mapping_of,
    sequence_of,
    structure_of,
    text_of,
)

_LISTS = ("generations", "choices", "candidates", "replies")
"""Keys under which providers and frameworks keep replies, of which the first counts."""
_SHELLS = frozenset({*_LISTS, "messages", "tool_calls", "function_call", "kwargs", "parts"})
"""Keys of which a reply is made: with one of them and no text, a model called tools or said nothing."""
_MARKS = frozenset(
    ("role", "type", "model", "usage", "done", "stop", "stop_reason", "finish_reason", "prompt_token_count")
)
"""Keys of which one stands in a provider's reply, beside the text."""
_SPEAKERS = frozenset(
    {"assistant", "ai", "model", "user", "human", "system", "tool", "function", "developer"}
)
_CREW = frozenset({"raw", "pydantic", "json_dict"})
"""Keys of what CrewAI's crews and tasks return; the answer stands under the first."""
_ASKING = ("user", "system")
_PARTS = frozenset(
    {"text", "output_text", "tool_use", "tool_call", "function_call", "thinking", "reasoning", "message"}
)
"""Types of a message's parts."""
_DEEPEST = 4


def completion_of(value: object) -> str | None:
    """The answer in a provider's reply: messages, LangChain's generations, OpenAI's choices, Haystack's replies.

    >>> completion_of('{"choices": [{"message": {"role": "assistant", "content": "Because."}}]}')
    'Because.'
    >>> completion_of("42"), completion_of('{"tool_calls": [{"id": "x"}]}'), completion_of('["a", "b"]')
    ('42', None, '["a", "b"]')
    >>> completion_of('{"name": "Bob", "age": 3}'), completion_of('[{"id": "a", "text": "Snow."}]')
    ('{"name": "Bob", "age": 3}', '[{"id": "a", "text": "Snow."}]')
    >>> completion_of([{"message": {"role": "assistant", "content": "Because."}, "finish_reason": "stop"}])
    'Because.'
    >>> said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Because."}]}
    >>> completion_of([{"object": "response", "output": [said]}])
    'Because.'
    >>> completion_of([{"message": {"role": "assistant", "tool_calls": [{}]}, "finish_reason": "tool_calls"}])
    """
    structure = structure_of(value)
    if structure is None:
        return text_of(value)
    told = _told(structure)
    return told if told or _is_reply(structure) else as_it_stands(value)


def returned_in(value: object, asked: str | None, *, decoded: object = None) -> str | None:
    """The answer in what a function returned that was asked a question; `decoded` is its structure, if known.

    Objects of unknown shape are the answer as they stand; not those that hold passages or repeat the question,
    which are the state of a chain, and not where nothing was asked.

    >>> returned_in('{"answer": "Because.", "sources": []}', "why?"), returned_in('{"yes": 1}', "why?")
    ('Because.', '{"yes": 1}')
    >>> returned_in('{"context": "Snow.", "input": "why?"}', "why?"), returned_in('{"yes": 1}', None)
    (None, None)
    """
    structure = structure_of(value) if decoded is None else decoded
    if structure is None:
        return text_of(value)
    told = answer_in(structure) or _told(structure)
    if told or asked is None or _is_reply(structure) or _is_state(structure, asked):
        return told
    return as_it_stands(value)


def is_data(structure: object) -> bool:
    """Whether decoded JSON may be what a model wrote: nothing in it says that it is a provider's or framework's reply.

    >>> is_data({"answer": "Because.", "sources": ["a"]}), is_data([]), is_data(None)
    (True, True, False)
    >>> is_data({"role": "assistant", "content": "Because."}), is_data({"response": "Because.", "done": True})
    (False, False)
    """
    if structure in ([], {}):
        return True
    fields = mapping_of(structure)
    named = any(isinstance(fields.get(key), str) for key in ANSWER_KEYS)
    return named and _MARKS.isdisjoint(fields) and not _is_reply(fields)


def _told(structure: object) -> str | None:
    fields = mapping_of(structure)
    for key in _LISTS:
        item = next(iter(sequence_of(fields.get(key))), None)
        if isinstance(item, list):
            item = next(iter(cast("list[object]", item)), None)
        if item is not None:
            return _reply(item)
    if fields.keys() >= _CREW and (raw := text_of(fields["raw"])):
        return raw
    if fields:
        held = [
            *_list(fields.get("messages")),
            *_list(fields.get("output")),
            *([fields["message"]] if isinstance(fields.get("message"), dict) else []),
        ]
        said = replied(messages_of(held))
        return said or replied(messages_of(fields)) or answer_in(fields)
    items = sequence_of(structure)
    if all(isinstance(item, str) for item in items):
        return None
    if len(items) == 1 and mapping_of(items[0]).get("object") == "response":
        return _told(items[0])  # all that is left of a stream of OpenAI's agents
    if items and _is_choice(mapping_of(items[0])):
        return _reply(items[0])
    messages = messages_of(items)
    if any(map(is_chunk, items)) and all(message.role not in _ASKING for message in messages):
        return streamed(items)  # never its last chunk, where one of them has no known shape
    said = streamed(items) or replied(messages)
    return said or (content_of(items) if _are_parts(items) else None)


def _reply(item: object) -> str | None:
    if isinstance(item, str):
        return text_of(item)
    fields = mapping_of(item)
    inner = fields.get("message") or fields.get("content")
    return (
        last_of(messages_of([inner]), "assistant")
        or last_of(messages_of([fields]), "assistant")
        or answer_in(fields)
    )


def _is_choice(fields: Mapping[str, object]) -> bool:
    """Whether this is one of OpenAI's choices, of which Braintrust tells the list without what is around it."""
    return "finish_reason" in fields and isinstance(fields.get("message"), dict)


def _is_reply(structure: object, levels: int = _DEEPEST) -> bool:
    """Whether the structure has the shape of a reply, which then says nothing; an empty one is as silent."""
    if isinstance(structure, list):
        items = cast("list[object]", structure)
        silent = not items or not levels or is_unread_stream(items)
        return silent or any(_is_reply(item, levels) for item in _objects(items))
    fields = mapping_of(structure)
    if (
        not fields
        or not levels
        or is_chunk(fields)
        or _is_choice(fields)
        or text_of(fields.get("type")) in _PARTS
    ):
        return True
    if (
        any(isinstance(fields.get(key), (list, dict)) for key in _SHELLS)
        or text_of(fields.get("role")) in _SPEAKERS
    ):
        return True
    return any(key in fields and _is_silent(fields[key], levels) for key in ANSWER_KEYS)


def _is_silent(value: object, levels: int) -> bool:
    if isinstance(value, (list, dict)):
        return _is_reply(cast("object", value), levels - 1)
    return value is None or (isinstance(value, str) and text_of(value) is None)


def _are_parts(items: list[object]) -> bool:
    return bool(items) and all(text_of(mapping_of(item).get("type")) in _PARTS for item in items)


def _is_state(structure: object, asked: str) -> bool:
    values = list(mapping_of(structure).values()) or sequence_of(structure)
    texts = (text for value in values for text in (value, *_list(value)))
    if any(isinstance(text, str) and asked in text for text in texts):
        return True
    return any(_holds_passages(value) for value in (structure, *values))


def _holds_passages(value: object) -> bool:
    return any(document.text for document in documents_of(_objects(_list(value))) or ())


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _objects(items: list[object]) -> list[object]:
    return [cast("object", item) for item in items if isinstance(item, dict)]


def as_it_stands(value: object) -> str | None:
    """The text itself, else as JSON; None where a placeholder stands in the place of content.

    >>> as_it_stands("42"), as_it_stands([{"id": "a"}]), as_it_stands({"text": "__REDACTED__"})
    ('42', '[{"id": "a"}]', None)
    """
    fields: Mapping[str, object] = mapping_of(value)
    if any(isinstance(each, str) and each.strip() and not text_of(each) for each in fields.values()):
        return None
    return text_of(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
