"""Functions that return passages: whoever traces a plain function has no other way to say that it searches."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

from ragvigil.scorer.dialects.documents import documents_of, passages_of, text_in
from ragvigil.scorer.dialects.langchain import pages_in
from ragvigil.scorer.dialects.messages import content_of, last_of, messages_of
from ragvigil.scorer.dialects.orders import is_empty_result
from ragvigil.scorer.dialects.reading import Message, Reading, Role
from ragvigil.scorer.dialects.replies import as_it_stands
from ragvigil.scorer.dialects.tools import is_search
from ragvigil.scorer.dialects.values import (
    ANSWER_KEYS,
    mapping_of,
    names_context,
    query_in,
    sequence_of,
    structure_of,
    text_of,
    unquoted,
)
from ragvigil.scorer.trace import Document

_CALLED = {"args", "kwargs"}
_HITS = ("matches", "hits", "points", "objects")
"""Keys under which clients of vector stores return what they found."""
_STORED = ('"ids"', *(f'"{key}"' for key in _HITS))
_LISTS = ("documents", "passages", "chunks", "docs")
"""Keys of an object under which nothing but passages stands; results and items are anything."""
_LISTED = re.compile(
    r'\s*\{\s*(?:"\w{1,40}"\s*:\s*(?:[-+.\deE]{1,40}|true|false|null)\s*,\s*){0,8}'
    rf'"(?:{"|".join(_LISTS)})"\s*:\s*\[\s*\{{'
)
"""How such an object begins in JSON, behind figures or not."""
_PROMPTS = ("messages", "prompt")
"""Keys of what a model is sent."""
_ANSWERING = frozenset(ANSWER_KEYS)
_PAGES = ('"page_content"', '"pageContent"')


@dataclass(frozen=True, slots=True)
class Search:
    """What a function found, and in which passages."""

    role: Role
    """`reranker` when it was given passages, else `retriever`."""
    documents: tuple[Document, ...]
    input_documents: tuple[Document, ...] | None


class Sent(NamedTuple):
    """What a model was sent, as far as the arguments of the function around it tell."""

    messages: tuple[Message, ...] = ()
    context: str | None = None
    documents: tuple[Document, ...] | None = None


NOTHING_SENT = Sent()


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
    """The search that a call was, where it returned a list of nothing but passages, LangChain's own among them.

    So do clients of vector stores, in an object of their own.

    >>> [each.id for each in found_in("why?", {"ids": [["a"]], "documents": [["Snow."]]}).documents]
    ['a']
    >>> found_in("why?", {"ids": ["a"], "documents": ["Snow."], "answer": "Because."})
    >>> [each.id for each in found_in("why?", {"documents": [{"id": "a", "text": "Snow."}], "total": 1}).documents]
    ['a']
    """
    if isinstance(made, str) and not may_list(made) and not any(mark in made for mark in _STORED):
        return None
    fields = mapping_of(made)
    found = _stored_in(fields) or _listed_in(fields) or passages_of(made)
    taken = passages_given(given) if found else None
    return Search("reranker" if taken else "retriever", found, taken) if found else None


def _stored_in(fields: Mapping[str, object]) -> tuple[Document, ...] | None:
    """The passages in what a client of a vector store returned: Chroma's columns, the hits of Pinecone and others."""
    if not fields or not _ANSWERING.isdisjoint(fields):
        return None
    if isinstance(fields.get("ids"), list) and isinstance(fields.get("documents"), list):
        found = documents_of(fields)
        return found if all(each.text for each in found or ()) else None
    return next((found for key in _HITS if (found := passages_of(fields.get(key)))), None)


def may_list(made: str) -> bool:
    """Whether a text may be a list of passages, or an object around one: nothing else is decoded."""
    return made.lstrip()[:1] == "[" or _LISTED.match(made) is not None


def _listed_in(fields: Mapping[str, object]) -> tuple[Document, ...] | None:
    """The passages in an object that holds a list of them, and figures; a question beside it is a chain's state."""
    others = [value for key, value in fields.items() if key not in _LISTS]
    if len(others) + 1 != len(fields) or not all(
        value is None or isinstance(value, (int, float)) for value in others
    ):
        return None
    return next((passages_of(fields[key]) for key in _LISTS if key in fields), None)


def unread_list(name: str, made: object) -> bool:
    """Whether a function that is called a search returned a text or a list that nobody knows for passages.

    >>> unread_list("find_passages", '["Snow.", "Coal."]'), unread_list("search", "[]"), unread_list("ask", ["a"])
    (True, False, False)
    >>> unread_list("vectorize", [0.25]), unread_list("search", "Snow."), unread_list("search", "No results found.")
    (False, True, False)
    """
    if not is_search(name):
        return False
    structure = structure_of(made)
    fields = mapping_of(structure)
    text = text_of(made) if structure is None else text_in(structure)
    if text is not None:
        return not is_empty_result(text)
    lists = [each for value in (structure, *fields.values()) if (each := sequence_of(value))]
    words = len(lists) == 1 and not all(isinstance(each, (int, float)) for each in lists[0])
    return words and _ANSWERING.isdisjoint(fields)


