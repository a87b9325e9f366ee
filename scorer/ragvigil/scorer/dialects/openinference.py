"""OpenInference, as the LangChain, LlamaIndex and Haystack instrumentors and its own helpers write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ragvigil.scorer.dialects.finish import finish_reason_in
from ragvigil.scorer.dialects.flattened import indexed, unflattened
from ragvigil.scorer.dialects.functions import (
    context_in,
    may_list,
    narrowed_in,
    or_answer,
    search_in,
    unread_list,
)
from ragvigil.scorer.dialects.langchain import pages_in
from ragvigil.scorer.dialects.messages import last_of, messages_of, replied, role_of
from ragvigil.scorer.dialects.openinference_feedback import evaluations_in, feedback_in, has_opinions
from ragvigil.scorer.dialects.openinference_values import (
    declared_json,
    documents_in,
    flattened_documents,
    likely_json,
)
from ragvigil.scorer.dialects.printed import (
    is_printed,
    printed_documents,
    printed_nodes,
    printed_reply,
    printed_turns,
)
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.reading import Message, Reading, Role
from ragvigil.scorer.dialects.replies import completion_of, returned_in
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.tools import tool_reading
from ragvigil.scorer.dialects.values import (
    REDACTED,
    answer_in,
    count_of,
    first_id,
    id_of,
    kind_of,
    mapping_of,
    number_of,
    query_in,
    sequence_of,
    text_of,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Document, Tokens

KIND = "openinference.span.kind"
_ROLES: dict[str, Role] = {
    "llm": "generator",
    "retriever": "retriever",
    "reranker": "reranker",
    "chain": "chain",
    "agent": "chain",
    "embedding": "embedding",
    "tool": "tool",
    "guardrail": "evaluator",
    "evaluator": "evaluator",
}
_CONVERSATIONS, _USERS = ("session_id", "conversation_id", "thread_id"), ("user_id", "userId")
_TOOLS = ("tool", "function")
_SCHEMA = frozenset({"type", "properties"})
_SPOKEN = frozenset({"text", "input_text", "output_text", "refusal"})
"""Types of a message's parts of which the text is somebody's words, and not JSON of a document or a result."""
_ASKING = frozenset({"query", "question", "messages", "input", "inputs", "task"})
_NONE: Mapping[str, object] = {}
_SEARCHES = ("Retriever.run", "Ranker.run")
_ANSWERING = "retrieveAndGenerateConfiguration"
_INSTRUMENTED = "openinference.instrumentation."
"""Scopes of the instrumentations: these never forget the MIME type of JSON, save for two."""
_BEEAI = f"{_INSTRUMENTED}beeai"
"""It puts the text of an error in the place of what a step returned, and has spans with a path for a step's events."""
_FORGETFUL = (".smolagents", ".autogen_agentchat")
_INNER = (".write_response_to_history", "OutputParser.parse")
"""Names that end so are LlamaIndex's own bookkeeping, which asks, finds and answers nothing."""


class OpenInference:
    """Reads every span with `openinference.span.kind`."""

    name = "openinference"

    def matches(self, span: Span) -> bool:
        """Whether the span names its OpenInference kind."""
        return KIND in span.attributes

    def read(self, span: Span) -> Reading:
        """What the span says."""
        get = span.attributes.get
        content = _content(_as_told(span))
        given = get("metadata")
        metadata = mapping_of(given) if given else _NONE
        conversation, user = id_of(get("session.id")), id_of(get("user.id"))
        if metadata:
            conversation = conversation or first_id(metadata, *_CONVERSATIONS)
            user = user or first_id(metadata, *_USERS)
        said = has_opinions(span.attributes)
        redacted = REDACTED in (get("input.value"), get("output.value"))
        if not (conversation or user or said or redacted):
            return content
        return replace(
            content,
            conversation_id=conversation,
            user_id=user,
            feedback=feedback_in(span.attributes),
            evaluations=evaluations_in(span.attributes),
            redacted=redacted,
        )


