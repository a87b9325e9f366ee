"""Documents from what frameworks return from a search: lists of objects, tuples, texts, or JSON of these."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from ragvigil.scorer.dialects.messages import content_of, messages_of
from ragvigil.scorer.dialects.values import id_of, mapping_of, number_of, sequence_of, structure_of, text_of
from ragvigil.scorer.trace import Document

_ID_KEYS = (
    *("id", "_id", "id_", "doc_id", "document_id", "chunk_id", "node_id", "uuid", "file_id"),
    *("docId", "documentId", "chunkId"),
)
_TEXT_KEYS = (
    *("content", "page_content", "text", "chunk", "passage", "body", "snippet"),
    *("pageContent", "passage_text", "chunk_text", "document_text", "excerpt"),
    *("texto", "contenido", "inhalt", "texte", "contenu", "conteudo", "conteúdo", "testo", "contenuto"),
    *("содержание", "текст", "内容", "文本", "本文", "내용"),
)
_SCORE_KEYS = (
    *("score", "relevance_score", "similarity", "_score", "similarity_score"),
    *("rerank_score", "@search.rerankerScore", "@search.score"),
)
_METADATA_KEYS = ("metadata", "meta", "payload")
_NONE: Mapping[str, object] = {}
_SPEAKERS = frozenset({"user", "assistant", "system", "tool", "developer", "function"})
"""Roles of chat messages, which have ids and texts, too."""
_WRAPPERS = ("document", "node", "kwargs", "_source", "properties")
"""Keys under which frameworks put the document itself, beside its score or type."""
_OTHER_KEYS = ("title", "url", "uri", "source", "type", "name", "file", "rank", "embedding")
_WHOLE = frozenset({*_ID_KEYS, *_TEXT_KEYS, *_SCORE_KEYS, *_METADATA_KEYS, *_OTHER_KEYS})
"""All that the JSON of one document is made of; a passage that is itself JSON has names of its own."""
_PAGES = ("sourcepage", "sourcefile")
"""What answers over Azure's index cite: its rows have them beside the text, and no metadata."""
_FROM = frozenset({*_ID_KEYS, *_SCORE_KEYS, *_METADATA_KEYS, "url", "uri", "source", "file"})
"""Of these, those that a lone document has beside its text: where it is from, or how well it fits."""
_NAMED = frozenset(("name", "similarity"))
"""All that a passage has in the Vercel AI SDK's guide to RAG; beside an id, a name would be a title."""
_KEY = re.compile(r"(?=.*(?:\d|[/#]|\.\w{1,5}\Z))\S{1,300}")
_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?(?:[T ]|\Z)|\d{1,2}[:.h]\d\d\Z|\d{1,2}[./]\d{1,2}[./]\d{2,4}\Z|(?:19|20)\d\d\Z"
)
_NUMBER = re.compile(r"(?:np\.)?(?:float\d+|Decimal)?\(?'?(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)'?\)?")
"""A score that JSON could not say otherwise, as `str` and `repr` write those of numpy."""
_LISTS = (
    *("documents", "results", "hits", "matches", "nodes", "chunks", "passages"),
    *("source_documents", "context", "items", "data", "value", "output", "result"),
    *("objects", "retrievalResults", "contexts", "docs"),
)
"""Keys under which a result object keeps its documents, or an object with one of them."""


def documents_of(value: object) -> tuple[Document, ...] | None:
    """The documents in a search result, ranked as they stand; None when it holds no list of documents.

    >>> documents_of('{"documents": [{"page_content": "Snow.", "metadata": {"score": 0.5}}]}')
    (Document(id=None, text='Snow.', score=0.5, rank=1, metadata={'score': 0.5}),)
    >>> documents_of("[]"), documents_of('{"answer": "42"}'), documents_of("Snow.")
    ((), None, None)
    """
    structure = structure_of(value)
    if isinstance(structure, dict):
        fields = cast("Mapping[str, object]", structure)
        if isinstance(fields.get("ids"), list):
            return _from_columns(fields)
        structure = _list_in(fields)
        if structure is None:
            return keyed_in(fields)
    if not isinstance(structure, list):
        return None
    items = cast("list[object]", structure)
    found = _unhidden([document for item in items if (document := document_of(item))])
    return ranked(found) if found or not items else None


def told_of(value: object) -> tuple[Document, ...] | None:
    """The documents in a list of nothing else: of one that tells neither id nor text it is known that it was found.

    >>> [(each.id, each.score) for each in told_of('[{"id": null, "score": 0.5}, {"id": "a"}]') or ()]
    [(None, 0.5), ('a', None)]
    >>> told_of("[]"), told_of(None)
    ((), None)
    """
    items = sequence_of(value)
    if not items or not all(isinstance(item, dict) for item in items):
        return documents_of(value)
    return ranked(
        document_of(item) or Document(None, None, _number(mapping_of(item), _SCORE_KEYS)) for item in items
    )


