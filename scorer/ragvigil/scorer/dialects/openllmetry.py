"""OpenLLMetry (Traceloop): the LangChain instrumentation, current and legacy, and the SDK's decorators.

Model calls are written in GenAI conventions; this dialect reads the spans around them. The legacy
instrumentation has no retriever span: there, documents stand only in the input of the step that formats them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.arguments import arguments_in
from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.functions import (
    Search,
    asked_in,
    context_in,
    is_of_pages,
    narrowed_in,
    or_answer,
    search_in,
)
from ragvigil.scorer.dialects.langchain import pages_in
from ragvigil.scorer.dialects.messages import last_of, messages_of, replied
from ragvigil.scorer.dialects.reading import Reading
from ragvigil.scorer.dialects.replies import returned_in
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    first_id,
    kind_of,
    mapping_of,
    query_in,
    sequence_of,
    structure_of,
    text_of,
    unquoted,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Document

KIND = "traceloop.span.kind"
_SCOPE = "opentelemetry.instrumentation.langchain"
_IN_NODE = "@traceloop/instrumentation-langchain"
"""It hangs no step below another."""
_LLAMA_INDEX = "@traceloop/instrumentation-llamaindex"
"""It prints the object of a stream in the place of the answer."""
_PROPERTIES = "traceloop.association.properties."
_AROUND = ("workflow", "agent")
"""Kinds of what is above all else: of LlamaIndex's steps any that the application calls itself."""
_CALL = "chat"
"""The operation of a model call, whatever its kind is."""
_CONVERSATIONS = ("session_id", "conversation_id", "thread_id", "chat_id", "sessionId")
_USERS = ("user_id", "userId", "user")


class OpenLLMetry:
    """Reads spans with `traceloop.span.kind`, and what the instrumentation adds to others."""

    name = "openllmetry"

    def matches(self, span: Span) -> bool:
        """Whether Traceloop's SDK or instrumentation made the span."""
        return KIND in span.attributes or span.scope == _SCOPE

    def read(self, span: Span) -> Reading:
        """What the span says; a model call is left to the GenAI reader but for its ids."""
        get = span.attributes.get
        given, made = mapping_of(get("traceloop.entity.input")), get("traceloop.entity.output")
        conversation = first_id(span.attributes, *(_PROPERTIES + key for key in _CONVERSATIONS))
        user = first_id(span.attributes, *(_PROPERTIES + key for key in _USERS))
        kind, operation = kind_of(get(KIND)), get("gen_ai.operation.name")
        if operation == "vector_db_retrieve":
            return Reading(
                role="retriever",
                query=query_in(given),
                documents=documents_of(made),
                conversation_id=conversation,
                user_id=user,
            )
        if tool := text_of(get("tool.name")):
            return tool_reading(tool, get("tool.arguments"), mapping_of(made).get("tool_output") or made)
        if (
            span.scope == _LLAMA_INDEX
            and kind == "task"
            and span.name.endswith(".synthesize")
            and made == "{}"
        ):
            return Reading(role="other", unread=True, conversation_id=conversation, user_id=user)
        if operation is None and (kind == "task" or (kind in _AROUND and _nodes(structure_of(made)))):
            return replace(_llama_index(given, made), conversation_id=conversation, user_id=user)
        if kind == "tool" or (operation == "execute_tool" and made is not None):
            name = _answering(made) or text_of(get("traceloop.entity.name")) or span.name
            return tool_reading(name, _arguments(given), made)
        if kind in _AROUND and operation != _CALL:
            return _whole(span, given, conversation, user)
        if kind != "task":
            return Reading(conversation_id=conversation, user_id=user)
        narrowed = _narrowed(get("traceloop.entity.input"), made)
        if narrowed is None:
            return Reading(
                role=None if operation == _CALL else "other",
                documents=_passed(given, made),
                conversation_id=conversation,
                user_id=user,
            )
        return Reading(
            role=narrowed.role,
            documents=narrowed.documents,
            input_documents=narrowed.input_documents,
            conversation_id=conversation,
            user_id=user,
        )


