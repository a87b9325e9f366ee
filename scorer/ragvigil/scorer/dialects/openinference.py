"""OpenInference, as the LangChain, LlamaIndex and Haystack instrumentors and its own helpers write it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.flattened import indexed
from ragvigil.scorer.dialects.genai_messages import completion_of
from ragvigil.scorer.dialects.messages import last_of, messages_of
from ragvigil.scorer.dialects.openinference_feedback import evaluations_in, feedback_in
from ragvigil.scorer.dialects.reading import Message, Reading, Role
from ragvigil.scorer.dialects.values import (
    REDACTED,
    answer_in,
    count_of,
    id_of,
    mapping_of,
    number_of,
    query_in,
    sequence_of,
    structure_of,
    text_of,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Document, Tokens

KIND = "openinference.span.kind"
_ROLES: dict[object, Role] = {
    "LLM": "generator",
    "RETRIEVER": "retriever",
    "RERANKER": "reranker",
    "CHAIN": "chain",
    "AGENT": "chain",
    "EMBEDDING": "embedding",
    "TOOL": "tool",
    "GUARDRAIL": "evaluator",
    "EVALUATOR": "evaluator",
}
_NODE = re.compile(r"<\w+\(node=\w+\(id_=(?P<id>[^()]*)\), score=(?P<score>[^()]*)\)>")
"""How LlamaIndex prints a retrieved node, the only trace that its postprocessors leave of their output."""


class OpenInference:
    """Reads every span with `openinference.span.kind`."""

    name = "openinference"

    def matches(self, span: Span) -> bool:
        """Whether the span names its OpenInference kind."""
        return KIND in span.attributes

    def read(self, span: Span) -> Reading:
        """What the span says."""
        role = _ROLES.get(span.attributes[KIND], "other")
        documents = _documents(span.attributes, role)
        if role == "chain" and (nodes := _printed_nodes(span.attributes)):
            role, documents = "reranker", nodes
        return replace(
            _generation(span) if role == "generator" else _wrapper(span, role),
            documents=documents,
            input_documents=_flattened(span.attributes, "reranker.input_documents."),
            conversation_id=id_of(span.attributes.get("session.id")),
            user_id=id_of(span.attributes.get("user.id")),
            feedback=feedback_in(span.attributes),
            evaluations=evaluations_in(span.attributes),
            redacted=REDACTED in (span.attributes.get("input.value"), span.attributes.get("output.value")),
        )


def _wrapper(span: Span, role: Role) -> Reading:
    """A span whose input is a question and whose output, on a chain, is an answer."""
    get = span.attributes.get
    tool = role == "tool"
    return Reading(
        role=role,
        query=text_of(get("reranker.query")) or _input(span.attributes),
        answer=_output(span.attributes) if role == "chain" else None,
        tool=text_of(get("tool.name")) or span.name if tool else None,
    )


def _generation(span: Span) -> Reading:
    get = span.attributes.get
    parameters = mapping_of(get("llm.invocation_parameters"))
    return Reading(
        role="generator",
        answer=_completion(span.attributes),
        messages=_messages(span.attributes),
        model=_first(get("llm.request.model_name"), get("llm.model_name"), parameters.get("model")),
        response_model=text_of(get("llm.response.model_name")),
        prompt_version=text_of(get("llm.prompt_template.version")),
        tokens=Tokens(count_of(get("llm.token_count.prompt")), count_of(get("llm.token_count.completion"))),
        cost_usd=number_of(get("llm.cost.total")),
        streaming=_streaming(span),
    )


def _streaming(span: Span) -> bool | None:
    """True where LlamaIndex marks the first token, or LangChain's reply is made of chunks; else unknown."""
    output = span.attributes.get("output.value")
    chunks = isinstance(output, str) and '"AIMessageChunk"' in output
    return True if chunks or any(event.name == "First Token Stream Event" for event in span.events) else None


def _input(attributes: Mapping[str, object]) -> str | None:
    value, structure = attributes.get("input.value"), _declared_json(attributes, "input")
    if structure is None:
        return text_of(value)
    return last_of(messages_of(mapping_of(structure).get("messages")), "user") or query_in(structure)


