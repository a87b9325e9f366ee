"""Prompt and completion of a model call, wherever one of the four generations of GenAI conventions put them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragvigil.scorer.dialects.flattened import indexed, unflattened
from ragvigil.scorer.dialects.messages import content_of, last_of, message_of, messages_of, role_of
from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.dialects.replies import completion_of
from ragvigil.scorer.dialects.values import mapping_of, names_context, sequence_of, structure_of, text_of
from ragvigil.scorer.span import SpanEvent

_VARIABLE = "gen_ai.prompt.variable."
_SAID = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}

_FIELDS = frozenset(("role", "content", "message", "tool_calls", "index", "finish_reason", "id", "name"))
_SPEAKERS = frozenset(("system", "developer", "user", "assistant", "tool"))
"""Who says what in a message that is JSON."""
_BLOCK = frozenset(
    (
        *("text", "image", "document", "video", "audio", "toolUse", "toolResult", "json"),
        *("cachePoint", "reasoningContent", "citationsContent", "guardContent", "searchResult"),
    )
)
"""Each of Bedrock's blocks has one of these keys, and no other."""


def prompt_in(attributes: Mapping[str, object], events: Sequence[SpanEvent]) -> tuple[Message, ...]:
    """What the model was sent; the newest generation that carries anything wins.

    >>> prompt_in({"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "why?"}, ())
    (Message(role='user', text='why?'),)
    """
    if "gen_ai.input.messages" in attributes or "gen_ai.system_instructions" in attributes:
        told = attributes.get("gen_ai.system_instructions")
        system = content_of(structure_of(told) or told)
        head = (Message("system", system),) if system else ()
        return head + messages_of(attributes.get("gen_ai.input.messages"))
    said = tuple(_said(event, _SAID[event.name]) for event in events if event.name in _SAID)
    older = [
        event.attributes.get("gen_ai.prompt") for event in events if event.name == "gen_ai.content.prompt"
    ]
    if said or older:
        return said or messages_of(older[-1])
    numbered = indexed(attributes, "gen_ai.prompt.")
    if numbered:
        return tuple(_numbered(numbered, "user"))
    return messages_of(attributes.get("gen_ai.prompt"))


def conversation_in(attributes: Mapping[str, object], events: Sequence[SpanEvent]) -> object:
    """The conversation as it was sent, of the generation that `prompt_in` reads, for whoever looks for more than texts.

    >>> sent = {"gen_ai.prompt.0.role": "tool", "gen_ai.prompt.0.content": "Snow."}
    >>> conversation_in(sent, ())
    [{'role': 'tool', 'content': 'Snow.'}]
    """
    if "gen_ai.input.messages" in attributes or "gen_ai.system_instructions" in attributes:
        return attributes.get("gen_ai.input.messages")
    said = [{"role": _SAID[event.name], **told_in(event)} for event in events if event.name in _SAID]
    older = [
        event.attributes.get("gen_ai.prompt") for event in events if event.name == "gen_ai.content.prompt"
    ]
    if said or older:
        return said or older[-1]
    return unflattened(attributes, "gen_ai.prompt.") or attributes.get("gen_ai.prompt")


def context_given(attributes: Mapping[str, object]) -> str | None:
    """What the template of the prompt was given as its context; None where nothing says so.

    >>> context_given({"gen_ai.prompt.variable.question": "why?", "gen_ai.prompt.variable.context_str": "Snow."})
    'Snow.'
    """
    for key, value in attributes.items():
        if key.startswith(_VARIABLE) and names_context(key[len(_VARIABLE) :]):
            return text_of(value)
    return None


def completion_in(attributes: Mapping[str, object], events: Sequence[SpanEvent]) -> str | None:
    """What the model answered; None when it only called tools.

    >>> completion_in({"gen_ai.completion.0.content": "Because."}, ())
    'Because.'
    """
    if "gen_ai.output.messages" in attributes:
        said = messages_of(attributes["gen_ai.output.messages"])
        return last_of(said, "assistant") or last_of(said, "unknown")  # in a reply only the model speaks
    for event in reversed(events):
        if event.name == "gen_ai.choice":
            asked = any(_blocks(told_in(each).get("content")) for each in events if each.name in _SAID)
            return _chosen(told_in(event), in_blocks=asked)
        if event.name == "gen_ai.content.completion":
            return completion_of(event.attributes.get("gen_ai.completion"))
    numbered = indexed(attributes, "gen_ai.completion.")
    if numbered:
        return last_of(_numbered(numbered, "assistant"), "assistant")
    return completion_of(attributes.get("gen_ai.completion"))


def _said(event: SpanEvent, role: str) -> Message:
    fields = told_in(event)
    content = fields.get("content")
    return message_of(role_of(fields.get("role") or role), _blocks(content) or content or fields.get("body"))


def _blocks(content: object) -> list[object]:
    """The blocks of a message as Bedrock's interface has them, which Strands writes as JSON; [] for anything else."""
    items = sequence_of(content)
    blocks = [mapping_of(item) for item in items]
    return items if blocks and all(len(each) == 1 and each.keys() <= _BLOCK for each in blocks) else []


def told_in(event: SpanEvent) -> Mapping[str, object]:
    """What an event tells: as attributes, or as JSON in one of them, as Azure's SDKs write it, and Semantic Kernel's
    logs in their body, where no attribute tells it and the JSON has a message's fields alone: who asks may send JSON.
    """
    content = event.attributes.get("gen_ai.event.content")
    if content is not None:
        return {**event.attributes, **mapping_of(content)}
    body = mapping_of(event.attributes.get("body"))
    if not body or not event.attributes.keys().isdisjoint(("content", "message")) or not _is_message(body):
        return event.attributes
    return {**{key: value for key, value in event.attributes.items() if key != "body"}, **body}


def _is_message(body: Mapping[str, object]) -> bool:
    if not body.keys() <= _FIELDS or ("message" in body and not mapping_of(body["message"])):
        return False
    role = body.get("role")
    return role is None or (isinstance(role, str) and role.lower() in _SPEAKERS)


def _chosen(fields: Mapping[str, object], *, in_blocks: bool) -> str | None:
    """What a choice says; in blocks only where the questions are, for a model may answer in JSON."""
    message = fields.get("message")
    inner = mapping_of(message)
    if in_blocks and (blocks := _blocks(message)):
        return content_of(blocks)
    if inner:
        return content_of(inner.get("content"))
    return text_of(message) or content_of(fields.get("content")) or text_of(fields.get("body"))


def _numbered(items: Iterable[Mapping[str, object]], role: str) -> Iterable[Message]:
    for item in items:
        content = item.get("content")
        parts = [mapping_of(part) for part in sequence_of(content)]
        speaker = role_of(item.get("role") or role)
        told = message_of(speaker, parts) if parts and all(parts) else None
        if told is None or told.text is None:  # a list of anything else is a text that looks like one
            told = Message(speaker, content_of(_part(content)) or text_of(content))
        yield told


def _part(content: object) -> Mapping[str, object]:
    """A part of a message in JSON; an answer in JSON has no type."""
    fields = mapping_of(content)
    return fields if "type" in fields else {}
