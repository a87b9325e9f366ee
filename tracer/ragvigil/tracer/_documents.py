"""Retrieved documents, in whatever shape a retriever returns them, as passages for the wire."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple, TypeGuard, cast
from uuid import UUID

from ragvigil.tracer import _reading
from ragvigil.tracer._columns import columns_of
from ragvigil.tracer._reading import identifier, is_mapping, number

TEXT = ("page_content", "text", "content", "chunk", "passage", "body", "snippet", "chunk_text")
ID = ("id", "doc_id", "document_id", "chunk_id", "passage_id", "id_", "node_id", "_id", "uuid", "key")
SCORE = ("score", "similarity", "relevance_score", "rerank_score", "relevance", "_score")
METADATA = ("metadata", "meta", "payload")
INNER = ("document", "node", "doc", "_source")
COLLECTIONS = (
    "documents", "nodes", "source_nodes", "source_documents", "passages", "chunks", "matches", "hits", "results",
    "points", "contexts",
)  # fmt: skip

GROUPS = (ID, SCORE, TEXT)
METADATA_OR_INNER = frozenset(METADATA + INNER)

_LONGEST = _reading.LONGEST_ID + 1
"""One more than is kept of an id, to tell one that was cut."""

_LISTS = (list, tuple, set, frozenset, deque, ValuesView)


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

    def of(self, total: int) -> Reading:
        """The same passages, known to be the first of so many."""
        return replace(self, total=total)


class DocumentPieces:
    """Collects the documents of a retriever that yields them, up to a number."""

    def __init__(self, *, at_most: int) -> None:
        self._at_most = at_most
        self.kept: list[object] = []
        self.total = 0

    def add(self, piece: object) -> None:
        """Take one document."""
        self.total += 1
        if len(self.kept) < self._at_most:
            self.kept.append(piece)

    def result(self) -> DocumentPieces:
        """Itself: how many there were matters beside those kept."""
        return self


def read_documents(result: object, *, at_most: int) -> Reading:
    """Read a retriever's result; never consumes an iterator, never looks at more than ``at_most`` documents.

    >>> read_documents([("a", "Water boils."), ("Ice melts.", 0.4)], at_most=10).passages[1].score
    0.4
    """
    documents = _collection(result)
    if documents is None:
        return Reading(unreadable=type(result).__name__)
    passages: list[Passage] = []
    unreadable: str | None = None
    for document in islice(documents, at_most):
        try:
            passage = _known(document) or read_document(document)
        except Exception:
            passage = None
        if passage is None:
            unreadable = type(document).__name__
        passages.append(passage or Passage())
    if passages and passages[0].id is None and all(map(_may_be_scored_id, passages)):
        passages = [Passage(identifier(passage.text), passage.score) for passage in passages]
    return Reading(passages, len(documents), unreadable)


_ID = re.compile(r"(?=[!-~]*[0-9_\-:/#|.@][!-~])[!-~]{1,256}|[!-~]{0,255}[0-9]")


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
        and _ID.fullmatch(passage.text) is not None
    )


def read_document(document: object) -> Passage | None:
    """Read one document; None when nothing of it is known.

    >>> read_document({"id": 7, "page_content": "Water boils.", "score": 0.9})
    Passage(id='7', score=0.9, text='Water boils.', metadata=None)
    """
    if isinstance(document, str | bytes):
        return Passage(text=_reading.text(document))
    if isinstance(document, Passage):
        return document
    return _row(document) if _is_row(document) else _named(document)


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
        or not (0 < len(id_) <= _reading.LONGEST_ID and id_.isascii())
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


def _named(document: object) -> Passage | None:
    """A mapping or an object with the usual names; what it lacks is looked for in the document it wraps."""
    found = Passage(
        id=identifier(_reading.field(document, ID), _LONGEST),
        score=number(_reading.field(document, SCORE)),
        text=_reading.text(_reading.field(document, TEXT)),
    )
    metadata = _reading.field(document, METADATA)
    if is_mapping(metadata):
        found.metadata = metadata
        _fill(found, _named_in_metadata(found))
    if found.text is None and (inner := _reading.field(document, INNER)) is not None:
        _fill(found, read_document(inner))
    return None if found.id is None and found.text is None else found


def _named_in_metadata(found: Passage) -> Passage:
    """The id and the text that vector stores keep in the metadata or payload."""
    if found.id is not None and found.text is not None:
        return found
    return Passage(
        id=identifier(_reading.field(found.metadata, ID), _LONGEST),
        text=_reading.text(_reading.field(found.metadata, TEXT)),
    )


def _fill(found: Passage, other: Passage | None) -> None:
    """Take from the other what is not known yet."""
    if other is None:
        return
    found.id = found.id if found.id is not None else other.id
    found.score = found.score if found.score is not None else other.score
    found.text = found.text if found.text is not None else other.text
    found.metadata = found.metadata if found.metadata is not None else other.metadata


def _row(row: Sequence[object]) -> Passage | None:
    """A tuple, told by its types: (id, text), (document, score), (id, text, score), any with a mapping last."""
    found = Passage()
    texts: list[str] = []
    for value in islice(row, 6):
        if isinstance(value, str | bytes):
            texts.append(_reading.text(value) or "")
        elif isinstance(value, int | UUID) and found.id is None and not texts and value is row[0]:
            found.id = identifier(value, _LONGEST)
        elif (given := number(value)) is not None:
            found.score = given if found.score is None else found.score
        elif texts and value is row[-1] and is_mapping(value):
            found.metadata = value
        else:
            _fill(found, read_document(value))
    if found.id is None and len(texts) > 1:
        found.id = identifier(texts.pop(0), _LONGEST)
    if found.text is None and texts:
        found.text = texts[0]
    return None if found.id is None and found.text is None else found


def _collection(result: object) -> Sequence[object] | None:
    """The documents of a result as something with a length, or None when it is no collection of documents."""
    if isinstance(result, str | bytes):
        return [result]
    if isinstance(result, _LISTS) or (isinstance(result, Sequence) and not isinstance(result, bytearray)):
        return _with_scores(cast("Sequence[object]", result))
    inside = _reading.field(result, COLLECTIONS)
    if (columns := columns_of(result, inside)) is not None:
        return columns
    if isinstance(inside, _LISTS):
        return _with_scores(cast("Sequence[object]", inside))
    if result is not None and _reading.field(result, TEXT + INNER) is not None:
        return [result]
    return None


def _with_scores(result: Sequence[object]) -> Sequence[object]:
    """The documents of ``(documents, scores)``; any other list as it is."""
    if not (isinstance(result, tuple) and len(result) == 2):
        return result
    first, second = result
    if not isinstance(first, list):
        return result
    documents = cast("list[object]", first)
    if isinstance(second, list | tuple):
        scores: Iterable[object] = cast("Sequence[object]", second)
        pairs = list(zip(documents, scores, strict=False))
        if len(pairs) == len(documents) and all(number(score) is not None for _, score in pairs):
            return pairs
    return documents
