"""Ids and ranks between braces, ``{{1}}`` and ``{{cite:1}}``, told apart from the gaps of a template and from LaTeX."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import listed, parts
from ragvigil.scorer.checks.reading.citing.page import Page

_DOUBLED = re.compile(r"\{\{\s?([^{}\n]{1,100}?)\s?\}\}")
_LABELLED = re.compile(r"\{{1,2}\s?((?:cite|citations?):[^{}\n\"'|]{1,100}?)\s?\}{1,2}", re.IGNORECASE)
_BEHIND = re.compile(r"\s?(?:\Z|[.,;:!?\n|。\uff0c\uff1b]|\{\{|(?:and|or|but|und|et|y|e|en|i)\s)")
_BEFORE = 40
_FEWEST_WORDS = 2


def read_braces(page: Page) -> None:
    """Braces with a label, ``{{cite:1}}``; doubled ones that all trail what they cite, a known id or rank each.

    >>> from ragvigil.scorer.checks.reading.passages import Passages
    >>> from ragvigil.scorer.trace import Document
    >>> known = Passages.of([Document(None, None, rank=1)])
    >>> pages = [Page(text, known, {}) for text in ("It opens at nine {{1}}.", "Hello {{1}}, it opens at nine.")]
    >>> for page in pages:
    ...     read_braces(page)
    >>> [[one.id for one in page.found] for page in pages]
    [['#1'], []]
    """
    if "{" not in page.prose:
        return
    if ":" in page.prose:
        for match in _LABELLED.finditer(page.prose):
            if parts(match[1], page.passages)[1] and _trails(match):
                page.add(match.span(), listed(match.span(), match[1], page.passages))
        page.turn()
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
