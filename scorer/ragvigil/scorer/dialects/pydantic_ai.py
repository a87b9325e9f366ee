"""Pydantic AI and logfire: agents whose retrieval is a tool; model calls are left to the GenAI reader."""

from __future__ import annotations

from collections.abc import Mapping

from ragvigil.scorer.dialects.messages import last_of, messages_of, replied
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.reading import Reading
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    first_count,
    first_id,
    flag_of,
    mapping_of,
    number_of,
    sequence_of,
    text_of,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Tokens

_SCOPE = "pydantic-ai"
_AGENTS = "logfire.openai_agents"
_SENT = frozenset({"messages", "input", "prompt", "contents", "system"})
"""Keys of a request that has content."""
_STREAMED = "streaming response"
_REPLY = frozenset(
    {"response_data", "output", "response", "events", "gen_ai.output.messages", "gen_ai.usage.output_tokens"}
)
"""Attributes of a call that has its reply."""
_PENDING = "pending_span"
_CHOICE = "gen_ai.choice"
_RUN_MARKS = ("pydantic_ai.all_messages", "all_messages_events", "final_result")


class PydanticAI:
    """Reads agent runs and tool calls of formats 2 to 6; drops logfire's copies of unfinished spans."""

    name = "pydantic_ai"

    def matches(self, span: Span) -> bool:
        """Whether Pydantic AI or logfire made the span."""
        return span.scope == _SCOPE or "logfire.msg" in span.attributes

    def read(self, span: Span) -> Reading:
        """What the span says."""
        get = span.attributes.get
        if get("logfire.span_type") == _PENDING:
            return Reading(role="other")
        if get("logfire.span_type") == "annotation":
            return Reading(role="other", feedback=_annotation(span.attributes))
        tool = text_of(get("gen_ai.tool.name"))
        if tool is not None:
            arguments = get("gen_ai.tool.call.arguments") or get("tool_arguments")
            return tool_reading(tool, arguments, get("gen_ai.tool.call.result") or get("tool_response"))
        if span.scope == _AGENTS and span.name.startswith("Function"):
            return tool_reading(text_of(get("name")) or "tool", get("input"), get("output"))
        if span.scope == _AGENTS and span.name.startswith("Agent run"):
            return Reading(role="chain")
        if "events" in span.attributes or "request_data" in span.attributes:
            return _model_call(span)
        if not any(mark in span.attributes for mark in _RUN_MARKS):
            return Reading()
        said = get("pydantic_ai.all_messages") or get("all_messages_events")
        messages, tools = messages_of(said), passages_answered(said)
        asked = last_of(messages, "user")
        return Reading(
            role="chain",
            documents=tools.documents,
            unread_search=tools.unread,
            query=question_in(asked) if asked else None,
            answer=text_of(get("final_result")) or replied(messages),
            model=text_of(get("model_name")),
            conversation_id=first_id(span.attributes, "gen_ai.conversation.id", "session.id"),
        )


def _model_call(span: Span) -> Reading:
    """Format 1 keeps the conventions' events in an attribute; logfire's own clients the request and its response.

    Its later versions write the conventions beside a request that has no content: then those tell the call.
    """
    attributes = span.attributes
    events = [mapping_of(event) for event in sequence_of(attributes.get("events"))]
    request, response = (mapping_of(attributes.get(key)) for key in ("request_data", "response_data"))
    if request and _opens_stream(span, request):
        return Reading(role="other")
    choices: list[object] = [event.get("message") for event in events if event.get("event.name") == _CHOICE]
    told = [event for event in events if event.get("event.name") != _CHOICE]
    if span.scope == _AGENTS and not choices:
        request, told, choices = _turn(request, told, attributes)
    said = told if _SENT.isdisjoint(request) else request
    if not said and not choices:
        return Reading(streaming=True if span.name.startswith(_STREAMED) else None)
    tools = passages_answered(said)
    usage = mapping_of(response.get("usage"))
    streamed = text_of(response.get("combined_chunk_content"))
    reply = streamed or last_of(messages_of([*choices, response.get("message")]), "assistant")
    return Reading(
        role="generator",
        messages=messages_of(said),
        answer=reply,
        documents=tools.documents,
        unread_search=tools.unread,
        model=text_of(request.get("model")),
        tokens=Tokens(
            first_count(usage, "prompt_tokens", "input_tokens"),
            first_count(usage, "completion_tokens", "output_tokens"),
        ),
        streaming=True if streamed else None,
        exchange=(said, choices, response),
    )


def _opens_stream(span: Span, request: Mapping[str, object]) -> bool:
    """Whether the span ended before the first piece came: a log tells the request again, with all of the reply.

    A request with content says whether it streams; of one without, no other has no reply.
    """
    streams = request.get("stream") is True or _SENT.isdisjoint(request)
    return streams and not span.failed and _REPLY.isdisjoint(span.attributes)


def _turn(
    request: Mapping[str, object], events: list[Mapping[str, object]], attributes: Mapping[str, object]
) -> tuple[Mapping[str, object], list[Mapping[str, object]], list[object]]:
    """Request, events and reply of a turn of OpenAI's agents: what it said may end the events that it was sent."""
    if "output" in attributes:
        return (
            {**request, "messages": sequence_of(attributes.get("input"))},
            [],
            sequence_of(attributes["output"]),
        )
    if events and events[-1].get("role") == "assistant":
        return request, events[:-1], [events[-1]]
    return request, events, []


def _annotation(attributes: Mapping[str, object]) -> tuple[Mapping[str, object], ...]:
    """What logfire's `record_feedback` sent: a number is a score, a text a label, true and false are thumbs."""
    name = text_of(attributes.get("logfire.feedback.name"))
    if name is None:
        return ()
    value = attributes.get(name)
    thumbs = {"label": "up" if value else "down", "score": float(value)} if isinstance(value, bool) else {}
    entry = {
        "name": name,
        "score": number_of(value),
        "label": text_of(value),
        **thumbs,
        "explanation": text_of(attributes.get("logfire.feedback.comment")),
        "identifier": text_of(attributes.get("logfire.feedback.id")),
        "withdrawn": flag_of(attributes.get("logfire.feedback.deleted")),
    }
    return ({key: value for key, value in entry.items() if value is not None},)
