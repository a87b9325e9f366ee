"""Functions under the decorators of other SDKs, and the models' calls beside them: each has its own names for the same.

A span says what kind it is, what it was given and what it returned. What stands in GenAI conventions beside it is left
to that reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ragvigil.scorer.dialects.failure import failure
from ragvigil.scorer.dialects.flattened import nested, unflattened
from ragvigil.scorer.dialects.functions import (
    asked_in,
    found_in,
    or_answer,
    passages_given,
    sent_to,
    unread_list,
)
from ragvigil.scorer.dialects.messages import last_of, messages_of
from ragvigil.scorer.dialects.reading import Failure, Reading, Role
from ragvigil.scorer.dialects.replies import completion_of, returned_in
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

_ROLES: tuple[tuple[str, Role], ...] = (
    ("rerank", "reranker"),
    ("retriev", "retriever"),
    ("rag", "retriever"),
    ("llm", "generator"),
    ("generation", "generator"),
    ("model", "generator"),
    ("embed", "embedding"),
    ("evaluat", "evaluator"),
    ("guardrail", "evaluator"),
    ("tool", "tool"),
)
"""How the names of kinds begin; any other is a function."""
_SAID, _REPLIED, _OWN = "gen_ai.input.messages.", "gen_ai.output.messages.", "message."
"""How traceAI spells messages in names."""
_INPUT = ("input_tokens", "prompt_tokens", "inputTokens")
_OUTPUT = ("output_tokens", "completion_tokens", "outputTokens")
_CONVERSATIONS = ("thread_id", "session_id", "conversation_id")
_USERS = ("user_id", "customer_id")
_AGENT_OPS = ("tool", "task", "operation", "agent", "workflow")
"""Kinds that are in the names of what AgentOps' functions were given and returned."""
_ANSWERS = ("answer", "response", "reply")
"""Keys of what no search returns."""
_TYPED = {"type", "value"}
"""All that LangWatch writes around a value."""


@dataclass(frozen=True, slots=True)
class Names:
    """What an SDK calls the facts of its spans; a name that ends with a dot begins several."""

    kind: tuple[str, ...]
    """The first that a span has says what it is; the last is on all of the SDK's spans."""
    given: tuple[str, ...]
    made: tuple[str, ...]
    call: str = ""
    """What a model was sent, where its call is told by a function of no kind of its own."""
    usage: str = ""
    """Tokens, as one object."""
    model: tuple[str, ...] = ()
    conversation: tuple[str, ...] = ()
    failed: tuple[str, object, str] | None = None
    """An attribute, its value where the step failed (None: any), and the attribute of the message."""


_SDKS = (
    Names(  # LangWatch
        kind=("langwatch.span.type",),
        given=("langwatch.input",),
        made=("langwatch.output",),
        usage="langwatch.metrics",
        conversation=("langwatch.thread.id",),
    ),
    Names(  # Genkit, in Python, Node and Go
        kind=("genkit:metadata:subtype", "genkit:type"),
        given=("genkit:input",),
        made=("genkit:output",),
        model=("genkit:name",),
        failed=("genkit:state", "error", "genkit:error"),
    ),
    Names(  # Mirascope
        kind=("mirascope.type",),
        given=("mirascope.trace.arg_values",),
        made=("mirascope.trace.output", "mirascope.response.content"),
        call="mirascope.response.messages",
        usage="mirascope.response.usage",
        model=("mirascope.response.model_id",),
        conversation=("mirascope.ops.session.id",),
    ),
    Names(  # TruLens
        kind=("ai.observability.span_type",),
        given=("ai.observability.call.kwargs.",),
        made=("ai.observability.retrieval.retrieved_contexts", "ai.observability.call.return"),
    ),
    Names(  # HoneyHive
        kind=("honeyhive_event_type",),
        given=("honeyhive_inputs.",),
        made=("honeyhive_outputs.result", "honeyhive_outputs.result."),
        conversation=("honeyhive.session_id",),
    ),
    Names(  # Judgment
        kind=("judgment.span_kind",),
        given=("judgment.input", "gen_ai.prompt"),
        made=("judgment.output", "gen_ai.completion"),
        usage="judgment.usage.metadata",
        model=("judgment.llm.model",),
        conversation=("judgment.session_id",),
    ),
    Names(  # Netra
        kind=("netra.span.type",),
        given=("input",),
        made=("output",),
        conversation=("netra.session_id",),
        failed=("netra.entity.error", None, "netra.entity.error"),
    ),
    Names(  # Future AGI's traceAI
        kind=("gen_ai.span.kind", "fi.span.kind"),
        given=("input.value",),
        made=("output.value",),
    ),
    Names(  # AgentOps
        kind=("agentops.span.kind",),
        given=("agentops.entity.input", *(f"agentops.{kind}.input" for kind in _AGENT_OPS)),
        made=("agentops.entity.output", *(f"agentops.{kind}.output" for kind in _AGENT_OPS)),
    ),
)


