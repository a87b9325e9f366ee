"""The retrieved passages by the files and documents that they are pages or chunks of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ragvigil.scorer.checks.reading.described import documents_of, file_names_of, titles_of
from ragvigil.scorer.checks.reading.paged import Pages, Place, pages_of
from ragvigil.scorer.lazily import made_once
from ragvigil.scorer.trace import Document


class Filed(NamedTuple):
    """The passages that a document's name means."""

    documents: Sequence[Document]
    placed: bool
    """Whether they are those of the page that was asked for."""


_NOTHING = Filed((), placed=False)
_JOINTS = frozenset("#:@")
_NamesOf = Callable[[Document], list[str]]


class Files:
    """The passages of one record by what they were cut from."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._sources = documents

    @made_once
    def names(self) -> Mapping[str, list[Document]]:
        """The passages by the names of their files, in small letters."""
        return self._by(file_names_of)

    @made_once
    def _documents(self) -> Mapping[str, list[Document]]:
        return self._by(documents_of)

    @made_once
    def _titles(self) -> Mapping[str, list[Document]]:
        return self._by(titles_of)

    @made_once
    def _pages(self) -> Mapping[int, Pages]:
        return {id(document): pages_of(document) for document in self._sources}

    def _by(self, names_of: _NamesOf) -> Mapping[str, list[Document]]:
        found: dict[str, list[Document]] = {}
        for document in self._sources:
            for name in names_of(document):
                found.setdefault(name, []).append(document)
        return found

    def chunks(self, text: str) -> list[Document]:
        """The passages that are chunks of the document with this id."""
        return self._documents.get(text.casefold(), [])

    def is_of_chunks(self, text: str, ending: str) -> bool:
        """Whether the chunks of the file `text` have ids that go on as `ending` does: with the same sign.

        >>> known = Files([Document("faq.md#returns", None)])
        >>> [known.is_of_chunks("faq.md", ending) for ending in ("#shipping", ", p. 3", "")]
        [True, False, False]
        """
        begins = text + ending[:1]
        return ending[:1] in _JOINTS and any((one.id or "").startswith(begins) for one in self.chunks(text))

    def of(self, text: str, place: Place | None = None) -> Filed:
        """The passages from the file of this name, of that page where they tell theirs; else all of that file.

        A document that is no file is known so only by a page of it. A number in an id that nothing calls a page may
        count chunks, so the others are named behind the one that has it.

        >>> rows = ("book.pdf#p3", "book.pdf#p4", "plan.pdf:3", "plan.pdf:4")
        >>> known = Files([Document(row, None) for row in rows])
        >>> for name, place in (("Book.pdf", None), ("book.pdf", Place(4, 4)), ("plan.pdf", Place(4, 4))):
        ...     print([one.id for one in known.of(name, place).documents])
        ['book.pdf#p3', 'book.pdf#p4']
        ['book.pdf#p4']
        ['plan.pdf:4', 'plan.pdf:3']
        """
        folded = text.casefold()
        found = self.names.get(folded, []) if "." in folded else []
        if place is None:
            return Filed(found, placed=False)
        if there := self._at(found, place):
            return Filed(there, placed=True)
        if found:
            return Filed(found, placed=False)
        for others in (self._documents, self._titles):
            chunks = others.get(folded, [])
            if there := self._at(chunks, place):
                return Filed(there, placed=True)
        return _NOTHING

    def _at(self, documents: Sequence[Document], place: Place) -> list[Document]:
        there = [one for one in documents if self._pages[id(one)].told & place.numbers]
        if there:
            return there
        there = [one for one in documents if self._pages[id(one)].perhaps & place.numbers]
        return [*there, *(one for one in documents if one not in there)] if there else []

    def lacks(self, text: str, place: Place) -> bool:
        """Whether surely no passage from this document is of that page: all tell theirs, none is it or next to it.

        Some count pages from 0, some passages reach over onto the next page, and a page may have another number in
        print, which stands in its text then.

        >>> known = Files([Document("book.pdf#p3", "Page 41")])
        >>> [known.lacks("book.pdf", Place(page, page, paged=True)) for page in (3, 4, 9, 41)]
        [False, False, True, False]
        """
        if not place.paged:
            return False
        folded = text.casefold()
        found = next((one for names in (self.names, self._documents) if (one := names.get(folded))), ())
        near = range(place.first - 1, place.last + 2)
        printed = re.compile(rf"(?<!\d){place.first}(?!\d)")
        return bool(found) and not any(
            not (pages := self._pages[id(one)]).sure
            or any(page in near for page in (*pages.told, *pages.perhaps))
            or printed.search(one.text or "")
            for one in found
        )