def _as_told(span: Span) -> Span:
    """The span without an output that explains an error, or without the claim that an answer is a framework's JSON."""
    told = span.attributes
    if span.failed and span.scope == _BEEAI:
        return replace(span, attributes={key: told[key] for key in told if not key.startswith("output.")})
    if told.get("ai.response.text") in (None, "") or told["ai.response.text"] != told.get("output.value"):
        return span  # as nearly always
    return replace(span, attributes={key: told[key] for key in told if key != "output.mime_type"})


def _content(span: Span) -> Reading:
    kind = kind_of(span.attributes[KIND])
    role = _ROLES.get(kind, "other")
    if span.name.endswith(_INNER) or (span.scope == _BEEAI and "metadata.path" in span.attributes):
        return Reading(role="other")
    if role == "tool":
        return _tool(span)
    if role == "generator":
        return _generation(span)
    if role == "chain":
        return _chain(span, kind)
    documents = documents_in(span.attributes, role)
    if role == "retriever" and (answered := _answering_search(span.attributes, documents)):
        return answered
    return _search(span, role, documents)


def _search(span: Span, role: Role, documents: tuple[Document, ...] | None, given: object = None) -> Reading:
    """What a retriever or a reranker says, or a step that is neither a chain, a model nor a tool."""
    told = span.attributes.get
    return Reading(
        role=role,
        query=text_of(told("reranker.query")) or _input(span, given),
        documents=documents,
        input_documents=flattened_documents(span.attributes, "reranker.input_documents."),
        unread=is_printed(text_of(told("output.value")) or ""),
    )


def _chain(span: Span, kind: str) -> Reading:
    """A step of the application, which may have searched for all that its kind says."""
    told = span.attributes.get
    documents, context = documents_in(span.attributes, "chain"), None
    made, given = (declared_json(span.attributes, side) for side in ("output", "input"))
    structured = made is not None or given is not None
    if nodes := printed_nodes(sequence_of(made)):
        return _search(span, "reranker", nodes, given)
    if (structured or span.name.endswith(_SEARCHES)) and (found := _haystack(span, given, made)):
        return found
    asked = text_of(told("reranker.query")) or _input(span, given)
    if asked is None and kind == "agent":  # CrewAI's are given objects, and return what was said
        said = last_of(messages_of(mapping_of(made).get("messages")), "user")
        asked = question_in(said) if said else None
    if documents is None:
        if found := _function(span.attributes, asked, given, made) or _narrowed(span.attributes):
            return found
        documents, context = _passed(given, made) if structured else (None, None)
    answer = _output(span.attributes, None if span.failed else asked, made)
    return Reading(
        role="chain",
        query=asked,
        documents=documents,
        input_documents=flattened_documents(span.attributes, "reranker.input_documents."),
        answer=answer,
        unread=answer is None and is_printed(text_of(told("output.value")) or ""),
        context=context,
        messages=_flat_messages(span.attributes, "llm.input_messages."),
        model=text_of(told("llm.model_name")),
        unread_list=unread_list(span.name, told("output.value") if made is None else made),
    )


def _answering_search(
    attributes: Mapping[str, object], documents: tuple[Document, ...] | None
) -> Reading | None:
    """Bedrock's RetrieveAndGenerate: one span that searches and answers, by its parameters."""
    if _ANSWERING not in str(attributes.get("llm.invocation_parameters", "")):
        return None
    asked = text_of(attributes.get("input.value"))
    return Reading(
        role="generator",
        messages=(Message("user", asked),) if asked else (),
        documents=documents,
        answer=text_of(attributes.get("output.value")),
        model=text_of(attributes.get("llm.model_name")),
    )


def _haystack(span: Span, given: object, made: object) -> Reading | None:
    """A search that instrumentations of 2025 took for a chain: its documents are printed, a failed one has none."""
    asked, found = mapping_of(given), mapping_of(made).get("documents")
    documents = printed_documents(sequence_of(found))
    taken = printed_documents(sequence_of(asked.get("documents")))
    if not documents and not span.name.endswith(_SEARCHES):
        return None
    return Reading(
        role="reranker" if "documents" in asked else "retriever",
        query=text_of(asked.get("query")),
        documents=documents if isinstance(found, list) else None,
        input_documents=taken or None,
    )


