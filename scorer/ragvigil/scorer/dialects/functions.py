"""Functions that return passages: whoever traces a plain function has no other way to say that it searches."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragvigil.scorer.dialects.documents import passages_of
from ragvigil.scorer.dialects.langchain import pages_in
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.replies import as_it_stands
from ragvigil.scorer.dialects.values import mapping_of, sequence_of
from ragvigil.scorer.trace import Document

_PAGE = '"page_content"'


@dataclass(frozen=True, slots=True)
class Search:
    """What a function found, and in which passages."""

    role: Role
    """`reranker` when it was given passages, else `retriever`."""
    documents: tuple[Document, ...]
    input_documents: tuple[Document, ...] | None


def search_in(given: object, made: object) -> Search | None:
    """The search that a call was, where it returned a list of nothing but passages; None for any other call.

    LangChain's own documents do not count: its chains hand on what a retriever of theirs found.

    >>> search_in({"q": "why?"}, '[{"id": "a", "text": "Snow."}]').role
    'retriever'
    >>> search_in({"args": [[{"id": "a", "text": "Snow."}]]}, [{"id": "a", "text": "Snow.", "score": 0.5}]).role
    'reranker'
    >>> search_in({"q": "why?"}, '{"answer": "Because."}')
    """
    search = found_in(given, made)
    return None if search and pages_in(made) else search


def found_in(given: object, made: object) -> Search | None:
    """The search that a call was, where it returned a list of nothing but passages, LangChain's own among them."""
    if isinstance(made, str) and made.lstrip()[:1] != "[":
        return None
    found = passages_of(made)
    taken = passages_given(given) if found else None
    return Search("reranker" if taken else "retriever", found, taken) if found else None


def or_answer(searched: Reading, otherwise: Reading, made: object) -> Reading:
    """The reading of a call that returned passages, and what it says if they are its answer as it stands."""
    return replace(searched, otherwise=replace(otherwise, documents=None, answer=as_it_stands(made)))


def is_of_pages(value: object) -> bool:
    """Whether a value may hold LangChain's documents: what is JSON is decoded for it only then."""
    return value is not None and (not isinstance(value, str) or _PAGE in value)


def narrowed_in(given: object, made: object) -> Search | None:
    """The search that a step was which returned some of LangChain's documents that it was given, and nothing else.

    So nodes of LangGraph grade what was found: the model sees what is left.

    >>> pages = [{"page_content": text, "metadata": {}, "type": "Document"} for text in ("Snow.", "Coal.")]
    >>> [each.text for each in narrowed_in({"question": "why?", "docs": pages}, {"docs": pages[1:]}).documents]
    ['Coal.']
    >>> narrowed_in({"docs": pages}, {"docs": pages[1:], "answer": "Because."}), narrowed_in({}, {"docs": pages})
    (None, None)
    """
    if not (is_of_pages(given) and is_of_pages(made)):
        return None  # as nearly always
    held = [*mapping_of(made).values()] or [sequence_of(made)]
    if not all(isinstance(each, list) for each in held) or (left := pages_in(made)) is None:
        return None
    taken = pages_in(given) or ()
    keys = {(each.id, each.text) for each in taken}
    fewer = len(left) < len(taken) and all((each.id, each.text) in keys for each in left)
    return Search("reranker", left, taken) if fewer else None


def passages_given(given: object) -> tuple[Document, ...] | None:
    """Passages among the arguments of a call: a function that takes and returns them reranks."""
    fields = mapping_of(given)
    listed = [*sequence_of(fields.get("args")), *mapping_of(fields.get("kwargs")).values()]
    return next((found for each in (*listed, *fields.values()) if (found := passages_of(each))), None)