def searched_in(value: object) -> tuple[Document, ...] | None:
    """The documents in what a search returned, so that a lone object may be one, and its only list may have any name.

    >>> searched_in('{"text": "Snow.", "source": "a.md"}')
    (Document(id=None, text='Snow.', score=None, rank=1, metadata={}),)
    >>> [each.text for each in searched_in({"treffer": [{"inhalt": "Schnee."}], "anzahl": 1}) or ()]
    ['Schnee.']
    >>> searched_in({"stops": [{"name": "Lorient"}]}), searched_in({"answer": "At nine.", "source": "a.md"})
    (None, None)
    """
    found = documents_of(value)
    if found is not None:
        return found
    fields = mapping_of(value)
    alone = document_of(fields) if fields.keys() <= _WHOLE and not _FROM.isdisjoint(fields) else None
    if alone is not None and alone.text:
        return (alone,)
    lists = [cast("list[object]", each) for each in fields.values() if isinstance(each, list) and each]
    only = lists[0] if len(lists) == 1 else []
    listed = documents_of(only) if all(isinstance(each, dict) for each in only) else None
    whole = listed and len(listed) == len(only) and all(each.text for each in listed)
    return listed if whole else None


def text_in(value: object) -> str | None:
    """The text that a search returned under a name for documents or a context; None where it returned anything else.

    >>> text_in({"context": "[1] Snow.", "sources": ["a"]}), text_in({"answer": "Because."})
    ('[1] Snow.', None)
    """
    fields = mapping_of(value)
    return next((text for key in _LISTS if (text := text_of(fields.get(key)))), None)


def keyed_in(fields: Mapping[str, object]) -> tuple[Document, ...] | None:
    """The documents in an object that holds nothing but texts, or documents, under their ids; None for any other.

    An id has a digit, a slash or the like in it, and is no date: anything else may be the name of a fact.

    >>> [(each.id, each.text) for each in keyed_in({"faq#1": "Snow is white.", "faq#2": "Coal is black."}) or ()]
    [('faq#1', 'Snow is white.'), ('faq#2', 'Coal is black.')]
    >>> keyed_in({"opening_hours": "Nine to five."}), keyed_in({"2026-11-22": "Closed all day."})
    (None, None)
    """
    wrapped = (mapping_of(fields[key]) for key in _LISTS if isinstance(fields.get(key), dict))
    for each in (fields, *wrapped):
        found = [_keyed(key, value) for key, value in each.items()]
        documents = [document for document in found if document]
        if documents and len(documents) == len(found):
            return ranked(documents)
    return None


def passages_of(value: object) -> tuple[Document, ...] | None:
    """The documents, where `value` is a list of nothing but passages: texts with an id or a score, and no messages.

    >>> passages_of('[{"id": "a", "text": "Snow."}]') is None, passages_of('[{"role": "user", "content": "why?"}]')
    (False, None)
    """
    items = sequence_of(value)
    found = documents_of(items)
    told = found and all(each.text is not None and (each.id or each.score is not None) for each in found)
    spoken = told and any(message.role in _SPEAKERS for message in messages_of(items))
    return found if told and not spoken else None


def document_of(item: object) -> Document | None:
    """One document of a search result, of rank 1; None when it has neither id nor text.

    >>> document_of([{"id": 7, "text": "Snow."}, 0.25]) == document_of(["7", "Snow.", 0.25])
    True
    """
    if isinstance(item, str):
        return _written_out(item) or (Document(None, item) if text_of(item) else None)
    if isinstance(item, list):
        return _scored_pair(cast("list[object]", item))
    if not isinstance(item, dict):
        return None
    fields = cast("Mapping[str, object]", item)
    for wrapper in _WRAPPERS:
        if isinstance(fields.get(wrapper), dict) and (inner := document_of(fields[wrapper])):
            facts = mapping_of(fields.get("metadata"))
            told = (_number(fields, _SCORE_KEYS), _number(facts, _SCORE_KEYS), inner.score)
            score = next((each for each in told if each is not None), None)
            return replace(inner, id=inner.id or _identifier(fields), score=score)
    return _document(fields)


def score_of(value: object) -> float | None:
    """A finite number, or a text that is one.

    >>> score_of(0.5), score_of("0.5"), score_of("np.float32(0.5)"), score_of("best")
    (0.5, 0.5, 0.5, None)
    """
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        return number_of(float(found["number"]))
    return number_of(value)


def ranked(documents: Iterable[Document]) -> tuple[Document, ...]:
    """The documents with ranks 1, 2, 3 … in the given order."""
    return tuple(
        document if document.rank == rank else replace(document, rank=rank)
        for rank, document in enumerate(documents, 1)
    )


def same(one: Document, other: Document) -> bool:
    """Whether both are the same passage: by id where both have one, else by text.

    One id with two different texts is two passages: some stores give the id of the file, not of the chunk.
    """
    if one.id is not None and other.id is not None:
        return one.id == other.id and (one.text is None or other.text is None or one.text == other.text)
    return one.text is not None and one.text == other.text


def _written_out(item: str) -> Document | None:
    """A document that is JSON in a list of texts: OpenLLMetry's LlamaIndex nodes, or an attribute that is a list."""
    fields = mapping_of(item) if item.startswith("{") else _NONE
    if "node" in fields:
        return document_of(fields)
    return _document(fields) if fields and fields.keys() <= _WHOLE and len(fields) > 1 else None


