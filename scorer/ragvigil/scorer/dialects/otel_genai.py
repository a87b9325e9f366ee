"""OpenTelemetry's GenAI conventions, in the four generations that are still sent.

Indexed or JSON `gen_ai.prompt`; span events `gen_ai.user.message`; attributes `gen_ai.input.messages`; and the
log event `gen_ai.client.inference.operation.details`. Vendors write parts of it beside their own attributes,
so this dialect comes last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects import anthropic_client
from ragvigil.scorer.dialects.documents import told_of
from ragvigil.scorer.dialects.finish import finish_reason_in
from ragvigil.scorer.dialects.gemini import SCOPE as GEMINI
from ragvigil.scorer.dialects.gemini import with_gaps
from ragvigil.scorer.dialects.genai_messages import (
    completion_in,
    context_given,
    conversation_in,
    prompt_in,
    told_in,
)
from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.orders import names_evidence
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.provided import offers_search
from ragvigil.scorer.dialects.reading import Message, Reading, Role
from ragvigil.scorer.dialects.rerank_calls import rerank_reading
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tool_turns import turns_of
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    first_count,
    first_id,
    first_text,
    flag_of,
    id_of,
    kind_of,
    mapping_of,
    named_query_in,
    text_of,
    versioned,
)
from ragvigil.scorer.span import Span, SpanEvent
from ragvigil.scorer.trace import Tokens

OPERATION = "gen_ai.operation.name"
DETAILS = "gen_ai.client.inference.operation.details"
"""The log event that carries the content when a service keeps it off its spans."""

_INSTRUCTED_BESIDE = ("responses", "aresponses", "anthropic_messages")
"""LiteLLM's functions that take instructions beside the messages."""
_LITELLM: dict[str, Role] = {
    **dict.fromkeys(
        ("acompletion", "atext_completion", "agenerate_content", *_INSTRUCTED_BESIDE), "generator"
    ),
    "aembedding": "embedding",
}
"""LiteLLM says which of its functions was called: its proxy calls those that begin with an "a"."""
_ROLES: dict[str, Role] = {
    "chat": "generator",
    "text_completion": "generator",
    "generate_content": "generator",
    "completion": "generator",
    "retrieval": "retriever",
    "retriever": "retriever",
    "rerank": "reranker",
    "reranker": "reranker",
    "embeddings": "embedding",
    "embedding": "embedding",
    "invoke_agent": "chain",
    "invoke_workflow": "chain",
    "agent_step": "chain",
    "chain": "chain",
    "agent": "chain",
    **_LITELLM,
}
_MARKS = (OPERATION, "gen_ai.system", "gen_ai.provider.name", "gen_ai.request.model", "llm.request.type")
_COHERE = "opentelemetry.instrumentation.cohere"
"""OpenLLMetry's spans do not say which documents Cohere was given beside the question."""
_BEDROCK = "opentelemetry.instrumentation.bedrock"
"""OpenLLMetry tells no search in a knowledge base, nor that it failed; instructions may speak of what it found."""
_SMOLAGENTS = "opentelemetry.instrumentation.genai.smolagents"
"""It tells an agent's question and answer, and of its tools nothing but what they are called."""
_OPENLIT = "openlit.instrumentation.langchain"
_IN_PIECES = ("@traceloop/instrumentation-langchain", _OPENLIT)
"""LangChain through OpenLIT, and in Node through OpenLLMetry, which tells no search: with no span above them, a search
and a call are traces of their own.
"""
_CALLING = ("tool_call", "tool_calls")
_CALLED = {"gen_ai.tool.message": "content", "gen_ai.choice": "message"}
"""Events of a tool's own span that tell its arguments and its result, and under which name."""
_CUT = "ag2.tool.call.result.truncated"
"""AG2 keeps the first 8192 characters of what a tool returned, and says so."""
_FLAGS = {"true": True, "false": False}
"""LiteLLM writes whether it streams in a word."""
_PROXY = "litellm"
_USERS = ("user.id", "enduser.id", "llm.user")
_FIRST_CHUNK = ("gen_ai.response.time_to_first_chunk", "gen_ai.client.operation.time_to_first_chunk")


