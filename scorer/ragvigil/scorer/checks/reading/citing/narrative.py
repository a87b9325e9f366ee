"""Citations in running text: ``Source 2 says``, ``according to doc-12``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.citing.listing import is_pointer, ordinals
from ragvigil.scorer.checks.reading.citing.lists import DEMONSTRATIVES, MEASURES
from ragvigil.scorer.checks.reading.citing.page import Page

_NUMBER = re.compile(r"\d\d{0,2}(?:\s?[-\u2013]\s?\d{1,3})?(?![A-Za-z0-9%/]|_\w|[.,:]\d)")
_LONGEST_WORD = 16
_LAST_WORD = re.compile(rf"([^\W\d_]{{2,{_LONGEST_WORD}}})([ \t]?[:#.]?[ \t]?)\Z")
_MORE = re.compile(
    r"(?:,\s|,?\s(?:and|&|y|e|et|und|en|i|ve|och|og|и)\s|\s?[和与及と]\s?)"
    r"(\d{1,3}(?:\s?[-\u2013]\s?\d{1,3})?)(?![A-Za-z0-9_%/]|[.,:]\d)"
)
_TOKEN = re.compile(r"[^\W_][\w.#:/-]{1,80}[^\W_]")
_NEXT_WORD = re.compile(r"\s([^\W\d_]{1,20}|%)(?![\w'\u2019])")
_ENGLISH = frozenset(("context", "document", "passage", "reference", "source"))
"""Beside these an "a" is English: in Portuguese it is the article of "a Fonte 1"."""
_PERSONS = frozenset(("people", "persons", "men", "women", "children"))
_LATIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.#:/-]{0,80}[A-Za-z0-9])?")
_UNSPACED = "\u2e80"
"""The first sign of the scripts of East Asia."""
_BEFORE = 22
_LONGEST_POINTER = 6


def read_narrative(page: Page) -> None:
    """Ranks after a pointing word, and ids that can be nothing else."""
    _pointed(page)
    page.turn()
    _mentioned(page)
    page.turn()


def _pointer(before: str) -> tuple[str, str] | None:
    """The word for a source at the end of what stands `before` a number, and what is between the two."""
    last = before.rstrip(" \t:#.").rpartition(" ")[2]
    if not last[-1:].isalnum() or last[-1].isdecimal():
        return None  # no word stands before it
    if last.isascii() and last.isalpha() and not is_pointer(last[-_LONGEST_WORD:].lower()):
        return None  # what the pattern would find, at a fraction of its cost
    found = _LAST_WORD.search(before)
    if found is None:
        return None
    word = found[1].lower()
    if not is_pointer(word):
        cuts = () if word.isascii() else range(2, _LONGEST_POINTER)
        word = next((word[-cut:] for cut in cuts if is_pointer(word[-cut:])), "")
    return (word, found[2]) if word else None


def _pointed(page: Page) -> None:
    """Words for a source with numbers behind them."""
    prose = page.prose
    for match in _NUMBER.finditer(prose):
        start = match.start()
        before = prose[max(0, start - _BEFORE) : start]
        if before[-1:].isdigit() or before[-1:] in ("-", "$", "€"):
            continue
        pointer = _pointer(before)
        if pointer is None:
            continue
        word, between = pointer
        size = len(word) + len(between)
        ranks, end = ordinals(match[0], page.passages.counts_from), match.end()
        more = _MORE.match(prose, end)
        while more:
            ranks += ordinals(more[1])
            end = more.end()
            more = _MORE.match(prose, end)
        if _is_count(word, ranks, between) or (
            len(ranks) == 1 and not between.strip() and _is_amount(before[:-size], word, prose, end)
        ):
            continue
        for rank in ranks:
            found = page.passages.by_alias(f"{word}-{rank}") or page.passages.by_rank(rank)
            page.cite((start - size, end), str(rank), found, "narrative")


def _is_count(word: str, ranks: list[int], between: str) -> bool:
    """Whether one number after a plural counts something, as in "documents 2 years old"."""
    return word.isascii() and word.endswith("s") and len(ranks) < 2 and not between.strip()


def _is_amount(before: str, pointer: str, prose: str, end: int) -> bool:
    """Whether the number that ends at `end` counts what follows it: "a source 2 km away", "in this context 3 things".

    >>> text = "In context 2 people were hurt."
    >>> _is_amount("In ", "context", text, 12), _is_amount("As ", "context", "As context 2 says", 12)
    (True, False)
    """
    following = _NEXT_WORD.match(prose, end)
    if following is None:
        return False
    word = following[1].lower()
    if word in MEASURES:
        return not (word == "times" and prose.startswith(" out", following.end()))
    last = before.split()[-1:] or [""]
    if last[0].lower() in DEMONSTRATIVES or (last[0].lower() in ("a", "an") and pointer in _ENGLISH):
        return True
    return (
        pointer == "context"
        and last[0].lower() == "in"
        and (word in _PERSONS or (word.endswith("s") and not word.endswith("ss")))
    )


def _mentioned(page: Page) -> None:
    """Ids with a digit or a file's ending in running text; kindred of those mentioned that were not retrieved."""
    ids = page.passages.told_in(page.prose)
    if not ids:
        return
    for token in _TOKEN.finditer(page.prose):
        name = token[0]
        found = page.passages.by_id(name)
        if found is not None and name in ids:
            page.cite(token.span(), name, found, "narrative")
        elif page.passages.kindred(name) and not page.passages.tell_of(name):
            page.cite(token.span(), name, None, "narrative")
        elif not name.isascii():
            _unspaced(page, token, ids)


def _unspaced(page: Page, token: re.Match[str], ids: Sequence[str]) -> None:
    """Ids in writing without spaces between words, which end where letters of another script begin: FAQ-104によると."""
    name, place = token[0], token.start()
    for one in ids:
        start = name.find(one)
        end = start + len(one)
        if start >= 0 and _parted(name, start, one[0]) and _parted(name, end, name[end : end + 1]):
            page.cite((place + start, place + end), one, page.passages.by_id(one), "narrative")
    for latin in _LATIN.finditer(name):
        if page.passages.kindred(latin[0]) and not page.passages.tell_of(latin[0]):
            page.cite((place + latin.start(), place + latin.end()), latin[0], None, "narrative")


def _parted(name: str, place: int, behind: str) -> bool:
    """Whether a word may begin or end at `place`: at the edge, beside a mark, or where the script changes."""
    before = name[place - 1 : place] if place else ""
    if not before.isalnum() or not behind.isalnum():
        return True
    return (before >= _UNSPACED) != (behind >= _UNSPACED) or before >= _UNSPACED
