"""Chat messages in the shapes that SDKs write them: GenAI parts, OpenAI content, LangChain constructors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from ragvigil.scorer.dialects.react import is_observation
from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.dialects.values import kind_of, mapping_of, sequence_of, structure_of, text_of

_ROLES = {
    **dict.fromkeys(("human", "humanmessage", "humanmessagechunk"), "user"),
    **dict.fromkeys(("ai", "model", "bot", "chatbot", "aimessage", "aimessagechunk"), "assistant"),
    "systemmessage": "system",
    "toolmessage": "tool",
}
"""Other names of the roles, in lower case."""
_PAIRED = frozenset({"user", "human", "assistant", "ai", "system", "tool"})
"""Roles with which a pair of texts is a message, as LangChain takes them."""
_LISTS = ("messages", "input_messages", "contents", "input")
_PARTS = ("parts", "content", "contents", "blocks", "message")
TOOL_ANSWERS = frozenset({"tool_call_response", "tool_result", "tool-result", "function_call_output"})
TOOL_ANSWER_KEYS = ("functionResponse", "function_response", "toolResult", "tool_call_result")
"""Types of a part that is what a tool answered, and keys under which Gemini, Bedrock and Haystack put one."""
_REPEATED = "assistantassistant"
"""How a role begins that was joined from the pieces of a stream."""


def messages_of(value: object) -> tuple[Message, ...]:
    """The messages in a list, an object that holds one, or JSON of these; a lone text is what the user said.

    >>> messages_of('[{"role": "user", "parts": [{"type": "text", "content": "why?"}]}]')
    (Message(role='user', text='why?'),)
    >>> messages_of({"messages": [[{"kwargs": {"type": "human", "content": "why?"}}]]})
    (Message(role='user', text='why?'),)
    >>> messages_of([["human", "why?"]])
    (Message(role='user', text='why?'),)
    >>> messages_of({"system": "Be brief.", "prompt": "why?"})
    (Message(role='system', text='Be brief.'), Message(role='user', text='why?'))
    >>> messages_of({"model": "m", "input": "why?"})
    (Message(role='user', text='why?'),)
    >>> messages_of({"contents": "why?", "config": {"system_instruction": "Be brief."}})
    (Message(role='system', text='Be brief.'), Message(role='user', text='why?'))
    """
    structure = structure_of(value)
    if isinstance(structure, dict):
        return _from_mapping(cast("Mapping[str, object]", structure))
    if isinstance(structure, list):
        return tuple(_from_list(cast("list[object]", structure)))
    text = text_of(value)
    return (Message("user", text),) if text else ()


def content_of(value: object, depth: int = 0) -> str | None:
    """The text of a message's content: a text, or its text parts joined by line breaks.

    >>> content_of([{"type": "text", "text": "one"}, {"type": "tool_call", "name": "find"}, {"text": "two"}])
    'one\\ntwo'
    """
    if isinstance(value, str):
        return text_of(value)
    if depth > 4:
        return None
    if isinstance(value, list):
        return "\n".join(_texts(cast("list[object]", value), depth + 1)) or None
    if not isinstance(value, dict):
        return None
    part = cast("Mapping[str, object]", value)
    if kind_of(part.get("type", "text")) not in ("text", "output_text", "input_text"):
        return None
    return content_of(part.get("text"), depth + 1) or content_of(part.get("content"), depth + 1)


def message_of(role: str, content: object) -> Message:
    """The message of somebody who said this content, with its parts apart where it has several texts.

    >>> message_of("user", [{"text": "Snow is white."}, {"text": "What is white?"}]).parts
    ('Snow is white.', 'What is white?')
    """
    texts = _listed(content)
    if len(texts) < 2:
        return Message(role, texts[0] if texts else content_of(content))
    return Message(role, "\n".join(texts), tuple(texts))


def _listed(content: object) -> list[str]:
    return _texts(cast("list[object]", content), 1) if isinstance(content, list) else []


def _texts(parts: list[object], depth: int) -> list[str]:
    return [text for part in parts if (text := content_of(part, depth))]


def last_of(messages: Iterable[Message], role: str) -> str | None:
    """The text of the last message of that role that has one; what a tool found is nobody's."""
    said = last_message(messages, role)
    return said.text if said is not None else None