def or_answer(searched: Reading, otherwise: Reading, made: object) -> Reading:
    """The reading of a call that returned passages, and what it says if they are its answer as it stands."""
    return replace(searched, otherwise=replace(otherwise, documents=None, answer=as_it_stands(made)))


def is_of_pages(value: object) -> bool:
    """Whether a value may hold LangChain's documents: what is JSON is decoded for it only then."""
    return value is not None and (not isinstance(value, str) or any(mark in value for mark in _PAGES))


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


def sent_to(given: object) -> Sent:
    """What a function around a model was given: messages, alone or among its arguments, and by name a context.

    >>> sent_to({"args": [[{"role": "user", "content": "why?"}], 0.5], "kwargs": {}}).messages
    (Message(role='user', text='why?'),)
    >>> sent_to({"args": [], "kwargs": {"prompt": "why?"}}) == sent_to('{"args": ["why?"], "kwargs": {}}')
    True
    >>> sent_to({"question": "why?", "context": "Snow."}).context
    'Snow.'
    >>> [each.text for each in sent_to({"args": ["why?"], "kwargs": {"docs": ["Snow."]}}).documents or ()]
    ['Snow.']
    """
    structure = structure_of(given)
    fields = mapping_of(structure)
    if set(fields) != _CALLED:
        return Sent(messages_of(given if structure is None else structure), *context_in(fields))
    named = mapping_of(fields["kwargs"])
    said = (messages_of(each) for each in (named, *sequence_of(fields["args"])))
    told = next((messages for messages in said if any(message.text for message in messages)), ())
    return Sent(told, *context_in(named))


def told_to(given: object) -> Sent:
    """What a plain function was given for a model by names that say so; a question alone, and passages, are not told.

    >>> told_to({"prompt": "why?"}).messages, told_to({"question": "why?"}).messages
    ((Message(role='user', text='why?'),), ())
    """
    sent, fields = sent_to(given), mapping_of(given)
    named = len(sent.messages) > 1 or any(
        key in held for held in (fields, mapping_of(fields.get("kwargs"))) for key in _PROMPTS
    )
    return Sent(sent.messages if named else (), sent.context)


def context_in(fields: Mapping[str, object]) -> tuple[str | None, tuple[Document, ...] | None]:
    """The text, or the passages, under the first key that is called a context, documents or the like.

    >>> context_in({"question": "why?", "context": "Snow."}), context_in({"context_length": 4000})
    (('Snow.', None), (None, None))
    """
    for key, value in fields.items():
        if value and names_context(key):
            found = documents_of(value)
            return (None, found) if found else (text_of(value), None)
    return None, None


def asked_in(given: object) -> str | None:
    """The question among the arguments of a call, which may be a text, in quotes or not, messages or fields.

    >>> asked_in('"why?"'), asked_in('{"question": "why?"}'), asked_in([{"role": "user", "content": "why?"}])
    ('why?', 'why?', 'why?')
    """
    structure = structure_of(given)
    if structure is None:
        return text_of(unquoted(given))
    fields = mapping_of(structure)
    if (beside := _beside_conversation(structure)) is not None:
        return beside
    said = messages_of(fields.get("messages") if fields else structure)
    written = mapping_of(fields.get("query")).get("content")  # of a document: Genkit's
    return last_of(said, "user") or query_in(fields) or (content_of(written) if written else None)


def _beside_conversation(structure: object) -> str | None:
    """The one text beside a conversation: Langfuse in Node lists arguments so, and what was said before is no question.

    >>> _beside_conversation(["why?", [{"role": "user", "content": "hello"}]])
    'why?'
    >>> _beside_conversation(["user", [{"type": "text", "text": "why?"}]])
    """
    items = cast("list[object]", structure) if isinstance(structure, list) else []
    texts = [item for item in items if isinstance(item, str)]
    if len(texts) != 1 or len(items) < 2:
        return None
    lists = (cast("list[object]", item) for item in items if isinstance(item, list))
    told = any(item and all(mapping_of(each).get("role") for each in item) for item in lists)
    return text_of(texts[0]) if told else None


def passages_given(given: object) -> tuple[Document, ...] | None:
    """Passages among the arguments of a call: a function that takes and returns them reranks."""
    fields = mapping_of(given)
    listed = [*sequence_of(fields.get("args")), *mapping_of(fields.get("kwargs")).values()]
    return next((found for each in (*listed, *fields.values()) if (found := passages_of(each))), None)