def _function(
    attributes: Mapping[str, object], asked: str | None, given: object, made: object
) -> Reading | None:
    """A function that returned passages; what it was given may be a text."""
    if not may_list(str(attributes.get("output.value", ""))):
        return None
    search = search_in(given, made)
    if search is None:
        return None
    taken = search.input_documents
    searched = Reading(role=search.role, query=asked, documents=search.documents, input_documents=taken)
    return or_answer(searched, Reading(role="chain", query=asked), attributes.get("output.value"))


def _narrowed(attributes: Mapping[str, object]) -> Reading | None:
    """A step that handed on some of the documents that it was given."""
    search = narrowed_in(attributes.get("input.value"), attributes.get("output.value"))
    if search is None:
        return None
    return Reading(role=search.role, documents=search.documents, input_documents=search.input_documents)


def _passed(given: object, made: object) -> tuple[tuple[Document, ...] | None, str | None]:
    """The documents that a chain returned or was given, for a function may search, too; else the text of a context."""
    if pages := pages_in(made) or pages_in(given):
        return pages, None
    context, documents = context_in(mapping_of(given))
    return documents, context


def _tool(span: Span) -> Reading:
    get = span.attributes.get
    arguments = get("tool.parameters")
    if not arguments or _is_schema(mapping_of(arguments)):
        arguments = get("input.value") or arguments
    return tool_reading(text_of(get("tool.name")) or span.name, arguments, get("output.value"))


def _is_schema(parameters: Mapping[str, object]) -> bool:
    """Whether these are a tool's parameters as CrewAI or smolagents describe them: not what it was called with."""
    described = [mapping_of(each) for each in parameters.values()]
    return parameters.keys() >= _SCHEMA or (bool(described) and all("type" in each for each in described))


def _generation(span: Span) -> Reading:
    get = span.attributes.get
    parameters = mapping_of(get("llm.invocation_parameters"))
    conversation = _conversation(span.attributes)
    tools = passages_answered(conversation)
    return Reading(
        role="generator",
        documents=tools.documents,
        unread_search=tools.unread,
        answer=_completion(span.attributes),
        messages=_messages(span.attributes, conversation),
        model=_first(get("llm.request.model_name"), get("llm.model_name"), parameters.get("model")),
        response_model=text_of(get("llm.response.model_name")),
        finish_reason=finish_reason_in(span.attributes),
        prompt_version=text_of(get("llm.prompt_template.version")),
        tokens=Tokens(count_of(get("llm.token_count.prompt")), count_of(get("llm.token_count.completion"))),
        cost_usd=number_of(get("llm.cost.total")),
        streaming=_streaming(span),
        exchange=(get("input.value"), get("output.value")),
    )


def _streaming(span: Span) -> bool | None:
    """True where LlamaIndex marks the first token, or LangChain's reply is made of chunks; else unknown."""
    output = span.attributes.get("output.value")
    chunks = isinstance(output, str) and '"AIMessageChunk"' in output
    return True if chunks or any(event.name == "First Token Stream Event" for event in span.events) else None


def _input(span: Span, given: object) -> str | None:
    """The question; a frame around it needs no MIME type where a person wrote the span, who may forget it.

    `given`: the structure of the input, None where it has none or nobody has looked yet.
    """
    attributes = span.attributes
    structure = declared_json(attributes, "input") if given is None else given
    if structure is None:
        sure = span.scope.startswith(_INSTRUMENTED) and not span.scope.endswith(_FORGETFUL)
        structure = None if sure else likely_json(attributes, "input")
        if _ASKING.isdisjoint(mapping_of(structure)):
            return _unprinted(text_of(attributes.get("input.value")))
    fields = mapping_of(structure)
    said = last_of(messages_of(fields.get("messages")), "user") or last_of(_lone_messages(fields), "user")
    told = said or last_of(_flat_messages(attributes, "llm.input_messages."), "user")
    return told or _unprinted(query_in(structure))


