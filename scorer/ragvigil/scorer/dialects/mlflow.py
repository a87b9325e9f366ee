"""MLflow's native spans, every value JSON inside a string; what it translates is left to the GenAI reader."""

from __future__ import annotations

from dataclasses import replace

from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.functions import (
    NOTHING_SENT,
    Search,
    asked_in,
    narrowed_in,
    or_answer,
    search_in,
    sent_to,
)
from ragvigil.scorer.dialects.langchain import pages_in
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.replies import completion_of, returned_in
from ragvigil.scorer.dialects.searches import documents_found
from ragvigil.scorer.dialects.streams import is_unread_stream, streamed
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    first_count,
    first_id,
    kind_of,
    mapping_of,
    structure_of,
    text_of,
    unquoted,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Document, Tokens

KIND = "mlflow.spanType"
_SCOPE = "mlflow.tracing.provider"
_CONVERSATIONS = ("session_id", "conversation_id", "thread_id")
_USERS = ("user_id", "userId")
_NAMELESS = "SimpleTool.__call__"
"""What any function is called that is a tool of smolagents': it may have searched."""
_AROUND_VALUE = '{"_value"'
_ROLES: dict[str, Role] = {
    "chat_model": "generator",
    "llm": "generator",
    "retriever": "retriever",
    "reranker": "reranker",
    "chain": "chain",
    "agent": "chain",
    "workflow": "chain",
    "unknown": "chain",
    "embedding": "embedding",
    "evaluator": "evaluator",
    "guardrail": "evaluator",
}


class MLflow:
    """Reads every span with `mlflow.spanType`, and the streaming marks of others."""

    name = "mlflow"

    def matches(self, span: Span) -> bool:
        """Whether MLflow made the span."""
        return KIND in span.attributes or span.scope == _SCOPE

    def read(self, span: Span) -> Reading:
        """What the span says."""
        get = span.attributes.get
        streaming = (
            True if any(event.name.startswith("mlflow.chunk.item.") for event in span.events) else None
        )
        if KIND not in span.attributes:
            return Reading(streaming=streaming)
        given, made = get("mlflow.spanInputs"), _made(span)
        kind = kind_of(unquoted(get(KIND)))
        if kind == "tool":
            reading = tool_reading(span.name, given, unquoted(made))
            nameless = span.name == _NAMELESS and reading.documents is None and not span.failed
            return replace(reading, unread_search=True) if nameless else reading
        role = _ROLES.get(kind, "other")
        if role == "chain" and (search := search_in(given, made)):
            reading = or_answer(_reading(span, search.role, search), _reading(span, role), made)
        else:
            narrowed = narrowed_in(given, made) if role == "chain" else None
            reading = _reading(span, narrowed.role if narrowed else role, narrowed)
        return replace(reading, streaming=streaming) if streaming else reading


def _reading(span: Span, role: Role, search: Search | None = None) -> Reading:
    """What a span of that role says, that was the search."""
    get = span.attributes.get
    given, made = get("mlflow.spanInputs"), _made(span)
    asked = asked_in(given) if role in ("chain", "retriever", "reranker") else None
    answer = _answered(made, role, asked) if role in ("generator", "chain") else None
    usage = mapping_of(get("mlflow.chat.tokenUsage"))
    reply = mapping_of(made)
    about = mapping_of(get("metadata"))  # LangChain's, of the run
    tools = passages_answered(given if role == "generator" else None)
    sent = sent_to(given) if role == "generator" else NOTHING_SENT
    return Reading(
        role=role,
        query=asked,
        documents=search.documents if search else _documents(made, role, tools.documents or sent.documents),
        unread_search=tools.unread,
        input_documents=search.input_documents if search else _taken(given, role),
        answer=answer,
        unread=answer is None and role in ("generator", "chain") and is_unread_stream(made),
        messages=sent.messages,
        context=sent.context,
        model=text_of(unquoted(get("mlflow.llm.model"))) or text_of(mapping_of(given).get("model")),
        response_model=text_of(reply.get("model")) if role == "generator" else None,
        tokens=Tokens(first_count(usage, "input_tokens"), first_count(usage, "output_tokens")),
        conversation_id=_id(span, "mlflow.trace.session") or first_id(about, *_CONVERSATIONS),
        user_id=_id(span, "mlflow.trace.user") or first_id(about, *_USERS),
        exchange=(given, made) if role == "generator" else (),
    )


def _made(span: Span) -> object:
    """What the step returned, out of the object that stands around smolagents' values."""
    made = span.attributes.get("mlflow.spanOutputs")
    if not isinstance(made, str) or not made.startswith(_AROUND_VALUE):
        return made
    fields = mapping_of(made)
    return fields["_value"] if [*fields] == ["_value"] else made


def _documents(made: object, role: Role, told: tuple[Document, ...] | None) -> tuple[Document, ...] | None:
    """What a search or a function returned; of a model, what it was told."""
    if role in ("retriever", "reranker"):
        return documents_found(unquoted(made))
    return pages_in(made) if role == "chain" else told


def _taken(given: object, role: Role) -> tuple[Document, ...] | None:
    return documents_of(given) if role == "reranker" else None


def _answered(made: object, role: Role, asked: str | None) -> str | None:
    """The text, the reply's text, or the chunks of a stream joined."""
    if structure_of(made) is None:
        return text_of(unquoted(made))
    if text := streamed(made):
        return text
    return returned_in(made, asked) if role == "chain" else completion_of(made)


def _id(span: Span, key: str) -> str | None:
    return first_id({key: unquoted(span.attributes.get(key))}, key)
