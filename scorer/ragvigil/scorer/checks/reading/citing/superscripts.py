"""Superscript digits, told apart from powers and units."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import noted, ordinals, ranked
from ragvigil.scorer.checks.reading.citing.lists import BEFORE_YEARS, UNITS
from ragvigil.scorer.checks.reading.citing.page import Page
from ragvigil.scorer.checks.reading.citing.references import RAISED

_ANY = re.compile(f"[{RAISED}]")
_RUN = re.compile(
    f"[\u207d]?[{RAISED}]{{1,3}}(?:(?:[,\u02d2\u02ce]\u2009?| |[\u207b\u2013-])[{RAISED}]{{1,3}}){{0,20}}[\u207e]?"
)
_CARETS = re.compile(r"(?<!\[)\^(\[[\d,\s\u2013\]\[-]{1,40}\]|\d{1,3}(?:[,\u2013-]\d{1,3}){0,9})\^(?!\])")
_RAISED = re.compile(r"(?<=[^\W\d_][.,;!?])\^(\d{1,2})(?![\w^.])")
"""A rank behind one caret at the end of a clause, ``nine.^2``."""
_PLAIN = str.maketrans(RAISED + "\u02d2\u02ce \u207b", "0123456789,,,-", "\u207d\u207e\u2009")
_LAST_WORD = re.compile(r"[^\W\d_]{1,12}\Z")
_LATIN = re.compile(r"(?<![A-Za-z])[A-Za-zµ\u03bc]{1,3}\Z")
_NEVER_RAISED = re.compile(r"(?:\d{2}|[.,]\d)[ \u00a0][tlghCFJW]\Z")
"""An amount in a unit of one letter that has no powers, ``10,100 t``."""
_CHARGES = frozenset("\u207a\u207b")
_SIGNS = frozenset("\u207b\u207a^")
_YEAR = re.compile(r"(?:(?<!\w)([^\W\d_]{1,10})\s)?(?<![\d.,])(?:1[5-9]|20)\d\d\Z")
_SEVERAL = frozenset(",\u02d2\u02ce")
"""What parts ranks, and no power."""
_BEFORE = 16


def read_superscripts(page: Page) -> None:
    """Ranks in superscript after a word or a full stop."""
    if page.prose.isascii() or not _ANY.search(page.prose):
        return
    for match in _RUN.finditer(page.prose):
        if is_power(page.prose, match.start(), match[0]) or _is_chemical(page.prose, *match.span()):
            continue
        found = _noted(page, match[0])
        if found is not None:
            page.cite(match.span(), match[0].translate(_PLAIN), found, "superscript")
        else:
            page.add(match.span(), ranked(match.span(), _ranks(page, match[0]), page.passages, "superscript"))
    page.turn()


def _noted(page: Page, marker: str) -> str | None:
    """The passage that a note of the answer names for this marker."""
    target = page.targets.get("^" + marker.translate(_PLAIN))
    return noted(target, page.passages) if target else None


def read_carets(page: Page) -> None:
    """Ranks between carets, as in ``^1^``, ``^[1]^`` and ``^[1][2]^``."""
    if "^" not in page.prose:
        return
    last = -1
    for match in _CARETS.finditer(page.prose):
        if match.start() == last or not is_power(page.prose, match.start(), match[1]):
            last = match.end()
            content = match[1].strip("[]").replace("][", ",").replace("\u2013", "-")
            ranks = [rank for part in content.split(",") for rank in ordinals(part.strip())]
            page.add(match.span(), ranked(match.span(), ranks, page.passages, "superscript"))
    page.turn()
    for match in _RAISED.finditer(page.prose):
        rank = int(match[1])
        if page.passages.by_rank(rank) is not None:
            page.add(match.span(), ranked(match.span(), [rank], page.passages, "superscript"))
    page.turn()


def is_power(prose: str, place: int, marker: str = "") -> bool:
    """Whether a superscript at `place`, `marker`, is a power or belongs to a unit; behind a year a list is none.

    >>> is_power("40 m²", 4), is_power("2³", 1), is_power("at nine²", 7), is_power("in 1937²", 7)
    (True, True, False, False)
    """
    if marker.startswith("["):
        return False
    before = prose[max(0, place - _BEFORE) : place]
    if not before or before[-1].isspace():
        return False
    if before[-1].isdigit():
        year = _YEAR.search(before)
        told = year is not None and (year[1] or "").lower() in BEFORE_YEARS
        return year is None or not (told or not _SEVERAL.isdisjoint(marker))
    if before[-1] in _SIGNS:
        return True
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    if _NEVER_RAISED.search(before) and "=" not in before:
        return False
    latin = _LATIN.search(before)
    return word[0].lower() in UNITS or (
        latin is not None and (len(latin[0]) == 1 or latin[0].lower() in UNITS)
    )


def _is_chemical(prose: str, start: int, end: int) -> bool:
    """Whether it is a charge or an isotope.

    >>> _is_chemical("Ca²⁺", 2, 3), _is_chemical("a ¹⁴C test", 2, 4), _is_chemical("at nine.² The", 8, 9)
    (True, True, False)
    """
    following = prose[end : end + 1]
    return following in _CHARGES or (
        following.isupper() and not prose[max(0, start - 1) : start].strip(" \n(/-")
    )


def _ranks(page: Page, marker: str) -> list[int]:
    read: list[int] = []
    for part in marker.translate(_PLAIN).split(","):
        ranks = ordinals(part.replace("\u2013", "-"))
        if len(ranks) == 1 and page.passages.by_rank(ranks[0]) is None and part.isdigit():
            digits = [int(digit) for digit in part]
            if len(digits) > 1 and all(page.passages.by_rank(digit) for digit in digits):
                ranks = digits
        read += ranks
    return read
