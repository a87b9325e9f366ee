"""Retrieved documents, in whatever shape a retriever returns them, as passages for the wire."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, TypeGuard, cast
from uuid import UUID

from ragvigil.tracer import _reading
from ragvigil.tracer import attributes as names
from ragvigil.tracer._collections import collection_in
from ragvigil.tracer._identities import LONGEST as LONGEST_ID
from ragvigil.tracer._identities import identity, is_scored_id, one_word, which_is_the_id
from ragvigil.tracer._nesting import NESTING, Flat, is_list_of_documents
from ragvigil.tracer._reading import identifier, is_list, is_mapping, number

TEXT = ("page_content", "text", "content", "chunk", "passage", "body", "snippet", "chunk_text")
ID = ("id", "doc_id", "document_id", "chunk_id", "passage_id", "id_", "node_id", "_id", "uuid", "file_id")
KEY = ("key",)
"""Holds an id, or anything."""
SCORE = (
    "score",
    "similarity",
    "relevance_score",
    "rerank_score",
    "relevance",
    "_score",
    "score_",
    "certainty",
)
METADATA = ("metadata", "meta", "payload", "properties", "fields")
INNER = ("document", "node", "doc", "_source")

GROUPS = (ID + KEY, SCORE, TEXT)
METADATA_OR_INNER = frozenset(METADATA + INNER)

_LONGEST_NUMBER = 32

_MOST_FIELDS = 64


@dataclass(slots=True)
class Passage:
    """One document as read: what it does not tell is None."""

    id: str | None = None
    score: float | None = None
    text: str | None = None
    metadata: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The passages of one result, how many there were, and the type of what could not be read."""

    passages: list[Passage] = field(default_factory=list[Passage])
    total: int = 0
    unreadable: str | None = None
    odd: Sequence[str] = ()
    """Marks for what could not be read of documents that were: texts, ids, scores, metadata."""


class DocumentPieces:
    """Collects the documents of a retriever that yields them, one by one or by lists, up to a number."""

    def __init__(self, *, at_most: int) -> None:
        self._flat = Flat(at_most)

    def add(self, piece: object) -> None:
        """Take one document, or a list of them."""
        self._flat.add(piece)

    def result(self) -> DocumentPieces:
        """Itself: how many there were matters beside those kept."""
        return self

    def read(self) -> Reading:
        """The documents kept, with the number of all."""
        return _read_flat(self._flat)


def read_documents(result: object, *, at_most: int) -> Reading:
    """Read a retriever's result; never consumes an iterator, never looks at more than ``at_most`` documents.

    >>> read_documents([("a", "Water boils."), ("Ice melts.", 0.4)], at_most=10).passages[1].score
    0.4
    """
    documents = _collection(result)
    if documents is None:
        return Reading(unreadable=type(result).__name__)
    reading = _read(islice(documents, at_most), len(documents), nested=True)
    if reading is None:
        flat = Flat(at_most)
        flat.extend(list(map(_unfolded, documents)))
        reading = _read_flat(flat)
    return reading


def _unfolded(document: object) -> object:
    """The documents of a result among several, as of a search for several queries; a document as it is."""
    if type(document) in NESTING or read_document(document, []) is not None:
        return document
    inside = collection_in(document)
    return document if inside is None else inside


def _read_flat(flat: Flat) -> Reading:
    """What is left of lists in lists."""
    return _read(flat.kept, flat.total, nested=False) or Reading()


def _read(documents: Iterable[object], total: int, *, nested: bool) -> Reading | None:
    """Read these documents out of so many; None when one of them, which may be ``nested``, is a list of documents."""
    passages: list[Passage] = []
    unreadable: str | None = None
    odd: list[str] = []
    for document in documents:
        try:
            passage = _known(document)
            if passage is None:
                if nested and is_list_of_documents(document):
                    return None
                passage = read_document(document, odd)
                if passage is None and nested and collection_in(document) is not None:
                    return None
        except Exception:
            passage = None
        if passage is None:
            unreadable = type(document).__name__
        passages.append(passage or Passage())
    if passages and passages[0].id is None and all(map(_may_be_scored_id, passages)):
        passages = [Passage(identifier(passage.text), passage.score) for passage in passages]
    return Reading(passages, total, unreadable, tuple(dict.fromkeys(odd)) if odd else ())


