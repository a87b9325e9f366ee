"""Passages found again, united and completed without comparing each with each: a trace may hold tens of thousands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.documents import same
from ragvigil.scorer.trace import Document

_MOST_TWINS = 100
"""Passages of one id or text that are looked at to fill a gap."""

_Key = tuple[str | None, str | None]


class Known:
    """Passages by id and by text."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_key: dict[_Key, list[Document]] = {}
        for document in documents:
            for key in _keys(document):
                twins = self._by_key.setdefault(key, [])
                if len(twins) < _MOST_TWINS:
                    twins.append(document)

    def like(self, document: Document) -> list[Document]:
        """Those that may be the same passage as one without an id or without a text, in order."""
        return [twin for key in _keys(document) for twin in self._by_key.get(key, ())]


class United:
    """Passages in order, each once.

    >>> united = United()
    >>> united.put(Document("a", None))
    >>> united.place_of(Document("a", "Snow.")), united.place_of(Document("b", None))
    (0, None)
    """

    def __init__(self) -> None:
        self.documents: list[Document] = []
        self._places: dict[_Key, int] = {}
        self._exact: dict[_Key, int] = {}

    def put(self, document: Document, place: int | None = None) -> None:
        """Add the document at the end, or set it at a place where it was."""
        if place is None:
            place = len(self.documents)
            self.documents.append(document)
        self.documents[place] = document
        self._exact.setdefault((document.id, document.text), place)
        for key in _keys(document):
            self._places[key] = min(place, self._places.get(key, place))

    def place_of(self, document: Document) -> int | None:
        """Where the same passage stands first; None when it is new."""
        return min(
            (place for place in self._near(document) if same(self.documents[place], document)), default=None
        )

    def _near(self, document: Document) -> Iterator[int]:
        exact, places = self._exact, self._places
        if document.id is None or document.text is None:
            yield from (places[key] for key in _keys(document) if key in places)
            return
        for key in ((document.id, document.text), (document.id, None), (None, document.text)):
            if key in exact:
                yield exact[key]


def union_of(groups: Iterable[tuple[Document, ...]]) -> list[Document]:
    """What several searches found, each passage once; what one of them found twice, the model was shown twice."""
    found = [*groups]
    every = [each for group in found for each in group]
    if len(found) < 2 or _differ(every):
        return every
    united = United()
    for group in found:
        for document, place in [(document, united.place_of(document)) for document in group]:
            if place is None:
                united.put(document)
            else:
                united.put(fill(united.documents[place], [document]), place)
    return united.documents


def completed(documents: list[Document], elsewhere: Iterable[Document]) -> list[Document]:
    """Gaps filled from wherever else the same passages stand."""
    if all(document.id is not None and document.text is not None for document in documents):
        return documents
    known = Known(elsewhere)
    taken: set[str | None] = set()
    whole: list[Document] = []
    for document in documents:
        twins = known.like(document) if document.id is None or document.text is None else []
        others = twins if document.id else [each for each in twins if each.id not in taken] or twins
        whole.append(fill(document, others, with_score=False))
        taken.add(whole[-1].id)
    return whole


def fill(document: Document, others: Iterable[Document], *, with_score: bool = True) -> Document:
    """The document with what it lacks taken from those of the others that are the same passage."""
    for other in others:
        if other is not document and same(document, other):
            score = other.score if with_score and document.score is None else document.score
            document = replace(
                document,
                id=document.id or other.id,
                text=document.text or other.text,
                score=score,
                metadata=document.metadata or other.metadata,
            )
    return document


def _differ(documents: Sequence[Document]) -> bool:
    """Whether all are whole passages, and no two alike: what most searches find."""
    whole = {(each.id, each.text) for each in documents if each.id is not None and each.text is not None}
    return len(whole) == len(documents)


def _keys(document: Document) -> Iterator[_Key]:
    if document.id is not None:
        yield document.id, None
    if document.text is not None:
        yield None, document.text
