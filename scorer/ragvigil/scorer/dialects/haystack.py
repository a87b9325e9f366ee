"""Haystack's own tracer: all components look alike, and their output or their class tells what they are."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.failure import LONGEST_MESSAGE, failure_of
from ragvigil.scorer.dialects.messages import last_of, messages_of
from ragvigil.scorer.dialects.reading import Failure, Reading, Role
from ragvigil.scorer.dialects.replies import completion_of
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tool_turns import turns_of
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    answer_in,
    first_count,
    first_text,
    mapping_of,
    query_in,
    sequence_of,
    text_of,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Tokens

_TYPE = "haystack.component.type"
_FULL_TYPE = "haystack.component.fully_qualified_type"
_COMPONENT = "haystack.component.run"
_AGENT = "haystack.agent."
_PIPELINES = ("haystack.pipeline.run", "haystack.async_pipeline.run")
_SUFFIXES: dict[str, Role] = {
    "Retriever": "retriever",
    "WebSearch": "retriever",
    "Ranker": "reranker",
    "Generator": "generator",
    "Embedder": "embedding",
}
"""How Haystack ends the names of its classes."""
_WRAPPED = re.compile(r"^Error: (?P<message>.+)", re.MULTILINE | re.DOTALL)


class Haystack:
    """Reads pipeline and component runs."""

    name = "haystack"

    def matches(self, span: Span) -> bool:
        """Whether the span is a run of a Haystack pipeline, component or agent."""
        if _TYPE in span.attributes or span.name in _PIPELINES or span.name == _COMPONENT:
            return True
        return span.name.startswith(_AGENT) or _FULL_TYPE in span.attributes

    def read(self, span: Span) -> Reading:
        """What the run says."""
        get = span.attributes.get
        if span.name.startswith(_AGENT):
            return _agent(span)
        if span.name in _PIPELINES:
            return Reading(
                role="chain",
                query=query_in(mapping_of(get("haystack.pipeline.input_data"))),
                answer=answer_in(mapping_of(get("haystack.pipeline.output_data"))),
                failure=_failure(span),
            )
        given, made = (
            mapping_of(get("haystack.component.input")),
            mapping_of(get("haystack.component.output")),
        )
        if "tool_messages" in made:
            return _answered(made["tool_messages"])
        role = _role(span.attributes, given, made)
        searching = role in ("retriever", "reranker")
        generating = role == "generator"
        meta = _meta(made if generating else {})
        tools = passages_answered(given if generating else None)
        return Reading(
            role=role,
            query=text_of(given.get("query")) if searching else None,
            documents=documents_of(made) if searching else tools.documents,
            unread_search=tools.unread,
            input_documents=documents_of(given) if role == "reranker" else None,
            answer=completion_of(made) if generating and made else None,
            messages=messages_of(given) if generating and given else (),
            model=text_of(meta.get("model")),
            tokens=_tokens(meta),
            failure=_failure(span),
        )


def _agent(span: Span) -> Reading:
    """An agent's run, or one of its steps: what was sent to the model is printed only, and left alone."""
    get = span.attributes.get
    if span.name == "haystack.agent.run":
        given, made = messages_of(get("haystack.agent.input")), messages_of(get("haystack.agent.output"))
        answer = made[-1].text if made and made[-1].role == "assistant" else None
        return Reading(role="chain", query=last_of(given, "user"), answer=answer, failure=_failure(span))
    if span.name == "haystack.agent.step.llm":
        reply = mapping_of(get("haystack.agent.step.llm.output"))
        meta = _meta(reply)
        return Reading(
            role="generator",
            answer=completion_of(reply) if reply else None,
            model=text_of(meta.get("model")),
            tokens=_tokens(meta),
            failure=_failure(span),
        )
    if span.name == "haystack.agent.step.tool":
        name = text_of(get("haystack.tool.name")) or "tool"
        return tool_reading(
            name, get("haystack.agent.step.tool.input"), get("haystack.agent.step.tool.output")
        )
    return Reading(role="other")


def _answered(messages: object) -> Reading:
    """What a component that calls tools got from them."""
    found = passages_answered(messages)
    if found.documents is None:
        return Reading(role="tool", unread_search=found.unread)
    tool = next((turn.name for turn in turns_of(messages) if turn.kind == "answered"), None)
    return Reading(role="retriever", tool=tool or "tool", documents=found.documents)


def _tokens(meta: Mapping[str, object]) -> Tokens:
    usage = mapping_of(meta.get("usage"))
    return Tokens(
        first_count(usage, "prompt_tokens", "input_tokens"),
        first_count(usage, "completion_tokens", "output_tokens"),
    )


def _role(attributes: Mapping[str, object], given: Mapping[str, object], made: Mapping[str, object]) -> Role:
    """By what the component says that it makes; else by its class, then by what it made."""
    outputs = mapping_of(attributes.get("haystack.component.output_spec"))
    inputs = mapping_of(attributes.get("haystack.component.input_spec"))
    kind = first_text(attributes, _TYPE, _FULL_TYPE) or ""
    if kind.endswith("Embedder"):
        return "embedding"
    if not outputs:
        for suffix, role in _SUFFIXES.items():
            if kind.endswith(suffix):
                return role
        outputs, inputs = made, inputs or given
    if "documents" in outputs:
        return "reranker" if "documents" in inputs else "retriever"
    if "replies" in outputs or kind.endswith("Generator"):
        return "generator"
    return "other"


def _meta(made: Mapping[str, object]) -> Mapping[str, object]:
    """The provider's facts: on the chat reply, or beside the plain replies."""
    replies, metas = sequence_of(made.get("replies")), sequence_of(made.get("meta"))
    reply = mapping_of(next(iter(replies), None))
    return mapping_of(reply.get("meta") or reply.get("_meta")) or mapping_of(next(iter(metas), None))


def _failure(span: Span) -> Failure | None:
    """The error of the component: the pipeline's exception wraps it and names it only in its stack trace."""
    outer = failure_of(span) if span.failed else None
    wrapped = _WRAPPED.search(outer.message or "") if outer else None
    if outer is None or wrapped is None:
        return outer
    message = wrapped["message"].strip()
    traces = [str(event.attributes.get("exception.stacktrace", "")) for event in span.events]
    end = "$" if len(outer.message or "") < LONGEST_MESSAGE - 1 else ""  # else it was cut
    named = rf"^(?P<type>[A-Za-z_][\w.]*): {re.escape(message)}{end}"
    cause = re.search(named, "\n".join(traces), re.MULTILINE)
    return Failure(cause["type"] if cause else outer.type, message)
