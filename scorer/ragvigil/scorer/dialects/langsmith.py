"""LangSmith's OTel mode: its own kind wins, for the GenAI operation beside it is wrong on retrievers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ragvigil.scorer.dialects.failure import failure_of
from ragvigil.scorer.dialects.functions import (
    NOTHING_SENT,
    Search,
    found_in,
    is_of_pages,
    narrowed_in,
    or_answer,
    search_in,
    sent_to,
)
from ragvigil.scorer.dialects.langchain import pages_in
from ragvigil.scorer.dialects.messages import last_of, messages_of
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.replies import completion_of, returned_in
from ragvigil.scorer.dialects.searches import documents_found
from ragvigil.scorer.dialects.streams import is_unread_stream, streamed
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    first_count,
    first_id,
    first_text,
    kind_of,
    mapping_of,
    query_in,
    structure_of,
    text_of,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Document, Tokens

KIND = "langsmith.span.kind"
_SCOPE = "langsmith"
_METADATA = "langsmith.metadata."
_CONVERSATIONS = ("session_id", "thread_id", "conversation_id")
_ROLES: dict[str, Role] = {
    "llm": "generator",
    "retriever": "retriever",
    "chain": "chain",
    "embedding": "embedding",
}


class LangSmith:
    """Reads every LangSmith run; model and tokens are left to the GenAI reader."""

    name = "langsmith"

    def matches(self, span: Span) -> bool:
        """Whether LangSmith made the span."""
        return KIND in span.attributes or span.scope == _SCOPE

    def read(self, span: Span) -> Reading:
        """What the run says."""
        reading = _read(span)
        if not span.events or span.failed or mapping_of(span.attributes.get("gen_ai.completion")):
            return reading
        return replace(reading, failure=failure_of(span))  # Node's SDK cannot take its first status back


def _read(span: Span) -> Reading:
    get = span.attributes.get
    given, made = get("gen_ai.prompt"), get("gen_ai.completion")
    kind = kind_of(get(KIND))
    if kind == "tool":
        return tool_reading(span.name, given, _output(made))
    role = _ROLES.get(kind, "other")
    if role == "chain" and (search := search_in(given, _output(made))):
        return or_answer(_reading(span, search.role, search), _reading(span, role), _output(made))
    if role == "retriever" and (search := found_in(given, _output(made))) and search.input_documents:
        return _reading(span, search.role, search)
    narrowed = _narrowed(given, made) if role == "chain" else None
    return _reading(span, narrowed.role if narrowed else role, narrowed)


def _reading(span: Span, role: Role, search: Search | None = None) -> Reading:
    """What a run of that role says, that was the search."""
    given, made = span.attributes.get("gen_ai.prompt"), span.attributes.get("gen_ai.completion")
    answering = role in ("generator", "chain")
    asked = _asked(given) if role in ("chain", "retriever", "reranker") else None
    answer = _answered(made, role, asked) if answering else None
    tools = passages_answered(given if role == "generator" else None)
    sent = sent_to(given) if role == "generator" else NOTHING_SENT
    return Reading(
        role=role,
        query=asked,
        documents=tools.documents
        or sent.documents
        or (search.documents if search else _documents(given, made, role)),
        unread_search=tools.unread,
        input_documents=search.input_documents if search else None,
        answer=answer,
        unread=answering and answer is None and is_unread_stream(_output(made)),
        messages=sent.messages,
        context=sent.context,
        model=first_text(span.attributes, "gen_ai.request.model", _METADATA + "ls_model_name"),
        tokens=Tokens(
            first_count(span.attributes, "gen_ai.usage.input_tokens"),
            first_count(span.attributes, "gen_ai.usage.output_tokens"),
        ),
        conversation_id=first_id(span.attributes, *(_METADATA + key for key in _CONVERSATIONS)),
        user_id=first_id(span.attributes, _METADATA + "user_id"),
        streaming=True
        if isinstance(made, str) and '"AIMessageChunk"' in made and role == "generator"
        else None,
        exchange=(given, made) if role == "generator" else (),
    )


def _narrowed(given: object, made: object) -> Search | None:
    return narrowed_in(given, _output(made)) if is_of_pages(made) else None


def _documents(given: object, made: object, role: Role) -> tuple[Document, ...] | None:
    """A chain's are those that it returned or was given: a function may search, too."""
    if role == "retriever":
        return documents_found(_output(made))
    return (pages_in(made) or pages_in(given)) if role == "chain" else None


def _asked(given: object) -> str | None:
    if structure_of(given) is None:
        return text_of(given)
    fields = mapping_of(given)
    inner = mapping_of(fields.get("input")) or fields
    return last_of(messages_of(inner.get("messages")), "user") or query_in(fields)


def _answered(made: object, role: Role, asked: str | None) -> str | None:
    if role == "generator":
        return _joined(_output(made)) or completion_of(made)
    output = _output(made)
    return _joined(output) or returned_in(output, asked)


def _joined(output: object) -> str | None:
    """A stream is kept as a list of its chunks; a text that looks like one is an answer in JSON."""
    return streamed(cast("object", output)) if isinstance(output, list) else None


def _output(made: object) -> object:
    fields: Mapping[str, object] = mapping_of(made)
    return fields.get("output", made)