class OtelGenAI:
    """Reads every span that follows the GenAI conventions, closely or loosely."""

    name = "otel_genai"

    def matches(self, span: Span) -> bool:
        """Whether the span names a GenAI operation, system, provider or model."""
        return not span.attributes.keys().isdisjoint(_MARKS)

    def read(self, span: Span) -> Reading:
        """What the span says, with the content of its log event."""
        attributes = _with_details(span)
        operation = kind_of(attributes.get(OPERATION) or attributes.get("llm.request.type"))
        if operation == "execute_tool":
            return _tool(attributes, span.events)
        role = _ROLES.get(operation, "other")
        if not operation and "gen_ai.request.model" in attributes and not _leads_to_call(span):
            role = "generator"
        if role == "reranker" and OPERATION not in attributes:
            return rerank_reading(attributes, prompt_in(attributes, span.events))
        if role in ("retriever", "reranker"):
            return _search(attributes, role, piecemeal=span.scope == _OPENLIT)
        messages = prompt_in(attributes, span.events) if role in ("generator", "chain") else ()
        answer = completion_in(attributes, span.events) if role in ("generator", "chain") else None
        conversation = conversation_in(attributes, span.events)
        tools = passages_answered(conversation)
        reason = finish_reason_in(attributes, span.events)
        reading = replace(
            _conversation(attributes, role, messages, answer),
            finish_reason=reason,
            documents=tools.documents,
            context=context_given(attributes) if role == "generator" else None,
            unread_search=tools.unread
            or _may_have_searched(span, attributes, messages)
            or (answer is not None and _calls_untold(reason, attributes)),
            exchange=(conversation, attributes.get("gen_ai.output.messages")),
        )
        if span.scope.startswith(anthropic_client.SCOPE):
            return anthropic_client.with_gaps(reading, attributes, failed=span.failed)
        return with_gaps(reading, attributes) if span.scope == GEMINI else reading


def _leads_to_call(span: Span) -> bool:
    """Whether it tells nothing of a call but its model: LiteLLM's proxy puts that on what leads to one, Anthropic's
    client on a count of tokens.
    """
    if span.scope.startswith(anthropic_client.SCOPE):
        return True
    own = ("gen_ai.request.model", "gen_ai.conversation.id")
    if span.scope != _PROXY or span.events:
        return False
    return not any(key.startswith(("gen_ai.", "llm.")) and key not in own for key in span.attributes)


def _may_have_searched(span: Span, attributes: Mapping[str, object], messages: Sequence[Message]) -> bool:
    """Whether a call may have had passages of which its span tells nothing, by who made it and what it was given."""
    return (
        span.scope == _COHERE
        or (span.scope in _IN_PIECES and span.parent_id is None)
        or (span.scope == _BEDROCK and names_evidence(last_of(messages, "system") or ""))
        or offers_search(attributes.get("gen_ai.tool.definitions"), own=span.scope == _SMOLAGENTS)
        or _instructed_untold(attributes, messages)
    )


def _instructed_untold(attributes: Mapping[str, object], messages: Sequence[Message]) -> bool:
    """Whether a model had instructions, or may have had, of which nothing is told: they may hold passages.

    LiteLLM writes those that come in blocks as empty texts; its second generation of spans leaves out all that stand
    beside the messages, as in OpenAI's Responses and Anthropic's Messages.
    """
    if last_of(messages, "system") or not messages:
        return False
    beside = kind_of(attributes.get("litellm.call_type")) in _INSTRUCTED_BESIDE
    return beside or bool(attributes.get("gen_ai.system_instructions"))


