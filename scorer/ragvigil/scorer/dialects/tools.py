"""Tool calls that are retrievals: agent frameworks have no other way to say so."""

from __future__ import annotations

import re

from ragvigil.scorer.dialects.documents import documents_of, ranked
from ragvigil.scorer.dialects.langchain import tool_arguments, tool_result
from ragvigil.scorer.dialects.prompt import passages_in
from ragvigil.scorer.dialects.reading import Reading
from ragvigil.scorer.dialects.values import query_in, structure_of, text_of
from ragvigil.scorer.trace import Document

_SEARCHES = re.compile(
    r"retriev|search|look_?up|knowledge|passage|vector|(?:find|fetch|get|query)_?(?:doc|chunk|context)",
    re.IGNORECASE,
)


def tool_reading(name: str, arguments: object, result: object) -> Reading:
    """A retrieval when the name says so or the result is a list of passages; else a tool call.

    >>> tool_reading("retrieve", '{"query": "why?"}', '[{"id": "a", "text": "Snow."}]').role
    'retriever'
    >>> tool_reading("add", '{"a": 1, "b": 2}', "3").role
    'tool'
    """
    result, arguments = tool_result(result), tool_arguments(arguments)
    documents = documents_of(result)
    passages = bool(documents) and all(_is_passage(document) for document in documents or ())
    if not passages and not _SEARCHES.search(name):
        return Reading(role="tool", tool=name)
    if documents is None and structure_of(result) is None and (text := text_of(result)):
        documents = ranked(Document(None, passage) for passage in passages_in(text) or (text,))
    query = query_in(structure_of(arguments)) or text_of(arguments)
    return Reading(role="retriever", tool=name, query=query, documents=documents)


def _is_passage(document: Document) -> bool:
    return document.text is not None and (document.id is not None or document.score is not None)
