"""What a vector store's client found, as OpenLLMetry's instrumentations of Chroma, Pinecone and others tell it.

Each result is a span event. The search is not taken for a retriever: caches and memories search such stores, too. So
its results count where no search of the question tells what it found. OpenTelemetry's spans of AWS's client tell that
a knowledge base was searched, which is a search for the question, and whether it failed; nothing of what was found.
"""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.dialects.documents import document_of, ranked
from ragvigil.scorer.dialects.printed import printed_fields
from ragvigil.scorer.dialects.reading import Reading
from ragvigil.scorer.span import Span, SpanEvent
from ragvigil.scorer.trace import Document

_RESULT = "db.query.result"
_MATCH = "db.search.result"
"""Milvus's, with the fields of what was found as Python prints them."""
_KNOWLEDGE_BASE = "Bedrock Agent Runtime"
_ASKING = ("Retrieve", "RetrieveAndGenerate", "RetrieveAndGenerateStream")
"""Operations of that service that search."""


class VectorStore:
    """Reads spans with an event for each result, and those of AWS's client."""

    name = "vector_store"

    def matches(self, span: Span) -> bool:
        """Whether the span tells of a query of a store, and what was found, or of a search in a knowledge base."""
        return _searches(span) or any(event.name in (_RESULT, _MATCH) for event in span.events)

    def read(self, span: Span) -> Reading:
        """The passages that were found, with what texts and scores the client gave."""
        if _searches(span):
            return Reading(role="retriever")
        return Reading(role="other", documents=_found(span.events) or _matched(span.events) or None)


def _searches(span: Span) -> bool:
    get = span.attributes.get
    return get("rpc.service") == _KNOWLEDGE_BASE and get("rpc.method") in _ASKING


def _found(events: Sequence[SpanEvent]) -> tuple[Document, ...]:
    """The documents of the events, in order; a distance is no score.

    >>> told = {"db.query.result.id": "a", "db.query.result.document": "Snow.", "db.query.result.distance": 0.1}
    >>> [(each.id, each.text, each.score) for each in _found([SpanEvent("db.query.result", 0, told)])]
    [('a', 'Snow.', None)]
    """
    results = [event.attributes for event in events if event.name == _RESULT]
    found = (
        document_of(
            {
                "id": told.get(f"{_RESULT}.id"),
                "content": told.get(f"{_RESULT}.document"),
                "score": told.get(f"{_RESULT}.score"),
                "metadata": told.get(f"{_RESULT}.metadata"),
            }
        )
        for told in results
    )
    return ranked(document for document in found if document)


def _matched(events: Sequence[SpanEvent]) -> tuple[Document, ...]:
    """The documents of one search; where several were made at once, nobody knows whose they are.

    >>> told = {"db.search.result.id": 7, "db.search.result.entity": "{'text': 'Snow.'}"}
    >>> [(each.id, each.text) for each in _matched([SpanEvent("db.search.result", 0, told)])]
    [('7', 'Snow.')]
    """
    results = [event.attributes for event in events if event.name == _MATCH]
    if len({told.get("db.search.query.id") for told in results}) > 1:
        return ()
    fields = (printed_fields(told.get(f"{_MATCH}.entity")) for told in results)
    found = (
        document_of({**entity, "id": told.get(f"{_MATCH}.id")})
        for told, entity in zip(results, fields, strict=True)
    )
    return ranked(document for document in found if document)