def _output(attributes: Mapping[str, object]) -> str | None:
    """The answer of a chain; a structured output of unknown shape is left alone."""
    structure = _declared_json(attributes, "output")
    if structure is None:
        return text_of(attributes.get("output.value"))
    fields = mapping_of(structure)
    replies = messages_of(fields.get("messages") or fields.get("replies"))
    return last_of(replies, "assistant") or (answer_in(fields) if fields else None)


def _completion(attributes: Mapping[str, object]) -> str | None:
    written = last_of(_flat_messages(attributes, "llm.output_messages."), "assistant")
    if written:
        return written
    if any(key.startswith("llm.output_messages.") for key in attributes):
        return None  # a tool call: what stands in output.value is its JSON, no answer
    choices = indexed(attributes, "llm.choices.")
    texts = [text for choice in choices if (text := text_of(choice.get("completion.text")))]
    if texts:
        return texts[0]
    structure = _declared_json(attributes, "output")
    return text_of(attributes.get("output.value")) if structure is None else completion_of(structure)


def _messages(attributes: Mapping[str, object]) -> tuple[Message, ...]:
    found = _flat_messages(attributes, "llm.input_messages.")
    if found:
        return found
    prompts = sequence_of(attributes.get("llm.prompts"))
    prompts += [prompt.get("prompt.text") for prompt in indexed(attributes, "llm.prompts.")]
    return tuple(Message("user", text) for prompt in prompts if (text := text_of(prompt)))


def _flat_messages(attributes: Mapping[str, object], prefix: str) -> tuple[Message, ...]:
    return tuple(_message(fields) for fields in indexed(attributes, prefix))


def _message(fields: Mapping[str, object]) -> Message:
    role = text_of(fields.get("message.role")) or "unknown"
    parts = indexed(fields, "message.contents.")
    texts = [text for part in parts if (text := text_of(part.get("message_content.text")))]
    return Message(role, text_of(fields.get("message.content")) or "\n".join(texts) or None)


def _documents(attributes: Mapping[str, object], role: Role) -> tuple[Document, ...] | None:
    """The flattened documents; with gaps, or without any, also those in the output."""
    prefix = "reranker.output_documents." if role == "reranker" else "retrieval.documents."
    flattened = _flattened(attributes, prefix)
    if flattened is None:
        return (
            documents_of(_declared_json(attributes, "output"))
            if role in ("retriever", "reranker", "tool")
            else None
        )
    if all(document.id is not None for document in flattened):
        return flattened
    written = documents_of(_declared_json(attributes, "output")) or ()
    if len(written) != len(flattened):
        return flattened
    return tuple(
        replace(
            document,
            id=document.id or other.id,
            score=other.score if document.score is None else document.score,
        )
        for document, other in zip(flattened, written, strict=True)
    )


def _flattened(attributes: Mapping[str, object], prefix: str) -> tuple[Document, ...] | None:
    found = indexed(attributes, prefix)
    return tuple(_document(fields, rank) for rank, fields in enumerate(found, 1)) if found else None


def _document(fields: Mapping[str, object], rank: int) -> Document:
    metadata = mapping_of(fields.get("document.metadata"))
    scores = (fields.get("document.score"), metadata.get("score"), metadata.get("relevance_score"))
    score = next((number for each in scores if (number := number_of(each)) is not None), None)
    return Document(
        id_of(fields.get("document.id")), text_of(fields.get("document.content")), score, rank, metadata
    )


def _printed_nodes(attributes: Mapping[str, object]) -> tuple[Document, ...]:
    """The nodes in an output that is nothing but printed nodes: a LlamaIndex postprocessor."""
    texts = sequence_of(_declared_json(attributes, "output"))
    found = [_NODE.fullmatch(text) for text in texts if isinstance(text, str)]
    matches = [match for match in found if match]
    if not matches or len(matches) != len(texts):
        return ()
    return tuple(
        Document(match["id"], None, _printed_number(match["score"]), rank)
        for rank, match in enumerate(matches, 1)
    )


def _printed_number(text: str) -> float | None:
    try:
        return number_of(float(text))
    except ValueError:
        return None


def _declared_json(attributes: Mapping[str, object], side: str) -> object:
    """The structure of `input.value` or `output.value`, only where its MIME type says JSON."""
    if attributes.get(f"{side}.mime_type") != "application/json":
        return None
    return structure_of(attributes.get(f"{side}.value"))


def _first(*values: object) -> str | None:
    return next((text for value in values if (text := text_of(value))), None)