def _list_in(fields: Mapping[str, object]) -> object:
    """The first list under a known key; Elasticsearch and Vertex AI keep theirs in an object under one.

    Mastra's tools tell the passages twice, the second time with their ids, unless they were told not to.
    """
    if isinstance(fields.get("relevantContext"), list):
        return _told_twice(fields["relevantContext"], fields.get("sources"))
    lists = (fields[key] for key in _LISTS if isinstance(fields.get(key), list))
    inner = (mapping_of(fields[key]) for key in _LISTS if isinstance(fields.get(key), dict))
    nested = (each[key] for each in inner for key in _LISTS if isinstance(each.get(key), list))
    return next(itertools.chain(lists, nested), None)


def _told_twice(contexts: object, sources: object) -> object:
    """The sources if each is an object with a text; else the texts, with the sources' ids where there are as many.

    >>> _told_twice(["Snow.", "Coal."], ["https://a.example/1", "https://a.example/2"])
    ['Snow.', 'Coal.']
    >>> [each["id"] for each in _told_twice(["Snow."], [{"id": "a", "score": 0.5, "metadata": {}}])]
    ['a']
    """
    told = [document_of(mapping_of(each)) for each in sequence_of(sources)]
    if told and all(each is not None and each.text for each in told):
        return sources
    texts = [document_of(each) for each in sequence_of(contexts)]
    if len(told) != len(texts) or not all(each and each.id for each in told):
        return contexts
    pairs = [(text, source) for text, source in zip(texts, told, strict=True) if text and source]
    return [{"id": source.id, "text": text.text, "score": source.score} for text, source in pairs]


def _keyed(key: str, value: object) -> Document | None:
    if not _KEY.fullmatch(key) or _DATE.match(key):
        return None
    if isinstance(value, str):
        return Document(key, value) if len(value.split()) > 1 or (value and not value.isascii()) else None
    document = document_of(cast("object", value)) if isinstance(value, dict) else None
    return replace(document, id=document.id or key) if document and document.text else None


def _from_columns(fields: Mapping[str, object]) -> tuple[Document, ...]:
    """Chroma's result: ids and texts side by side, in one list a query; a distance is no score."""

    def column(key: str) -> list[object]:
        values = sequence_of(fields.get(key))
        nested = any(isinstance(value, list) for value in values)
        return [each for value in values for each in sequence_of(value)] if nested else values

    texts, metadata = column("documents"), column("metadatas")
    return ranked(
        Document(id_of(key), text_of(text), None, 1, mapping_of(facts))
        for key, text, facts in itertools.zip_longest(column("ids"), texts, metadata)
        if id_of(key) or text_of(text)
    )


def _document(fields: Mapping[str, object]) -> Document | None:
    metadata = next((found for key in _METADATA_KEYS if (found := mapping_of(fields.get(key)))), _NONE)
    if beside := {key: fields[key] for key in _PAGES if key in fields}:
        metadata = {**metadata, **beside}
    named = None if _NAMED.symmetric_difference(fields) else text_of(fields["name"])
    text = _text(fields) or _text(metadata) or named
    identifier = _identifier(fields) or _identifier(metadata)
    if identifier is None and fields.get("type") == "search_result":  # Anthropic's
        identifier = id_of(fields.get("source"))
    if text is None:
        text = "" if _is_empty(fields) else None
        if identifier is None and (text is None or "page_content" not in fields):
            return None
    score = _number(fields, _SCORE_KEYS)
    return Document(identifier, text, _number(metadata, _SCORE_KEYS) if score is None else score, 1, metadata)


def _is_empty(fields: Mapping[str, object]) -> bool:
    """Whether the text is told, and empty: an index may hold such passages."""
    return any(isinstance(told := fields.get(key), str) and not told.strip() for key in _TEXT_KEYS)


def _unhidden(documents: list[Document]) -> list[Document]:
    """Where every text is empty, nobody told one: whoever hides texts may leave them empty."""
    if not documents or documents[0].text or any(document.text for document in documents):
        return documents
    return [
        replace(document, text=None) for document in documents if document.id or document.score is not None
    ]


def _scored_pair(items: list[object]) -> Document | None:
    """`similarity_search_with_score` and its kin return (document, score); others (id, text, score)."""
    score = number_of(items[-1]) if len(items) in (2, 3) else None
    if score is None:
        return None
    if len(items) == 2:
        document = document_of(items[0])
        return replace(document, score=score) if document else None
    identifier, text = id_of(items[0]), text_of(items[1])
    return Document(identifier, text, score) if identifier and text else None


def _identifier(fields: Mapping[str, object]) -> str | None:
    return next((found for key in _ID_KEYS if (found := id_of(fields.get(key)))), None)


def _text(fields: Mapping[str, object]) -> str | None:
    """A text, or the text parts of which some stores make one."""
    return next((found for key in _TEXT_KEYS if (found := content_of(fields.get(key)))), None)


def _number(fields: Mapping[str, object], keys: Iterable[str]) -> float | None:
    return next((found for key in keys if (found := score_of(fields.get(key))) is not None), None)
