"""LlamaIndex's own OpenTelemetry spans (llama-index-observability-otel): what its events tell, which hang on the spans.

The fields of an event are flattened: what is an object there has a name with dots, a list of objects is JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.messages import content_of, message_of, role_of
from ragvigil.scorer.dialects.printed import is_printed
from ragvigil.scorer.dialects.reading import Message, Reading
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import count_of, mapping_of, sequence_of, text_of
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Tokens

_SCOPE = "llamaindex.opentelemetry.tracer"
_CALLED = re.compile(r"ToolCall\(tool_name=['\"](?P<name>[^'\"]{1,200})['\"]")
"""What a workflow's step was given that calls a tool: the chains in it are no questions of their own."""
_NONE: Mapping[str, object] = {}
_CHATS = ("QueryStartEvent", "AgentChatWithStepStartEvent", "QueryEndEvent", "AgentChatWithStepEndEvent")
_OF_CALLS = ("Start", "End", "InProgress")
"""Events of a model's call: of a long stream the SDK throws the first away, and what was sent is unknown."""
_MODEL = ("model_dict.model_name", "model_dict.model")
_GIVEN = ("response.raw.usage.prompt_tokens", "response.raw.usage.input_tokens")
_MADE = ("response.raw.usage.completion_tokens", "response.raw.usage.output_tokens")


class LlamaIndex:
    """Reads every span of LlamaIndex's own instrumentation."""

    name = "llama_index"

    def matches(self, span: Span) -> bool:
        """Whether the span has the scope of that instrumentation, or, where a backend keeps none, one of its events."""
        if span.scope == _SCOPE:
            return True
        return bool(span.events) and any(  # nearly always there are none
            event.attributes.get("class_name") == event.name and "span_id" in event.attributes
            for event in span.events
        )

    def read(self, span: Span) -> Reading:
        """What the events of the span say; a span without one, such as a workflow's step, says nothing."""
        told = {event.name: event.attributes for event in span.events}
        if "RetrievalStartEvent" in told:
            return _retrieval(told)
        if "ReRankStartEvent" in told:
            return _rerank(told)
        if any(f"LLMChat{each}Event" in told for each in _OF_CALLS):
            return _chat(told)
        if any(f"LLMCompletion{each}Event" in told for each in _OF_CALLS):
            return _completion(told)
        if call := told.get("AgentToolCallEvent"):
            name = text_of(call.get("tool.name")) or text_of(call.get("name")) or span.name
            return tool_reading(name, call.get("arguments"), None)
        if "EmbeddingStartEvent" in told:
            return Reading(role="embedding")
        if any(name in told for name in _CHATS):
            return _question(told)
        called = _CALLED.match(str(span.attributes.get("llamaindex.step.input_summary", "")))
        return Reading(role="tool", tool=called["name"]) if called else Reading(role="other")


def _retrieval(told: Mapping[str, Mapping[str, object]]) -> Reading:
    asked = _query(told["RetrievalStartEvent"], "str_or_query_bundle")
    found = told.get("RetrievalEndEvent", _NONE).get("nodes")
    return Reading(role="retriever", query=asked, documents=documents_of(found))


def _rerank(told: Mapping[str, Mapping[str, object]]) -> Reading:
    given = told["ReRankStartEvent"]
    return Reading(
        role="reranker",
        query=_query(given, "query"),
        documents=documents_of(told.get("ReRankEndEvent", _NONE).get("nodes")),
        input_documents=documents_of(given.get("nodes")),
    )


def _question(told: Mapping[str, Mapping[str, object]]) -> Reading:
    """A query engine or an agent; what a stream returned is a printed object, and no answer."""
    given = told.get("QueryStartEvent") or told.get("AgentChatWithStepStartEvent", _NONE)
    made = told.get("QueryEndEvent") or told.get("AgentChatWithStepEndEvent", _NONE)
    answer = text_of(made.get("response.response")) or text_of(made.get("response"))
    streamed = "response.response_gen" in made
    return Reading(
        role="chain",
        query=_query(given, "query") or text_of(given.get("user_msg")),
        answer=None if answer is None or is_printed(answer) else answer,
        streaming=True if streamed else None,
        unread=streamed,
    )