def _may_be_scored_id(passage: Passage) -> bool:
    """Whether this is a short word with a digit or a mark inside, and a score: ``("faq-12", 0.8)``.

    A search that returns such pairs alone returns ids; a passage has words, and where one is a single word, others are
    not.
    """
    return (
        passage.id is None
        and passage.score is not None
        and not passage.metadata
        and passage.text is not None
        and is_scored_id(passage.text)
    )


def read_document(document: object, odd: list[str]) -> Passage | None:
    """Read one document; None when nothing of it is known. ``odd`` takes marks for what of it could not be read.

    >>> read_document({"id": 7, "page_content": "Water boils.", "score": "0.9"}, [])
    Passage(id='7', score=0.9, text='Water boils.', metadata=None)
    """
    if isinstance(document, str | bytes):
        return Passage(text=_reading.text(document))
    if isinstance(document, Passage):
        return document
    if _is_row(document):
        return _row(document, odd)
    found = _named(document, odd)
    if found is None and (row := _by_keys(document)) is not None:
        found = _named(row, odd)
    return found


def _by_keys(document: object) -> Mapping[str, object] | None:
    """A database's row that has names but is no mapping, as one."""
    keys: object = getattr(document, "keys", None)
    if _reading.is_mapping(document) or not callable(keys) or not hasattr(type(document), "__getitem__"):
        return None
    row = cast("Mapping[str, object]", document)
    return {name: row[name] for name in islice(cast("Iterable[str]", keys()), _MOST_FIELDS)}


class _Keys(NamedTuple):
    """Under which keys a mapping of one shape holds what matters; None where it has no such key."""

    id: str | None
    score: str | None
    text: str | None


_seen: dict[tuple[object, ...], _Keys] = {}
_MOST_SEEN = 256


def _known(document: object) -> Passage | None:
    """The passage of a mapping with the same keys as an earlier one; None unless every value is as plain as can be.

    A retriever returns thousands of alike mappings, and trying every usual name on each costs ten times this.
    """
    if type(document) is not dict:
        return None
    row = cast("dict[object, object]", document)
    keys = _seen.get(shape := tuple(row))
    if keys is None:
        _learn(shape)
        return None
    id_, score, text = row.get(keys.id), row.get(keys.score), row.get(keys.text)
    if (
        type(text) is not str
        or type(id_) is not str
        or not (
            0 < len(id_) <= _reading.LONGEST_ID and id_.isascii() and " " not in id_ and id_.isprintable()
        )
    ):
        return None
    if score is not None and not (type(score) is float and math.isfinite(score)):
        return None
    return Passage(id_, score, text)


def _learn(shape: tuple[object, ...]) -> None:
    """Remember where mappings with these keys hold what matters, unless they must be searched deeper."""
    if len(_seen) < _MOST_SEEN and METADATA_OR_INNER.isdisjoint(shape):
        _seen[shape] = _Keys(*(next((name for name in group if name in shape), None) for group in GROUPS))


def _is_row(document: object) -> TypeGuard[Sequence[object]]:
    """Whether this is a plain tuple or list; a named tuple has names to go by."""
    return isinstance(document, tuple | list) and not hasattr(cast("object", document), "_fields")


def _named(document: object, odd: list[str]) -> Passage | None:
    """A mapping or an object with the usual names; what it lacks is looked for in the document it wraps."""
    found = Passage(score=_score(_reading.field(document, SCORE), odd))
    unread = _take_text(found, document, odd)
    _take_metadata(found, document, odd)
    if found.id is None:
        found.id = _id(document, found.text, odd)
    if found.id is None and found.metadata is not None:
        found.id = _id(found.metadata, found.text, odd)
    if found.text is None and (inner := _reading.field(document, INNER)) is not None:
        _fill(found, read_document(inner, odd))
    if found.text is None and unread is not None:
        odd.append(f"documents: text: {unread}")
    return None if found.id is None and found.text is None else found


def _take_metadata(found: Passage, document: object, odd: list[str]) -> None:
    """Take the metadata, in which the text may be; where it is an object, the score may, and another name has them."""
    metadata = _reading.field(document, METADATA)
    if metadata is not None and not is_mapping(metadata):
        if found.score is None:
            found.score = number(_reading.field(metadata, SCORE))
        told: object = next(
            filter(is_mapping, (_reading.field(document, (name,)) for name in METADATA)), None
        )
        if told is None and _reading.field(document, METADATA[:3]) is metadata:
            odd.append(names.UNREADABLE_METADATA + type(metadata).__name__)
        metadata = told
    if is_mapping(metadata):
        found.metadata = metadata
        if found.text is None:
            found.text = _reading.text(_reading.field(metadata, TEXT))