def _whole(span: Span, given: Mapping[str, object], conversation: str | None, user: str | None) -> Reading:
    """What is above all else: a workflow or an agent, with the question and the answer."""
    get = span.attributes.get
    made = get("traceloop.entity.output")
    asked = _asked(given, made) if given else asked_in(get("traceloop.entity.input"))
    return Reading(
        role="chain",
        query=asked,
        arguments=arguments_in(given),
        documents=_passed(given, made) or documents_of(mapping_of(made).get("sourceNodes")),
        answer=_answered(made, asked),
        streaming=_deferred(given),
        conversation_id=conversation,
        user_id=user,
        piecemeal=span.scope == _IN_NODE,
    )


def _answering(made: object) -> str | None:
    """The tool's own name, where LangChain's message says it: in Node, the span has that of a class."""
    message = _run(made)
    return text_of(message.get("name")) if "tool_call_id" in message else None


def _arguments(given: Mapping[str, object]) -> object:
    """Those of a call, which Node keeps as JSON in a list of one."""
    listed = sequence_of(given.get("args"))
    return listed[0] if len(listed) == 1 and [*given] == ["args"] else given


def _narrowed(given: object, made: object) -> Search | None:
    """A step that handed on some of the documents that it was given."""
    if not (is_of_pages(given) and is_of_pages(made)):
        return None
    return narrowed_in(mapping_of(given).get("inputs"), mapping_of(made).get("outputs"))


def _llama_index(given: Mapping[str, object], made: object) -> Reading:
    """LlamaIndex's tasks are not named: nodes come out of a retriever, and also go into a postprocessor."""
    documents, taken = _nodes(structure_of(made)), _nodes(given.get("nodes"))
    if documents is None:
        return _function(given, made)
    asked = mapping_of(given.get("query_bundle")) or given
    query = query_in(asked.get("str_or_query_bundle")) or query_in(asked)
    if "nodes" in given:
        return Reading(role="reranker", query=query, documents=documents, input_documents=taken)
    return Reading(role="retriever", query=query, documents=documents)


def _function(given: Mapping[str, object], made: object) -> Reading:
    """A step of LangChain, or a function under the SDK's `@task`."""
    search = search_in(given, made)
    if search is None:
        named = context_in(mapping_of(given.get("kwargs")))[1]
        return Reading(role="other", documents=_passed(given, made) or named)
    searched = Reading(
        role=search.role,
        query=query_in(given),
        arguments=arguments_in(given),
        documents=search.documents,
        input_documents=search.input_documents,
    )
    return or_answer(searched, Reading(role="other"), made)


def _nodes(value: object) -> tuple[Document, ...] | None:
    """Serialised nodes, each JSON in a string; a list of other texts is none."""
    items = sequence_of(value)
    if any(not isinstance(item, str) or not item.startswith('{"node"') for item in items):
        return None
    return documents_of(items) if isinstance(value, list) else None


def _asked(given: Mapping[str, object], made: object) -> str | None:
    """While streaming, LangChain knows its input only at the end, and it stands beside the output."""
    if "lc" in given or ("inputs" not in given and pages_in(given)):
        return last_of(messages_of([given]), "user")  # a model's reply, or passages: no question is in them
    if "inputs" not in given:
        return last_of(messages_of(given.get("messages")), "user") or query_in(given)
    for asked in (given["inputs"], _run(made).get("inputs")):
        said = last_of(messages_of(mapping_of(asked).get("messages")), "user")
        if text := text_of(asked) or said or query_in(mapping_of(asked)):
            return text
    return None


def _deferred(given: Mapping[str, object]) -> bool | None:
    return True if given.get("inputs") == {"input": ""} else None


def _answered(made: object, asked: str | None) -> str | None:
    fields = mapping_of(made)
    if "outputs" in fields:
        said = replied(messages_of(mapping_of(fields["outputs"]).get("messages")))
        return text_of(fields["outputs"]) or said or returned_in(fields["outputs"], asked)
    return text_of(unquoted(made)) if structure_of(made) is None else returned_in(made, asked)


def _passed(given: Mapping[str, object], made: object) -> tuple[Document, ...] | None:
    """The documents that a step returned or was given: LangChain's serialised objects, nothing else."""
    values = [mapping_of(made).get("outputs"), given.get("inputs"), _run(made).get("inputs")]
    if "inputs" not in given:  # Node's
        values = [value for value in (made, given) if is_of_pages(value)]
    return next((pages for value in values if (pages := pages_in(value))), None)


def _run(made: object) -> Mapping[str, object]:
    return mapping_of(mapping_of(made).get("kwargs"))
