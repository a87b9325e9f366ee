"""Pages: of which a passage is, by its metadata and its id, and which an answer names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, cast

from ragvigil.scorer.checks.reading.described import facts_of
from ragvigil.scorer.trace import Document

_KEYS = (
    *("page", "page_label", "page_number", "page_numbers", "pages", "pageNumber", "page_num", "page_no"),
    "x-amz-bedrock-kb-document-page-number",
)
_MAY_COUNT = "pages"
"""A key that as often says how many pages the whole file has: one number below it tells nothing."""
_BOUNDS = (("page_start", "page_end"), ("start_page", "end_page"))
_NUMBERS = re.compile(r"0*(\d{1,5})(?:\.0+)?(?:\s?[-\u2013]\s?0*(\d{1,5}))?\Z")
_CALLED = re.compile(
    r"\.([a-z][a-z\d]{1,4})[#:_@/| -]{1,2}(p|pp|pg|page|seite|pagina|página)[-_=.: ]?0*(\d{1,5})(?!\d)",
    re.IGNORECASE,
)
"""A page behind a file's name in an id, called so: ``#p12``, ``#page=12``."""
_LAST = re.compile(r"[-_.#:/](page|seite|p|pg)[-_.=]?0*(\d{1,5})\Z", re.IGNORECASE)
"""The same at the end of the id of a document that is no file: ``-page-12``."""
_NUMBERED = re.compile(r"\.[a-z][a-z\d]{1,4}(?:::?|[#_@/|-])0*(\d{1,5})(?:[:_.-]\d{1,5})?\Z", re.IGNORECASE)
"""A number behind a file's name in an id, and perhaps that of a chunk: ``:12``, ``:12:0``."""
_PAGE_FILES = ("sourcepage", "source_page")
_PAGE_FILE = re.compile(r"(?:#page=|-)(\d{1,5})(?:\.[A-Za-z]{2,5})?\Z")
"""A page as Azure's samples name its file: ``book-12.pdf``, ``book.pdf#page=12``."""
_PLACE = re.compile(r"(\d{1,5})(?:\s?[-\u2013\u2014]\s?(\d{1,5}))?")
_SAID = re.compile(
    r"[\s(#,|\u2013\u2014-]{0,4}(?:pp?\.?|pages?|págs?\.?|pag\.|seiten?|páginas?|pagin[ae]|strona|стр\.)[\s=]?\d|第?\s?\d{1,5}\s?(?:页|頁|쪽|페이지|ページ)",
    re.IGNORECASE,
)
_LONGEST, _SHORT = 50, 2


class Place(NamedTuple):
    """A page, section or line that an answer names beside a document, or several in a row."""

    first: int
    last: int
    paged: bool = False
    """Whether it is called a page in so many words."""

    @property
    def numbers(self) -> frozenset[int]:
        """All from the first to the last."""
        return frozenset(range(self.first, min(self.last, self.first + _LONGEST) + 1))


class Pages(NamedTuple):
    """The pages of one passage."""

    told: frozenset[int]
    """As its metadata or its id tell them."""
    perhaps: frozenset[int]
    """Numbers in its id that may be pages or count chunks."""
    sure: bool
    """Whether it tells pages, and nothing of that is unread."""


def place_in(text: str) -> Place | None:
    """The place that `text` names.

    >>> place_in("p. 12-14"), place_in("§ 3"), place_in("handbook")
    (Place(first=12, last=14, paged=True), Place(first=3, last=3, paged=False), None)
    """
    numbers = _PLACE.search(text)
    if numbers is None:
        return None
    first = int(numbers[1])
    return Place(first, max(first, int(numbers[2] or first)), _SAID.match(text) is not None)


def pages_of(document: Document) -> Pages:
    """The pages that a passage is of.

    >>> pages_of(Document("a", None, metadata={"page": 11, "page_label": "12"})).told == {11, 12}
    True
    >>> pages_of(Document("book.pdf:7:2", None)), pages_of(Document("a", None, metadata={"page": "iv"})).sure
    (Pages(told=frozenset(), perhaps=frozenset({7}), sure=False), False)
    """
    told: set[int] = set()
    perhaps: set[int] = set()
    every = [_read(facts, told, perhaps) for facts in facts_of(document)] if document.metadata else []
    unread = not all(every)
    surely = bool(told) and not unread
    identity = document.id or ""
    if called := _CALLED.search(identity):
        told.add(int(called[3]))
        surely = surely or (not unread and (len(called[2]) > _SHORT or called[1].lower() == "pdf"))
    elif ending := _LAST.search(identity):
        (told if len(ending[1]) > _SHORT else perhaps).add(int(ending[2]))
        surely = surely or (not unread and len(ending[1]) > _SHORT)
    elif numbered := _NUMBERED.search(identity):
        perhaps.add(int(numbered[1]))
    return Pages(frozenset(told), frozenset(perhaps), surely)


def _read(facts: Mapping[str, object], told: set[int], perhaps: set[int]) -> bool:
    """Whether all that metadata tell of pages can be read; it is added to those `told`, or that they `perhaps` are."""
    whole = True
    for key in _KEYS:
        value = facts.get(key)
        if value is None or (key == _MAY_COUNT and _is_one_number(value)):
            continue
        whole = _add(told, value) and whole
    for first, last in _BOUNDS:
        if first in facts:
            end = facts.get(last)  # a start alone does not say how far the passage goes
            whole = _add(told, f"{facts[first]}-{end or facts[first]}") and end is not None and whole
    for key in _PAGE_FILES:
        if isinstance(value := facts.get(key), str) and (named := _PAGE_FILE.search(value)):
            (told if "#" in named[0] else perhaps).add(int(named[1]))
    return whole


def _is_one_number(value: object) -> bool:
    match = None if isinstance(value, list) else _NUMBERS.match(str(value).strip()[:40])
    return match is not None and match[2] is None


def _add(numbers: set[int], value: object) -> bool:
    """Whether `value` tells pages, and not too many, which are added to `numbers`."""
    if isinstance(value, list):
        values = cast("list[object]", value)
        return len(values) <= _LONGEST and all([_add(numbers, one) for one in values])  # noqa: C419 - add them all
    match = _NUMBERS.match(str(value).strip()[:40])
    if match is None:
        return False
    first, last = int(match[1]), int(match[2] or match[1])
    numbers.update(range(first, min(last, first + _LONGEST) + 1))
    return last <= first + _LONGEST
