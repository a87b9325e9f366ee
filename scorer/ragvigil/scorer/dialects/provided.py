"""Passages that stand in a request to a model or in its reply: what providers search for themselves, or are given.

OpenAI's file search, Gemini's grounding and what its client called for it, Bedrock's knowledge bases; search results
and documents as Anthropic, Bedrock and Cohere take them; what Anthropic fetched. Only looked for where no search and no
tool of the question tells any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from ragvigil.scorer.dialects.documents import documents_of, ranked
from ragvigil.scorer.dialects.messages import content_of
from ragvigil.scorer.dialects.tool_responses import Answered, passages_answered
from ragvigil.scorer.dialects.tools import is_search
from ragvigil.scorer.dialects.values import first_text, mapping_of, sequence_of, structure_of, text_of
from ragvigil.scorer.trace import Document

_MARKS = (
    "file_search",
    "web_search",
    "web_fetch",
    "search_result",
    "searchResult",
    "etrieved",
    '"document',
    "anthropic_document",
    "rounding",
    "alling_history",
    "allingHistory",
)
"""Of these each structure below has one; they are looked for before anything is decoded."""
_DEEPEST = 12
_MOST = 20_000
"""Objects and lists that are looked at."""
_HISTORIES = ("automatic_function_calling_history", "automaticFunctionCallingHistory")
"""Gemini's client calls functions by itself, and keeps what they answered beside the reply."""
_CHUNK_ID = "x-amz-bedrock-kb-chunk-id"
_OFFERED = ("file_search", "vertex_ai_search", "vertex_rag_store", "retrieval")


def provided_in(*values: object) -> Answered:
    """The passages in a request and a reply, whoever's they are, as JSON or decoded.

    `unread`: something was searched or attached of which no text is told.

    >>> found = {"type": "file_search_call", "results": [{"file_id": "a", "text": "Snow.", "score": 0.5}]}
    >>> [(each.id, each.text) for each in provided_in({"output": [found]}).documents or ()]
    [('a', 'Snow.')]
    >>> provided_in({"output": [{"type": "file_search_call", "results": None}]})
    Answered(documents=None, unread=True)
    >>> provided_in('{"messages": [{"role": "user", "content": "why?"}]}')
    Answered(documents=None, unread=False)
    """
    found: list[Document] = []
    for value in values:
        if isinstance(value, str) and not any(mark in value for mark in _MARKS):
            continue
        for fields in _objects(structure_of(value)):
            found += _passages(fields) or ()
    read = [each for each in found if each.text is not None]
    return Answered(ranked(read) or None, unread=len(read) < len(found))


def offers_search(definitions: object, *, own: bool = False) -> bool:
    """Whether a model is offered a search of its provider's, or one of the service's `own`: nobody can tell then
    whether it searched.

    >>> offers_search('[{"file_search": {"file_search_store_names": ["a"]}}]'), offers_search('[{"name": "add"}]')
    (True, False)
    """
    if own and any(
        is_search(text_of(mapping_of(each).get("name")) or "") for each in sequence_of(definitions)
    ):
        return True
    if definitions is None or (
        isinstance(definitions, str) and not any(each in definitions for each in _OFFERED)
    ):
        return False
    offered = [mapping_of(each) for each in sequence_of(definitions)]
    return any(each.get("type") in _OFFERED or not each.keys().isdisjoint(_OFFERED) for each in offered)


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    """Every object in a structure, in order."""
    waiting: list[tuple[object, int]] = [(value, 0)]
    looked = 0
    while waiting and looked < _MOST:
        item, depth = waiting.pop()
        looked += 1
        below: Iterable[object] = ()
        if isinstance(item, dict):
            fields = cast("Mapping[str, object]", item)
            yield fields
            below = fields.values()
        elif isinstance(item, list):
            below = cast("list[object]", item)
        if depth < _DEEPEST:
            waiting += [(each, depth + 1) for each in reversed([*below]) if isinstance(each, (dict, list))]


def _passages(fields: Mapping[str, object]) -> tuple[Document, ...] | None:
    """What one object holds; a passage without a text where it holds something that nobody can read."""
    kind = fields.get("type")
    if kind == "file_search_call":
        return documents_of(fields["results"]) if isinstance(fields.get("results"), list) else _UNREAD
    if kind in _TYPES_ALONE or (
        kind == "tool_call_response" and {"type": "document"} in sequence_of(fields.get("response"))
    ):
        return _UNREAD
    if kind == "search_result" and isinstance(fields.get("content"), list):
        return _one(fields.get("source"), content_of(fields["content"]))
    if kind == "document" and isinstance(fields.get("source"), dict):
        return _document(fields)
    for key in _HISTORIES:
        if fields.get(key):
            answered = passages_answered(fields[key])
            return _UNREAD if answered.unread else answered.documents
    for key in ("retrieved_context", "retrievedContext"):
        if isinstance(fields.get(key), dict):
            return _grounding(mapping_of(fields[key]))
    for key in ("grounding_chunks", "groundingChunks"):
        if any("web" in mapping_of(chunk) for chunk in sequence_of(fields.get(key))):
            return _UNREAD
    if isinstance(fields.get("retrievedReferences"), list):
        return tuple(map(_reference, sequence_of(fields["retrievedReferences"])))
    if isinstance(fields.get("searchResult"), dict):
        inner = mapping_of(fields["searchResult"])
        return _one(inner.get("source"), content_of(inner.get("content")))
    if isinstance(fields.get("document"), dict) and isinstance(
        mapping_of(fields["document"]).get("source"), dict
    ):
        return _document(mapping_of(fields["document"]))
    if isinstance(fields.get("documents"), list) and ("messages" in fields or "message" in fields):
        return _given(sequence_of(fields["documents"]))
    return None


_UNREAD = (Document(None, None),)
_TYPES_ALONE = (
    *("web_search_call", "web_search_tool_result"),
    *("anthropic_document", "anthropic_search_result"),  # as Anthropic's client writes what it was given
)
"""Parts of a request or a reply of which no text is told."""


def _one(name: object, text: str | None) -> tuple[Document, ...]:
    return (Document(text_of(name), text),)


def _document(fields: Mapping[str, object]) -> tuple[Document, ...]:
    """A document that was attached; its title tells documents apart. Of a file only its bytes are there."""
    source = mapping_of(fields.get("source"))
    text = text_of(source.get("data")) if source.get("type") == "text" else None
    return _one(
        first_text(fields, "title", "name"),
        text or content_of(source.get("content")) or text_of(source.get("text")),
    )


def _grounding(context: Mapping[str, object]) -> tuple[Document, ...]:
    chunk = mapping_of(context.get("rag_chunk") or context.get("ragChunk"))
    name = first_text(context, "document_name", "documentName", "uri", "title")
    return _one(name, first_text(context, "text") or text_of(chunk.get("text")))


def _reference(item: object) -> Document:
    fields = mapping_of(item)
    return Document(
        text_of(mapping_of(fields.get("metadata")).get(_CHUNK_ID)), content_of(fields.get("content"))
    )


def _given(items: list[object]) -> tuple[Document, ...]:
    """Documents as Cohere takes them: texts, or an id and fields of the service's own."""
    inner = [{**mapping_of(item), **mapping_of(mapping_of(item).get("data"))} or item for item in items]
    return documents_of(inner) or ()