def _take_text(found: Passage, document: object, odd: list[str]) -> str | None:
    """Take the text under its usual names, where it may be a document itself; else the type of what is there."""
    given: object = _reading.field(document, TEXT)
    found.text = _reading.text(given)
    if given is None or found.text is not None:
        return None
    if is_mapping(given):
        _fill(found, read_document(given, odd))
    elif is_list(given):
        found.text = _of_parts(given)
    texts = (_reading.text(_reading.field(document, (name,))) for name in TEXT)
    if found.text is None:
        found.text = next((text for text in texts if text is not None), None)
    return type(given).__name__


def _of_parts(parts: Sequence[object]) -> str | None:
    """A text that comes in parts, each of which says that it is text: ``[{"type": "text", "text": "Ice"}]``."""
    if not all(_reading.field(part, ("type",)) == "text" for part in parts):
        return None
    texts = (_reading.text(_reading.field(part, ("text",))) for part in parts)
    return "".join(text for text in texts if text is not None) or None


def _id(document: object, text: str | None, odd: list[str]) -> str | None:
    """The id under its usual names, unless it may be a text."""
    given = _reading.field(document, ID)
    if given is not None:
        told = identity(given, text)
    else:
        given = _reading.field(document, KEY)
        told = identifier(given, LONGEST_ID)
        if told is not None and not one_word(told):
            told = None
    if told is None and given is not None:
        odd.append(names.UNREADABLE_ID + type(given).__name__)
    return told


def _score(value: object, odd: list[str]) -> float | None:
    """A score as a number or in digits."""
    if value is None or (type(value) is float and math.isfinite(value)):
        return value
    told = number(value)
    if told is None and isinstance(value, str) and len(value) <= _LONGEST_NUMBER:
        try:
            told = number(float(value))
        except ValueError:
            told = None
    if told is None:
        odd.append(names.UNREADABLE_SCORE + type(value).__name__)
    return told


def _fill(found: Passage, other: Passage | None) -> None:
    """Take from the other what is not known yet."""
    if other is None:
        return
    found.id = found.id if found.id is not None else other.id
    found.score = found.score if found.score is not None else other.score
    found.text = found.text if found.text is not None else other.text
    found.metadata = found.metadata if found.metadata is not None else other.metadata


def _row(row: Sequence[object], odd: list[str]) -> Passage | None:
    """A tuple, told by its types: (id, text), (document, score), (id, text, score), any with a mapping last."""
    found = Passage()
    texts: list[str] = []
    for value in islice(row, 6):
        if isinstance(value, str | bytes):
            texts.append(_reading.text(value) or "")
        elif isinstance(value, int | UUID) and found.id is None and not texts and value is row[0]:
            found.id = identifier(value, LONGEST_ID)
        elif (given := number(value)) is not None:
            found.score = given if found.score is None else found.score
        elif texts and value is row[-1] and is_mapping(value):
            found.metadata = value
        else:
            if found.text is not None:
                odd.append(f"documents: {type(row).__name__}")
            _fill(found, read_document(value, odd))
    _name(found, texts, odd)
    if found.text is None and texts:
        found.text = texts[0]
    return None if found.id is None and found.text is None else found


def _name(found: Passage, texts: list[str], odd: list[str]) -> None:
    """Take the id out of the texts of a row; where none of two looks like one, the longer is the text."""
    if found.id is not None:
        return
    if found.text is not None:
        if texts and one_word(texts[0]):
            found.id = identifier(texts[0], LONGEST_ID)
        elif texts:
            odd.append(f"{names.UNREADABLE_ID}str")
    elif len(texts) > 1:
        which = which_is_the_id(texts[0], texts[1])
        if which is not None:
            found.id = identifier(texts.pop(which), LONGEST_ID)
        else:
            found.text = max(texts[:2], key=len)
            odd.append(f"{names.UNREADABLE_ID}str")


def _collection(result: object) -> Sequence[object] | None:
    """The documents of a result as something with a length, or None when it is no collection of documents."""
    if isinstance(result, str | bytes) or _is_pair(result):
        return [result]
    inside = collection_in(result)
    if inside is None and result is not None and _reading.field(result, TEXT + INNER) is not None:
        return [result]
    return inside


def _is_pair(result: object) -> bool:
    """Whether a search returned one document as ``(id, text)``."""
    if not (type(result) is tuple and len(cast("tuple[object, ...]", result)) == 2):
        return False
    first, second = cast("tuple[object, object]", result)
    return isinstance(first, str) and isinstance(second, str) and one_word(first)