def _chat(told: Mapping[str, Mapping[str, object]]) -> Reading:
    given, made = told.get("LLMChatStartEvent", _NONE), told.get("LLMChatEndEvent", _NONE)
    sent = [*_sent(given.get("messages"))]
    tools = passages_answered(sent)
    said = sequence_of(made.get("response.message.blocks"))
    spoken = _spoken(said)
    replied = {"role": "assistant", "content": spoken, "tool_calls": _calls(said)}
    return Reading(
        role="generator",
        messages=tuple(_message(each) for each in sent),
        answer=content_of(spoken),
        documents=tools.documents,
        unread_search=tools.unread,
        truncated="LLMChatStartEvent" not in told,
        model=_first(given, *_MODEL),
        response_model=text_of(made.get("response.raw.model")),
        response_id=text_of(made.get("response.raw.id")),
        finish_reason=_finish_reason(made),
        tokens=Tokens(_count(made, *_GIVEN), _count(made, *_MADE)),
        streaming=True if "LLMChatInProgressEvent" in told else None,
        exchange=(sent, [replied]) if made else (),
    )


def _completion(told: Mapping[str, Mapping[str, object]]) -> Reading:
    given, made = told.get("LLMCompletionStartEvent", _NONE), told.get("LLMCompletionEndEvent", _NONE)
    prompt = text_of(given.get("prompt"))
    return Reading(
        role="generator",
        messages=(Message("user", prompt),) if prompt else (),
        answer=text_of(made.get("response.text")),
        truncated="LLMCompletionStartEvent" not in told,
        model=_first(given, *_MODEL),
        response_model=text_of(made.get("response.raw.model")),
        finish_reason=_finish_reason(made),
        tokens=Tokens(_count(made, *_GIVEN), _count(made, *_MADE)),
        streaming=True if "LLMCompletionInProgressEvent" in told else None,
    )


def _sent(messages: object) -> Iterator[dict[str, object]]:
    """The messages in the shape that providers have: LlamaIndex keeps blocks, and all else aside."""
    for item in sequence_of(messages):
        fields = mapping_of(item)
        aside = mapping_of(fields.get("additional_kwargs"))
        blocks = _spoken(sequence_of(fields.get("blocks")))
        content = content_of(blocks) if fields.get("role") == "tool" else blocks
        said: dict[str, object] = {"role": fields.get("role"), "content": content}
        for key in ("tool_calls", "tool_call_id"):
            if aside.get(key):
                said[key] = aside[key]
        yield said


def _spoken(blocks: list[object]) -> list[object]:
    """The blocks of text: what a model thought is no answer, and none of what it is told later."""
    return [each for each in blocks if mapping_of(each).get("block_type", "text") == "text"]


def _calls(blocks: list[object]) -> list[object]:
    calls = [each for each in map(mapping_of, blocks) if each.get("block_type") == "tool_call"]
    return [
        {"id": each.get("tool_call_id"), "function": {"name": each.get("tool_name")}, "type": "function"}
        for each in calls
    ]


def _message(fields: Mapping[str, object]) -> Message:
    return message_of(role_of(fields.get("role")), fields.get("content"))


def _query(fields: Mapping[str, object], name: str) -> str | None:
    """A question, which may be a text or a bundle around one."""
    return text_of(fields.get(f"{name}.query_str")) or text_of(fields.get(name))


def _first(fields: Mapping[str, object], *keys: str) -> str | None:
    return next((text for key in keys if (text := text_of(fields.get(key)))), None)


def _count(fields: Mapping[str, object], *keys: str) -> int | None:
    return next((count for key in keys if (count := count_of(fields.get(key))) is not None), None)


def _finish_reason(made: Mapping[str, object]) -> str | None:
    choices = sequence_of(made.get("response.raw.choices"))
    told = mapping_of(choices[0]).get("finish_reason") if choices else None
    return text_of(told)