def _calls_untold(reason: str | None, attributes: Mapping[str, object]) -> bool:
    """Whether a reply with an answer ended with a call of a tool that it does not hold: its provider ran it.

    OpenLLMetry tells OpenAI's file search so, and nothing of what was found.
    """
    made = attributes.get("gen_ai.output.messages")
    return reason in _CALLING and made is not None and all(turn.kind != "called" for turn in turns_of(made))


def _with_details(span: Span) -> Mapping[str, object]:
    """The attributes of the span, and of all its events of details: Strands tells question and answer in two."""
    found = [event.attributes for event in span.events if event.name == DETAILS]
    told = {key: value for attributes in found for key, value in attributes.items()}
    return {**told, **span.attributes} if found else span.attributes


def _tool(attributes: Mapping[str, object], events: Sequence[SpanEvent]) -> Reading:
    """A call of a tool; Strands tells what it was given and returned in events, unless it is told to follow the newest
    conventions.
    """
    said = {event.name: told_in(event) for event in events if event.name in _CALLED}
    given, made = (said.get(name, {}).get(key) for name, key in _CALLED.items())
    reading = tool_reading(
        text_of(attributes.get("gen_ai.tool.name")) or "tool",
        attributes.get("gen_ai.tool.call.arguments", given),
        attributes.get("gen_ai.tool.call.result", made),
    )
    return replace(reading, truncated=True) if attributes.get(_CUT) is True else reading


def _search(attributes: Mapping[str, object], role: Role, *, piecemeal: bool) -> Reading:
    """A search; OpenLIT's says that it found nothing by a count alone."""
    found = told_of(attributes.get("gen_ai.retrieval.documents"))
    if found is None and attributes.get("gen_ai.retrieval.document_count") == 0:
        found = ()
    return Reading(
        role=role,
        query=text_of(attributes.get("gen_ai.retrieval.query.text")),
        documents=found,
        piecemeal=piecemeal,
        conversation_id=_conversation_id(attributes),
        user_id=_user_id(attributes),
    )


def _conversation(
    attributes: Mapping[str, object], role: Role, messages: tuple[Message, ...], answer: str | None
) -> Reading:
    asked = last_of(messages, "user") if role == "chain" else None
    return Reading(
        role=role,
        query=_asked(asked) if asked else None,
        answer=answer,
        messages=messages,
        model=text_of(attributes.get("gen_ai.request.model")),
        response_model=text_of(attributes.get("gen_ai.response.model")),
        response_id=text_of(attributes.get("gen_ai.response.id")),
        prompt_version=_prompt_version(attributes),
        tokens=Tokens(
            first_count(attributes, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
            first_count(attributes, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        ),
        conversation_id=_conversation_id(attributes),
        user_id=_user_id(attributes),
        streaming=True if any(key in attributes for key in _FIRST_CHUNK) else _streams(attributes),
    )


def _asked(text: str) -> str | None:
    """The question of what a user said: LangChain's instrumentation says a workflow's whole input, as JSON."""
    fields = mapping_of(text)
    told = named_query_in(fields)
    return told or (None if told == "" else question_in(text))


def _prompt_version(attributes: Mapping[str, object]) -> str | None:
    return versioned(
        text_of(attributes.get("gen_ai.prompt.name")), id_of(attributes.get("gen_ai.prompt.version"))
    )


def _streams(attributes: Mapping[str, object]) -> bool | None:
    asked = flag_of(attributes.get("gen_ai.request.stream"))
    told = attributes.get("llm.is_streaming")
    said = flag_of(_FLAGS.get(kind_of(told), told))
    return said if asked is None else asked


def _conversation_id(attributes: Mapping[str, object]) -> str | None:
    return first_id(attributes, "gen_ai.conversation.id", "session.id")


def _user_id(attributes: Mapping[str, object]) -> str | None:
    return first_text(attributes, *_USERS) or first_id(attributes, *_USERS)