def _lone_messages(fields: Mapping[str, object]) -> tuple[Message, ...]:
    """Messages that stand alone among the arguments, as Google's ADK is given the new one of a session."""
    held = [cast("Mapping[str, object]", each) for each in fields.values() if isinstance(each, dict)]
    alone = [each for each in held if "role" in each]
    return messages_of(alone) if alone else ()


def _output(attributes: Mapping[str, object], asked: str | None, structure: object) -> str | None:
    """The answer of a chain whose output has this structure; a list of texts may be of printed objects, and is left."""
    if structure is None:
        return _unprinted(text_of(attributes.get("output.value")))
    fields = mapping_of(structure)
    reply = replied(messages_of(fields.get("messages"))) or answer_in(fields)
    if reply is None and not any(isinstance(item, str) for item in sequence_of(structure)):
        reply = returned_in(attributes.get("output.value"), asked, decoded=structure)
    return printed_reply(reply) or reply


def _completion(attributes: Mapping[str, object]) -> str | None:
    said = _flat_messages(attributes, "llm.output_messages.")
    if written := last_of(said, "assistant") or last_of(said, "unknown"):  # a stream may not say who speaks
        return written
    if any(key.startswith("llm.output_messages.") for key in attributes):
        return None  # a tool call: what stands in output.value is its JSON, no answer
    choices = indexed(attributes, "llm.choices.")
    texts = [text for choice in choices if (text := text_of(choice.get("completion.text")))]
    if texts:
        return texts[0]
    structure = declared_json(attributes, "output")
    return text_of(attributes.get("output.value")) if structure is None else completion_of(structure)


def _conversation(attributes: Mapping[str, object]) -> object:
    """The messages with what they say of tools, flattened or else as the provider was sent them."""
    sent = indexed(attributes, "llm.input_messages.")
    if not sent:
        return declared_json(attributes, "input")
    tools = any(
        role_of(fields.get("message.role")) in _TOOLS or "message.tool_call_id" in fields for fields in sent
    )
    if not tools:
        return None
    printed = printed_turns(sequence_of(mapping_of(declared_json(attributes, "input")).get("messages")))
    return printed or unflattened(attributes, "llm.input_messages.", "message.")


def _messages(attributes: Mapping[str, object], given: object) -> tuple[Message, ...]:
    """What the model was sent; `given`: the structure of the input, where no message is flattened."""
    found = _flat_messages(attributes, "llm.input_messages.")
    if found:
        return found
    prompts = sequence_of(attributes.get("llm.prompts"))
    prompts += [prompt.get("prompt.text") for prompt in indexed(attributes, "llm.prompts.")]
    if texts := [text for prompt in prompts if (text := text_of(prompt))]:
        return tuple(Message("user", text) for text in texts)
    return messages_of(given if given is not None else _unprinted(text_of(attributes.get("input.value"))))


def _flat_messages(attributes: Mapping[str, object], prefix: str) -> tuple[Message, ...]:
    return tuple(_message(fields) for fields in indexed(attributes, prefix))


def _message(fields: Mapping[str, object]) -> Message:
    role = role_of(fields.get("message.role"))
    parts = indexed(fields, "message.contents.")
    said = [part for part in parts if kind_of(part.get("message_content.type", "text")) in _SPOKEN]
    texts = [text for part in said if (text := text_of(part.get("message_content.text")))]
    if whole := text_of(fields.get("message.content")):
        return Message(role, whole)
    return Message(role, "\n".join(texts) or None, tuple(texts) if len(texts) > 1 else ())


def _unprinted(text: str | None) -> str | None:
    return None if text is None or is_printed(text) else text


def _first(*values: object) -> str | None:
    return next((text for value in values if (text := text_of(value))), None)
