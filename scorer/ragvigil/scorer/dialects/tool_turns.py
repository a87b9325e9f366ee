"""Questions, tool calls and what tools answered, out of a conversation in whatever shape an SDK writes it.

GenAI parts, OpenAI (chat, functions, responses), Anthropic, Bedrock, Gemini, the AI SDK, LangChain, Haystack.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, cast

from ragvigil.scorer.dialects.messages import TOOL_ANSWER_KEYS, TOOL_ANSWERS, content_of, role_of
from ragvigil.scorer.dialects.values import id_of, mapping_of, sequence_of, structure_of, text_of

_LISTS = ("messages", "input_messages", "contents", "input", "prompt")
_PARTS = ("parts", "content", "contents", "blocks")
_ANSWERING = frozenset({"tool", "function", "functionmessage"})
_CALLS = frozenset({"tool_call", "tool_use", "tool-call", "function_call"})
_CALL_KEYS = ("functionCall", "function_call", "toolUse", "tool_call")
"""Keys under which Gemini, Bedrock and Haystack put a call."""
ANSWER_MARKS = frozenset(
    {"tool", "function", "tool_call_id", *TOOL_ANSWERS, *TOOL_ANSWER_KEYS, *_CALLS, *_CALL_KEYS}
)
"""Of these words each conversation has one in which a tool was called or answered, whoever wrote it."""
_IDS = ("tool_call_id", "tool_use_id", "toolUseId", "toolCallId", "call_id", "id")
_NAMES = ("name", "toolName", "tool_name")
_RESULTS = ("artifact", "response", "result", "output", "content")
"""The conventions' model says `response`, their examples `result`; LangChain keeps what it found beside the words."""
_TOLD = (*_RESULTS, "parts")
"""LiteLLM's messages of tools have their words in parts, as those of anybody else."""
_BLOCK = frozenset({"type", "text", "content", "citations", "cache_control"})
"""All that a part with nothing but text has."""
_ONLY_BLOCK = _BLOCK | {"id", "created_at", "finished_at"}
"""And what AgentScope's have, who writes them as JSON, with an id that is no document's."""
_DEEPEST = 4


class Turn(NamedTuple):
    """One thing that happened in a conversation."""

    kind: Literal["asked", "called", "answered"]
    call: str | None = None
    """Id that a call and its answer share."""
    name: str | None = None
    """Of the tool."""
    result: object = None
    """What the tool answered."""


def words_of(turn: Turn) -> str:
    """What a tool answered, as one text.

    >>> words_of(Turn("answered", result=[{"text": "Snow."}])), words_of(Turn("answered", result="Snow."))
    ('[{"text": "Snow."}]', 'Snow.')
    """
    return turn.result if isinstance(turn.result, str) else json.dumps(turn.result, ensure_ascii=False)


def turns_of(messages: object) -> Iterator[Turn]:
    """What users asked, models called and tools answered, in order.

    >>> calls = [{"id": "c", "function": {"name": "find"}}]
    >>> told = {"role": "tool", "tool_call_id": "c", "content": "Snow."}
    >>> for turn in turns_of([{"role": "user", "content": "why?"}, {"role": "assistant", "tool_calls": calls}, told]):
    ...     print(turn.kind, turn.name, turn.result)
    asked None None
    called find None
    answered None Snow.
    """
    for outer in _messages(structure_of(messages), _DEEPEST):
        inner = next((each for key in ("kwargs", "data") if (each := mapping_of(outer.get(key)))), outer)
        yield from _turns(inner, role_of(_role(inner) or _role(outer)))


def _messages(value: object, levels: int) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list) and levels:
        for item in cast("list[object]", value):
            yield from _messages(item, levels - 1)
    elif isinstance(value, dict):
        fields = cast("Mapping[str, object]", value)
        held = next((fields[key] for key in _LISTS if isinstance(fields.get(key), list)), None)
        if held is not None and "role" not in fields:
            yield from _messages(held, levels - 1)
        else:
            yield fields


def _role(fields: Mapping[str, object]) -> object:
    return text_of(fields.get("role")) or text_of(fields.get("type"))


def _turns(fields: Mapping[str, object], role: str) -> Iterator[Turn]:
    parts = list(_parts(fields))
    answers = [*_answers(parts), *_answers([fields])]
    if not answers and (role in _ANSWERING or fields.get("tool_call_id") is not None):
        answers = [Turn("answered", _first(fields, _IDS), _first(fields, _NAMES), _result(fields))]
    if not answers and role == "user" and any(content_of(fields[key]) for key in _PARTS if key in fields):
        yield Turn("asked")
    yield from _called(fields, parts)
    yield from answers


def _parts(fields: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for key in _PARTS:
        yield from (part for each in sequence_of(fields.get(key)) if (part := mapping_of(each)))


def _called(fields: Mapping[str, object], parts: Iterable[Mapping[str, object]]) -> Iterator[Turn]:
    listed = [mapping_of(call) for call in sequence_of(fields.get("tool_calls"))]
    calls = [
        mapping_of(call.get("tool_call")) or call for call in listed
    ]  # OpenInference names each of them so
    calls += _of_kind(parts, _CALLS, _CALL_KEYS)
    for call in (*calls, *_of_kind([fields], _CALLS, _CALL_KEYS)):
        name = _first(call, _NAMES) or _first(mapping_of(call.get("function")), _NAMES)
        yield Turn("called", _first(call, _IDS) or name, name)


def _answers(parts: Iterable[Mapping[str, object]]) -> Iterator[Turn]:
    for part in _of_kind(parts, TOOL_ANSWERS, TOOL_ANSWER_KEYS):
        origin = mapping_of(part.get("origin"))
        name = _first(part, _NAMES) or _first(origin, _NAMES)
        yield Turn("answered", _first(part, _IDS) or _first(origin, _IDS) or name, name, _result(part))


def _of_kind(
    parts: Iterable[Mapping[str, object]], kinds: frozenset[str], keys: Iterable[str]
) -> Iterator[Mapping[str, object]]:
    for part in parts:
        kind = part.get("type")
        if isinstance(kind, str) and kind in kinds:
            yield part
        else:
            yield from (inner for key in keys if (inner := mapping_of(part.get(key))))


def _result(part: Mapping[str, object]) -> object:
    """What the tool answered, out of what providers put around it and of text parts."""
    held: object = _unwrapped(next((part[key] for key in _TOLD if part.get(key) is not None), None))
    items = sequence_of(held)
    blocks = [fields for item in items if (fields := mapping_of(item))]
    if len(blocks) == 1 and (told := blocks[0].get("json")) is not None:  # Bedrock's
        return told
    if len(blocks) == 1 and blocks[0].get("type") == "text" and blocks[0].keys() <= _ONLY_BLOCK:
        return content_of(items)
    only = [block.keys() <= _BLOCK for block in blocks]
    return content_of(items) if only and all(only) and isinstance(held, list) else held


def _unwrapped(held: object) -> object:
    """The AI SDK types what a tool put out; with Gemini it is an object of one field."""
    if not isinstance(held, dict):
        return held
    fields = cast("Mapping[str, object]", held)
    if "value" in fields and "type" in fields:
        return fields["value"]
    return next((fields[key] for key in ("output", "result") if [*fields] == [key]), fields)


def _first(fields: Mapping[str, object], keys: Iterable[str]) -> str | None:
    return next((found for key in keys if (found := id_of(fields.get(key)))), None)
