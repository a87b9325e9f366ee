"""Functions under the decorators of other SDKs, and the models' calls beside them: each has its own names for the same.

A span says what kind it is, what it was given and what it returned. What stands in GenAI conventions beside it is left
to that reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.failure import failure
from ragvigil.scorer.dialects.flattened import nested, unflattened
from ragvigil.scorer.dialects.functions import (
    asked_in,
    found_in,
    or_answer,
    passages_given,
    sent_to,
    told_to,
    unread_list,
)
from ragvigil.scorer.dialects.messages import last_of, messages_of
from ragvigil.scorer.dialects.reading import Failure, Reading, Role
from ragvigil.scorer.dialects.replies import completion_of, returned_in
from ragvigil.scorer.dialects.sdk_names import SDKS, Names
from ragvigil.scorer.dialects.searches import documents_found
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    first_count,
    first_id,
    first_text,
    kind_of,
    mapping_of,
    structure_of,
    text_of,
    unquoted,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Document, Tokens

_OWN = "message."
"""How traceAI begins what a message says, in the names of attributes."""
_DOCUMENT = "document."
"""And what a document says."""
_INPUT = ("input_tokens", "prompt_tokens", "inputTokens")
_OUTPUT = ("output_tokens", "completion_tokens", "outputTokens")
_CONVERSATIONS = ("thread_id", "session_id", "conversation_id")
_USERS = ("user_id", "customer_id")
_ANSWERS = ("answer", "response", "reply")
"""Keys of what no search returns."""
_TYPED = {"type", "value"}
"""All that LangWatch writes around a value."""


class Decorated:
    """Reads the spans of SDKs that differ in nothing but names."""

    name = "decorated"

    def matches(self, span: Span) -> bool:
        """Whether one of the SDKs names the kind of the span."""
        return not span.attributes.keys().isdisjoint(_KINDS) and _names(span) is not None

    def read(self, span: Span) -> Reading:
        """What the span says."""
        told = span.attributes
        names = _names(span)
        if names is None:
            return Reading()
        kind = _kind(next((told[key] for key in names.kind if key in told), None))
        role: Role = names.roles.get(kind, "chain")
        if not kind and _model(told, names):
            role = "generator"
        given, made = _value(told, names, names.given), unquoted(_value(told, names, names.made))
        if role == "generator" or not names.roles:
            sent = _value(told, names, (names.call,))
            role, given = ("generator", sent) if sent is not None else (role, given)
        metadata = mapping_of(told.get(names.metadata))
        elsewhere = _is_told_elsewhere(told, role, given, _found(told, names) if made is None else made)
        return replace(
            Reading() if elsewhere else _content(span, names, role, given, made),
            conversation_id=first_id(told, *names.conversation) or first_id(metadata, *_CONVERSATIONS),
            user_id=first_id(told, *names.user) or first_id(metadata, *_USERS),
            failure=_failure(told, names, made),
        )


def _names(span: Span) -> Names | None:
    """How the first of the SDKs that names the kind of the span calls its facts."""
    named = (_KINDS[key] for key in _KINDS if key in span.attributes)
    return next((names for names in named if names.scope in ("", span.scope)), None)


def _kind(value: object) -> str:
    """The word for what a span is, alone or as the type in an object."""
    return kind_of(mapping_of(value).get("type")) or kind_of(value)


def _model(attributes: Mapping[str, object], names: Names) -> str | None:
    settings = mapping_of(attributes.get(names.parameters))
    return first_text(attributes, *names.model) or text_of(settings.get("model"))


def _is_told_elsewhere(attributes: Mapping[str, object], role: Role, given: object, made: object) -> bool:
    """Whether GenAI conventions tell what the step did, was given and returned, and the SDK no more than its kind."""
    if "gen_ai.operation.name" not in attributes or role == "evaluator":
        return False
    if "gen_ai.input.messages" in attributes:
        return True
    return made is None and (given is None or role != "generator")


def _value(attributes: Mapping[str, object], names: Names, keys: tuple[str, ...]) -> object:
    """What stands under the first of the keys that is there, out of what an SDK writes around it."""
    for key in keys:
        told = nested(attributes, key) if key.endswith(".") else attributes.get(key)
        if told is not None:
            fields = mapping_of(told if names.typed else None)
            return fields["value"] if set(fields) == _TYPED else told
    return None


def _found(attributes: Mapping[str, object], names: Names) -> tuple[Document, ...] | None:
    """What a search found, where the SDK tells that beside what the search returned."""
    for key in names.found:
        flat = key.endswith(".")
        if told := unflattened(attributes, key, _DOCUMENT) if flat else _value(attributes, names, (key,)):
            return documents_found(told)
    return None


def _content(span: Span, names: Names, role: Role, given: object, made: object) -> Reading:
    if role == "tool":
        name = text_of(span.attributes.get("gen_ai.tool.name")) or span.name
        return tool_reading(name, unquoted(given), made)
    if role == "generator":
        return _call(span.attributes, names, given, made)
    if role in ("embedding", "evaluator"):
        return Reading(role=role)
    asked, search = asked_in(given), found_in(given, made)
    if role in ("retriever", "reranker"):
        beside = _found(span.attributes, names)
        found = search.documents if search else documents_found(made)
        found = found if beside is None else beside
        searched = Reading(role=role, query=asked, documents=found, input_documents=passages_given(given))
        return _declared(searched, made, beside=beside)
    unread = search is None and unread_list(span.name, made)
    sent = told_to(given)
    answered = Reading(
        role="chain",
        query=asked,
        answer=returned_in(made, asked),
        messages=sent.messages,
        context=sent.context,
        unread_list=unread,
    )
    if search is None:
        return answered
    searched = Reading(
        role=search.role, query=asked, documents=search.documents, input_documents=search.input_documents
    )
    return or_answer(searched, answered, made)


def _declared(searched: Reading, made: object, *, beside: tuple[Document, ...] | None) -> Reading:
    """A search by its kind, which may be a whole pipeline's: what that returned is told by the trace around it.

    `beside`: what it found, if that is told beside what it returned.
    """
    fields = mapping_of(made)
    answer = next((text for key in _ANSWERS if (text := text_of(fields.get(key)))), None)
    answered = Reading(role="chain", query=searched.query, unread_list=beside is None, declared=True)
    if answer is not None:
        return replace(answered, answer=answer, documents=searched.documents or None)
    if searched.input_documents:
        searched = replace(searched, role="reranker")
    if (text := text_of(made)) is None or structure_of(made) is not None:
        return searched
    return replace(searched, otherwise=replace(answered, answer=text, documents=beside), declared=True)


def _call(attributes: Mapping[str, object], names: Names, given: object, made: object) -> Reading:
    """A model's call; what messages tell in names of their own is more than the first of them elsewhere."""
    told, replied = (
        unflattened(attributes, prefix, _OWN) if prefix else [] for prefix in (names.said, names.replied)
    )
    said = told or attributes.get("gen_ai.input.messages")
    made = attributes.get(names.content, made)
    sent, tools = sent_to(said or given), passages_answered(said or given)
    usage = mapping_of(_value(attributes, names, names.usage)) or mapping_of(mapping_of(made).get("usage"))
    return Reading(
        role="generator",
        messages=sent.messages,
        context=sent.context,
        documents=tools.documents or sent.documents,
        unread_search=tools.unread,
        answer=_replied(replied, made),
        model=text_of(attributes.get("gen_ai.request.model")) or _model(attributes, names),
        tokens=Tokens(first_count(usage, *_INPUT), first_count(usage, *_OUTPUT)),
        exchange=(said or given, replied or made),
    )


def _replied(messages: list[dict[str, object]], made: object) -> str | None:
    """What the model said; where it says nothing but the call of a tool, that is no answer."""
    told = messages or mapping_of(mapping_of(made).get("message"))
    return last_of(messages_of(told), "assistant") if told else completion_of(made)


def _failure(attributes: Mapping[str, object], names: Names, made: object) -> Failure | None:
    """Where an SDK says in its own way that a step failed, which may leave the status as it is."""
    if names.failed is None:
        return None
    key, value, message = names.failed
    told = attributes.get(key)
    if told is None or (value is not None and told != value):
        return None
    return failure(None, attributes.get(message) or mapping_of(mapping_of(made).get("error")).get("message"))


_KINDS = {key: names for names in SDKS for key in (*names.kind, *names.marks)}
