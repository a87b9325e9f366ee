"""Ids and ranks between doubled braces, ``{{1}}``, told apart from the gaps of a template and from LaTeX."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import listed
from ragvigil.scorer.checks.reading.citing.page import Page

_DOUBLED = re.compile(r"\{\{\s?([^{}\n]{1,100}?)\s?\}\}")
_BEHIND = re.compile(r"\s?(?:\Z|[.,;:!?\n|。\uff0c\uff1b]|\{\{|(?:and|or|but|und|et|y|e|en|i)\s)")
_BEFORE = 40
_FEWEST_WORDS = 2


def read_braces(page: Page) -> None:
    """Doubled braces where all of them trail what they would cite, and each holds a known id or rank.

    >>> from ragvigil.scorer.checks.reading.passages import Passages
    >>> from ragvigil.scorer.trace import Document
    >>> known = Passages.of([Document(None, None, rank=1)])
    >>> pages = [Page(text, known, {}) for text in ("It opens at nine {{1}}.", "Hello {{1}}, it opens at nine.")]
    >>> for page in pages:
    ...     read_braces(page)
    >>> [[one.id for one in page.found] for page in pages]
    [['#1'], []]
    """
    if "{{" not in page.prose:
        return
    markers = list(_DOUBLED.finditer(page.prose))
    read = [listed(match.span(), match[1], page.passages) for match in markers]
    if all(map(_trails, markers)) and all(found and any(one.id for one in found) for found in read):
        for match, found in zip(markers, read, strict=True):
            page.add(match.span(), found)
        page.turn()


def _trails(match: re.Match[str]) -> bool:
    """Whether it stands behind words and before the end of a clause."""
    before = match.string[max(0, match.start() - _BEFORE) : match.start()]
    last = before[-1:]
    if last.isascii() and not last.isspace() and last not in '.,;:!?")}':
        return False
    words = len(before.split())
    return (
        words + (not before.isascii()) >= _FEWEST_WORDS
        and _BEHIND.match(match.string, match.end()) is not None
    )