def last_message(messages: Iterable[Message], role: str) -> Message | None:
    """The last message of that role that has a text; what a tool found is nobody's."""
    found: Message | None = None
    for message in messages:
        if message.role == role and _is_said(message):
            found = message
    return found


def replied(messages: Iterable[Message]) -> str | None:
    """What the model said last, in answer to what it was asked last: what it said before is of an earlier question.

    >>> replied([Message("user", "who?"), Message("assistant", "Bob."), Message("user", "why?")])
    >>> replied([Message("user", "why?"), Message("assistant", "Because."), Message("tool", "3")])
    'Because.'
    """
    said: str | None = None
    for message in messages:
        if message.role in ("user", "assistant") and _is_said(message):
            said = message.text if message.role == "assistant" else None
    return said


def _is_said(message: Message) -> bool:
    """Whether it has a text, and somebody said that: not a tool, as which frameworks send what one found."""
    text = message.text or ""
    return text != "" and not is_observation(text, message.parts)


def role_of(name: object) -> str:
    """Who speaks, under one name: SDKs have their own for users and models, and write them in either case.

    >>> role_of("HumanMessage"), role_of("USER"), role_of("model"), role_of(None)
    ('user', 'user', 'assistant', 'unknown')
    """
    named = kind_of(name)
    if named.startswith(_REPEATED):
        return "assistant"  # from servers that name the speaker with each piece of a stream
    return _ROLES.get(named, named) or "unknown"


def _from_mapping(fields: Mapping[str, object]) -> tuple[Message, ...]:
    system = content_of(fields.get("system")) or content_of(fields.get("instructions")) or _configured(fields)
    head = (Message("system", system),) if system else ()
    for key in _LISTS:
        if isinstance(fields.get(key), list):
            return head + tuple(_from_list(cast("list[object]", fields[key])))
    for key in ("prompt", "input", "contents"):  # OpenAI's older interface, its newest, and Gemini's
        if isinstance(fields.get(key), (str, list)) and "role" not in fields and "type" not in fields:
            return head + messages_of(fields[key])
    return head + tuple(_from_list([fields]))


def _configured(fields: Mapping[str, object]) -> str | None:
    """The instructions that Gemini's client was given beside the contents."""
    config = fields.get("config")
    if not isinstance(config, dict):
        return None
    told = cast("Mapping[str, object]", config).get("system_instruction")
    if not isinstance(told, dict):
        return content_of(told)
    instructions = cast("Mapping[str, object]", told)
    return content_of(instructions.get("parts", instructions))


def _from_list(items: list[object]) -> Iterable[Message]:
    for item in items:
        if (pair := _pair(item)) is not None:
            yield pair
        elif isinstance(item, list):  # LangChain sends a list of conversations, nearly always of one
            yield from _from_list(cast("list[object]", item))
        elif isinstance(item, dict):
            fields = cast("Mapping[str, object]", item)
            nested = fields.get("kwargs") or fields.get("data")
            yield _message(
                fields, cast("Mapping[str, object]", nested) if isinstance(nested, dict) else fields
            )


def _pair(item: object) -> Message | None:
    pair = cast("list[object]", item) if isinstance(item, list) else []
    if len(pair) != 2 or not isinstance(pair[0], str) or pair[0] not in _PAIRED:
        return None
    return message_of(role_of(pair[0]), pair[1])


def _message(outer: Mapping[str, object], fields: Mapping[str, object]) -> Message:
    named = fields.get("role") or fields.get("type") or outer.get("type")
    role = role_of(named)
    said = (message_of(role, fields[key]) for key in _PARTS if key in fields)
    found = next((message for message in said if message.text), None)
    return found or Message("tool" if role == "user" and _is_of_tool(fields) else role, None)


def _is_of_tool(fields: Mapping[str, object]) -> bool:
    """Whether a message without a text is what a tool answered, which Anthropic, Bedrock and Gemini send as the user's.

    >>> messages_of([{"role": "user", "parts": [{"type": "tool_call_response", "response": {"hits": []}}]}])
    (Message(role='tool', text=None),)
    >>> messages_of([{"role": "user", "parts": [{"type": "image"}]}])
    (Message(role='user', text=None),)
    """
    parts = [mapping_of(part) for key in _PARTS for part in sequence_of(fields.get(key))]
    return any(
        kind_of(part.get("type")) in TOOL_ANSWERS or not part.keys().isdisjoint(TOOL_ANSWER_KEYS)
        for part in parts
    )