class Decorated:
    """Reads the spans of SDKs that differ in nothing but names."""

    name = "decorated"

    def matches(self, span: Span) -> bool:
        """Whether one of the SDKs names the kind of the span."""
        return not span.attributes.keys().isdisjoint(_KINDS)

    def read(self, span: Span) -> Reading:
        """What the span says."""
        get = span.attributes.get
        names = next(_KINDS[key] for key in _KINDS if key in span.attributes)
        kind = kind_of(next(get(key) for key in names.kind if key in span.attributes))
        role = _role(kind)
        given, made = _value(span.attributes, names.given), unquoted(_value(span.attributes, names.made))
        if names.call and names.call in span.attributes:
            role, given = "generator", get(names.call)
        metadata = mapping_of(get("metadata"))
        elsewhere = _is_told_elsewhere(span.attributes, role, given, made)
        return replace(
            Reading() if elsewhere else _content(span, names, role, given, made),
            conversation_id=first_id(span.attributes, *names.conversation)
            or first_id(metadata, *_CONVERSATIONS),
            user_id=first_id(metadata, *_USERS),
            failure=_failure(span.attributes, names, made),
        )


def _is_told_elsewhere(attributes: Mapping[str, object], role: Role, given: object, made: object) -> bool:
    """Whether GenAI conventions tell what the step did, was given and returned, and the SDK no more than its kind."""
    if "gen_ai.operation.name" not in attributes or role == "evaluator":
        return False
    if "gen_ai.input.messages" in attributes:
        return True
    return made is None and (given is None or role != "generator")


def _role(kind: str) -> Role:
    for mark, role in _ROLES:
        if kind.startswith(mark):
            return role
    return "chain"


def _value(attributes: Mapping[str, object], keys: tuple[str, ...]) -> object:
    """What stands under the first of the names that is there, out of what an SDK writes around it."""
    for key in keys:
        told = nested(attributes, key) if key.endswith(".") else attributes.get(key)
        if told is not None:
            fields = mapping_of(told)
            return fields["value"] if set(fields) == _TYPED else told
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
        found = search.documents if search else documents_found(made)
        return _declared(role, asked, found, passages_given(given), made)
    unread = search is None and unread_list(span.name, made)
    answered = Reading(role="chain", query=asked, answer=returned_in(made, asked), unread_list=unread)
    if search is None:
        return answered
    searched = Reading(
        role=search.role, query=asked, documents=search.documents, input_documents=search.input_documents
    )
    return or_answer(searched, answered, made)


def _declared(
    role: Role,
    asked: str | None,
    found: tuple[Document, ...] | None,
    taken: tuple[Document, ...] | None,
    made: object,
) -> Reading:
    """A search by its kind, which may be a whole pipeline's: what that returned is told by the trace around it."""
    fields = mapping_of(made)
    answer = next((text for key in _ANSWERS if (text := text_of(fields.get(key)))), None)
    answered = Reading(role="chain", query=asked, answer=answer, unread_list=True, declared=True)
    if answer is not None:
        return replace(answered, documents=found or None)
    searched = Reading(
        role="reranker" if taken else role, query=asked, documents=found, input_documents=taken
    )
    if (text := text_of(made)) is None or structure_of(made) is not None:
        return searched
    return replace(searched, otherwise=replace(answered, answer=text), declared=True)


def _call(attributes: Mapping[str, object], names: Names, given: object, made: object) -> Reading:
    """A model's call; what messages tell in names of their own is more than the first of them elsewhere."""
    told, replied = (unflattened(attributes, prefix, _OWN) for prefix in (_SAID, _REPLIED))
    said = told or attributes.get("gen_ai.input.messages")
    sent, tools = sent_to(said or given), passages_answered(said or given)
    parameters = mapping_of(attributes.get("gen_ai.request.parameters"))
    usage = mapping_of(attributes.get(names.usage)) or mapping_of(mapping_of(made).get("usage"))
    return Reading(
        role="generator",
        messages=sent.messages,
        context=sent.context,
        documents=tools.documents or sent.documents,
        unread_search=tools.unread,
        answer=_replied(replied, made),
        model=first_text(attributes, "gen_ai.request.model", *names.model)
        or text_of(parameters.get("model")),
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


_KINDS = {key: names for names in _SDKS for key in names.kind}
