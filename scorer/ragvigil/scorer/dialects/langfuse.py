"""Langfuse's SDK, versions 3 to 5: input and output are JSON, or plain text where the value was a text."""

from __future__ import annotations

from collections.abc import Mapping

from ragvigil.scorer.dialects.arguments import arguments_in
from ragvigil.scorer.dialects.failure import failure
from ragvigil.scorer.dialects.functions import (
    NOTHING_SENT,
    Search,
    asked_in,
    found_in,
    is_of_pages,
    narrowed_in,
    or_answer,
    sent_to,
    told_to,
    unread_list,
)
from ragvigil.scorer.dialects.langchain import pages_in
from ragvigil.scorer.dialects.reading import Failure, Reading, Role
from ragvigil.scorer.dialects.replies import as_it_stands, completion_of, is_data, returned_in
from ragvigil.scorer.dialects.searches import documents_found
from ragvigil.scorer.dialects.streams import is_unread_stream
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    count_of,
    first_count,
    first_id,
    kind_of,
    mapping_of,
    number_of,
    structure_of,
    text_of,
    unquoted,
    versioned,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Document, Tokens

KIND = "langfuse.observation.type"
_SCOPE = "langfuse-sdk"
_ROLES: dict[str, Role] = {
    "span": "chain",
    "chain": "chain",
    "agent": "chain",
    "generation": "generator",
    "retriever": "retriever",
    "embedding": "embedding",
    "evaluator": "evaluator",
    "guardrail": "evaluator",
}


class Langfuse:
    """Reads every Langfuse observation."""

    name = "langfuse"

    def matches(self, span: Span) -> bool:
        """Whether Langfuse's SDK made the span."""
        return KIND in span.attributes or span.scope == _SCOPE

    def read(self, span: Span) -> Reading:
        """What the observation says."""
        get = span.attributes.get
        given, made = get("langfuse.observation.input"), _made(span)
        kind = kind_of(get(KIND))
        if kind == "tool":
            return tool_reading(span.name, given, made)
        role = _ROLES.get(kind, "other")
        narrowed = narrowed_in(given, made) if role == "chain" else None
        if role == "retriever" and (search := found_in(given, made)) and search.input_documents:
            return _reading(span, search.role, search)
        search = narrowed or (found_in(given, made) if role == "chain" else None)
        reading = _reading(span, search.role if search else role, search)
        return reading if search is None or narrowed else or_answer(reading, _reading(span, role), made)


def _reading(span: Span, role: Role, search: Search | None = None) -> Reading:
    """What an observation of that role says, that was the search."""
    get = span.attributes.get
    given, made = get("langfuse.observation.input"), _made(span)
    asked = asked_in(given) if role in ("chain", "retriever", "reranker") else None
    arguments = arguments_in(given) if asked is not None else ()
    answering = role in ("generator", "chain")
    answer = _answered(made, role, asked) if answering else None
    if role == "chain":  # what the service says of the whole trace itself
        whole = asked_in(get("langfuse.trace.input"))
        asked, arguments = whole or asked, () if whole else arguments
        answer = _answered(get("langfuse.trace.output"), role, asked) or answer
    usage = mapping_of(get("langfuse.observation.usage_details"))
    tools = passages_answered(given if role == "generator" else None)
    sent = sent_to(given) if role == "generator" else told_to(given) if role == "chain" else NOTHING_SENT
    return Reading(
        role=role,
        query=asked,
        arguments=arguments,
        documents=search.documents if search else _documents(made, role, tools.documents or sent.documents),
        unread_search=tools.unread,
        unread_list=role == "chain" and search is None and unread_list(span.name, made),
        input_documents=search.input_documents if search else None,
        answer=answer,
        unread=answering and answer is None and is_unread_stream(made),
        messages=sent.messages,
        context=sent.context,
        model=text_of(get("langfuse.observation.model.name")),
        prompt_version=_prompt_version(span.attributes),
        tokens=Tokens(
            first_count(usage, "input", "prompt_tokens", "input_tokens"),
            first_count(usage, "output", "completion_tokens", "output_tokens"),
        ),
        cost_usd=number_of(mapping_of(get("langfuse.observation.cost_details")).get("total")),
        conversation_id=first_id(span.attributes, "session.id", "langfuse.session.id"),
        user_id=first_id(span.attributes, "user.id", "langfuse.user.id"),
        environment=text_of(get("langfuse.environment")),
        service_version=text_of(get("langfuse.release")),
        failure=_failure(span),
        streaming=True if "langfuse.observation.completion_start_time" in span.attributes else None,
        exchange=(given, made) if role == "generator" else (),
    )


def _documents(made: object, role: Role, told: tuple[Document, ...] | None) -> tuple[Document, ...] | None:
    """What a search or a function returned; of a model, what it was told."""
    if role == "retriever":
        return documents_found(made)
    if role == "chain":
        return pages_in(made) if is_of_pages(made) else None
    return told


def _made(span: Span) -> object:
    """What was returned; an error that Node's SDK writes in its place is none."""
    made = span.attributes.get("langfuse.observation.output")
    if span.attributes.get("langfuse.observation.level") != "ERROR":
        return made
    return None if set(mapping_of(made)) == {"error"} else made


def _answered(made: object, role: Role, asked: str | None) -> str | None:
    made = unquoted(made)  # the first versions 3 quoted texts; others leave them as they are
    if role == "generator":
        return as_it_stands(made) if is_data(structure_of(made)) else completion_of(made)
    return returned_in(made, asked)


def _prompt_version(attributes: Mapping[str, object]) -> str | None:
    version = count_of(attributes.get("langfuse.observation.prompt.version"))
    name = text_of(attributes.get("langfuse.observation.prompt.name"))
    return versioned(name, None if version is None else str(version))


def _failure(span: Span) -> Failure | None:
    """Langfuse records no exception, only a level and a message, and the level can stand without a status."""
    if span.attributes.get("langfuse.observation.level") != "ERROR" or (span.failed and span.status_message):
        return None
    return failure(None, span.attributes.get("langfuse.observation.status_message"))
