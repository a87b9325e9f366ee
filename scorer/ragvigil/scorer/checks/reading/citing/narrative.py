"""Citations in running text: ``Source 2 says``, ``according to doc-12``."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.citing.listing import is_pointer, ordinals
from ragvigil.scorer.checks.reading.citing.page import Page

_NUMBER = re.compile(r"\d\d{0,2}(?:\s?[-\u2013]\s?\d{1,3})?(?![A-Za-z0-9_%/]|[.,:]\d)")
_LONGEST_WORD = 16
_LAST_WORD = re.compile(rf"([^\W\d_]{{2,{_LONGEST_WORD}}})([ \t]?[:#.]?[ \t]?)\Z")
_MORE = re.compile(r"(?:,\s|\s(?:and|&|y|e|et|und|en|i)\s|,\s(?:and|&)\s)(\d{1,3})(?![A-Za-z0-9_%/]|[.,:]\d)")
_PLURAL = ("s", "n", "i", "ы", "y")
_TOKEN = re.compile(r"[^\W_][\w.#:/-]{1,80}[^\W_]")
_BEFORE = 22
_LONGEST_POINTER = 6


def read_narrative(page: Page) -> None:
    """Ranks after a pointing word, and ids that can be nothing else."""
    _pointed(page)
    page.turn()
    _mentioned(page)
    page.turn()


def _pointed(page: Page) -> None:
    prose = page.prose
    for match in _NUMBER.finditer(prose):
        start = match.start()
        before = prose[max(0, start - _BEFORE) : start]
        if before[-1:].isdigit() or before[-1:] in ("-", "$", "€"):
            continue
        last = before.rstrip(" \t:#.").rpartition(" ")[2]
        if not last[-1:].isalnum() or last[-1].isdecimal():
            continue  # no word stands before it
        if last.isascii() and last.isalpha() and not is_pointer(last[-_LONGEST_WORD:].lower()):
            continue  # what the pattern would find, at a fraction of its cost
        pointer = _LAST_WORD.search(before)
        if pointer is None:
            continue
        word, size = pointer[1].lower(), len(pointer[0])
        if not is_pointer(word):
            if word.isascii():
                continue
            word = next((word[-cut:] for cut in range(2, _LONGEST_POINTER) if is_pointer(word[-cut:])), "")
            size = len(word) + len(pointer[2])
            if not word:
                continue
        ranks, end = ordinals(match[0], page.passages.counts_from), match.end()
        more = _MORE.match(prose, end)
        while more:
            ranks += ordinals(more[1])
            end = more.end()
            more = _MORE.match(prose, end)
        if _is_count(word, ranks, pointer[2]):
            continue
        for rank in ranks:
            page.cite((start - size, end), str(rank), page.passages.by_rank(rank), "narrative")


def _is_count(word: str, ranks: list[int], between: str) -> bool:
    """Whether one number after a plural counts something, as in "documents 2 years old"."""
    return word.isascii() and word.endswith("s") and len(ranks) < 2 and not between.strip()


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
        elif page.passages.kindred(name):
            page.cite(token.span(), name, None, "narrative")
