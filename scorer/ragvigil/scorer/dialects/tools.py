"""Tool calls that are retrievals: agent frameworks have no other way to say so."""

from __future__ import annotations

import json
import re

from ragvigil.scorer.dialects.documents import document_of, documents_of, keyed_in, ranked
from ragvigil.scorer.dialects.failure import failure
from ragvigil.scorer.dialects.langchain import is_refusal, tool_arguments, tool_result
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.searches import documents_found, is_cut, parted_in
from ragvigil.scorer.dialects.values import mapping_of, query_in, structure_of, text_of
from ragvigil.scorer.trace import Document

_SEARCHES = re.compile(
    r"retriev|search|look_?up|knowledge|passage|vector|(?:find|fetch|get|query)_?(?:doc|chunk|context)"
    r"|suche|such_|_such|recherch|busca|buscar|cerca_|ricerca|zoek|поиск|найти|искать|検索|搜索|检索|查询|查找|검색",
    re.IGNORECASE,
)
"""Names that say so, in the languages that tools are named in most; any other name is judged by its result."""
_DECODER = json.JSONDecoder()
_FEW = 2
"""Numbered passages that make a text a search result, whatever the tool is called."""


def tool_reading(name: str, arguments: object, result: object) -> Reading:
    """A retrieval when the name says so or the result is a list of passages; else a tool call.

    >>> tool_reading("retrieve", '{"query": "why?"}', '[{"id": "a", "text": "Snow."}]').role
    'retriever'
    >>> tool_reading("add", '{"a": 1, "b": 2}', "3").role
    'tool'
    >>> tool_reading("fahrplan", '{"ort": "Groix"}', "[1] Um neun.\\n[2] Um zehn.").documents[1].text
    'Um zehn.'
    """
    refused = is_refusal(result)
    result, arguments = tool_result(result), tool_arguments(arguments)
    if refused:
        role: Role = "retriever" if is_search(name) else "tool"
        asked = query_in(structure_of(arguments)) or text_of(arguments) if role == "retriever" else None
        return Reading(role=role, tool=name, query=asked, failure=failure(None, result))
    result = structure_of(result) or result  # decoded once for all that look at it
    query = query_in(structure_of(arguments)) or text_of(arguments)
    if is_search(name):
        words = text_of(result)
        return Reading(
            role="retriever", tool=name, query=query, documents=documents_found(result), words=words
        )
    documents = documents_of(result)
    passages = bool(documents) and all(_is_passage(document) for document in documents or ())
    if passages and keyed_in(mapping_of(result)):
        return Reading(role="tool", tool=name)  # facts under their names look the same
    text = text_of(result) if documents is None and structure_of(result) is None else None
    numbered = (parted_in(text) if text else None) or ()
    if not passages and len(numbered) < _FEW:
        return Reading(role="tool", tool=name, unread_search=text is not None and _is_cut_list(text))
    return Reading(
        role="retriever", tool=name, query=query, documents=documents if passages else ranked(numbered)
    )


def is_search(name: str) -> bool:
    """Whether the name of a tool says that it searches.

    >>> is_search("search_docs"), is_search("add")
    (True, False)
    """
    return _SEARCHES.search(name) is not None


def _is_cut_list(text: str) -> bool:
    """Whether the text is a list that begins with a passage, and was cut: nobody can tell what else it held.

    >>> _is_cut_list('[{"id": "a", "text": "Snow."}, {"id": "b", "te...'), _is_cut_list('[{"price": 4}, {"pri...')
    (True, False)
    """
    if not is_cut(text):
        return False
    try:
        first, _ = _DECODER.raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return False
    document = document_of(first)
    return document is not None and _is_passage(document)


def _is_passage(document: Document) -> bool:
    return document.text is not None and (document.id is not None or document.score is not None)
