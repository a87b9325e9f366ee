"""Ids in words, such as ``[sick-pay]``, that were not retrieved, told from other brackets by where they stand."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.citing.listing import is_pointer, parts
from ragvigil.scorer.checks.reading.citing.lists import GREETINGS, NUMBERING, is_aside
from ragvigil.scorer.checks.reading.citing.page import Citation, Page
from ragvigil.scorer.checks.reading.identifiers import mould
from ragvigil.scorer.checks.reading.words import words

_NAME = re.compile(r"[^\W_](?:[\w.:/#-]{0,62}[^\W_])?\Z")
_DIGIT = re.compile(r"\d")
_NO_WORDS = re.compile(r"\d|\.[a-z]{2,5}\Z", re.IGNORECASE)
"""A digit, or the ending of a file's name: what is called so is no word, nor a slug."""
_SEPARATOR = re.compile(r"[._:/#-]")
_KNOWN_NUMBERED = re.compile(r"(?:utf|iso|covid|gpt|sha|http|ipv|mp|usb|wpa)[\d._:/-]{1,20}\Z", re.IGNORECASE)
"""Names of things in the world that are written as a slug with a number."""
_CLOSED = re.compile(
    r"[ \t]*[*_]{0,3}[ \t]*(?:[.!?;:,)|\u3002\uff01\uff1f\uff0c\uff1b\u2026]|[\u2013\u2014]\s|\[|\n|<br|\Z)"
)
"""What follows a marker that closes a clause."""
_BESIDE = re.compile(r"[ \t]{0,2}[,;|]?[ \t]{0,2}\Z")
_AND = re.compile(r"\s(?:and|or|&|und|oder|et|ou|y|o|e|i)\s")
_NEXT_ITEM = re.compile(r"[ \t]*\n[ \t]*(?:[-*\u2022]|\d{1,2}[.)])[ \t]+\Z")
_ITEM = re.compile(r"[ \t>]*(?:[-*+\u2022]|\d{1,2}[.)])[ \t]*\Z")
_BLANKS = re.compile(r"[ \t]*")
_NOTHING_MORE = re.compile(r"\s*\Z")
_LAST_WORD = re.compile(r"([^\W\d_]{1,30})[\"'\u201d*_]{0,3}\s*\Z")
_SENTENCE_ENDS = ".!?\u2026\u3002\uff01\uff1f"
_SHORTEST = 3
_BEFORE = 400


def read_unretrieved(page: Page, left: Sequence[re.Match[str]]) -> None:
    """Those of `left`, markers that mean nothing yet, that are ids beside what was retrieved or is cited.

    A service whose answers number their passages, or that is known to cite otherwise, has none.
    """
    names = _Names(page)
    if not names.any or (not names.resolve and (page.ranked or page.usual is not None)):
        return
    ends = sorted({one.end for one in page.found})
    starts = {one.start for one in page.found}
    glued = any(one.id and page.prose[one.start - 1 : one.start].isalnum() for one in page.found)
    for match in left:
        members, labelled = parts(match[2], page.passages)
        name = members[0] if labelled and len(members) == 1 else match[2].strip("'\"` ")
        place = "labelled" if labelled else _place(page.prose, match, ends, starts, glued=glued)
        if place and names.may_be(name, place):
            page.add(match.span(), [Citation(*match.span(), name, None, "id")])
            insort(ends, match.end())


class _Names:
    """How the passages of one record are named, and whether the answer cites them so."""

    def __init__(self, page: Page) -> None:
        ids = page.passages.ids
        in_words = [
            one for one in ids if _NAME.match(one) and not _NO_WORDS.search(one) and _long_enough(one)
        ]
        self.any = bool(ids)
        self._words = {mould(one) for one in in_words if one.isalpha()}
        self._slugs = {mould(one) for one in in_words if not one.isalpha()}
        self._in_words = bool(in_words)
        self._cases = {mould(one)[0] for one in in_words}
        self._capitals = any(one.isupper() for one in ids)
        self._usual = page.usual == "id"
        self._passages = page.passages
        self.resolve = self._usual or any(one.style == "id" and one.id is not None for one in page.found)

    def may_be(self, name: str, place: str) -> bool:
        """Whether `name`, at a `place` of a citation, is an id."""
        if not _NAME.match(name) or not _long_enough(name) or name.isdecimal() or is_aside(name):
            return False
        if _KNOWN_NUMBERED.match(name) or self._passages.is_field(name):
            return False
        if place == "labelled" or (place == "behind" and self.resolve):
            return self._in_words or _DIGIT.search(name) is not None
        if self._usual and place != "between" and _DIGIT.search(name):
            return not self._passages.tell_of(name)
        if name.isupper() and not self._capitals:
            return False  # a code of the thing before it
        if name.isalpha():
            return (mould(name) in self._words and place != "between") or self._beside(name)
        if not _SEPARATOR.search(name):
            return False
        if _DIGIT.search(name):
            return self._in_words
        return mould(name) in self._slugs or self._beside(name)

    def _beside(self, name: str) -> bool:
        """Whether ids in words are cited, and one has this case; `[Ana]` is no `[laptop]`."""
        return self.resolve and mould(name)[0] in self._cases


def _long_enough(name: str) -> bool:
    return len(name) >= _SHORTEST or not name.isascii()


def _place(prose: str, match: re.Match[str], ends: Sequence[int], starts: set[int], *, glued: bool) -> str:
    """Where brackets stand: `behind` a citation, at the end of a `clause`, `between` sentences; "" where none cites."""
    start, end = match.span()
    earlier = bisect_right(ends, start)
    before = ends[earlier - 1] if earlier else -1
    closed = _CLOSED.match(prose, end) is not None
    if before >= 0 and start - before < _BEFORE:
        gap = prose[before:start]
        beside = _BESIDE.match(gap) is not None
        if (beside and (closed or not gap.strip() or _AND.match(prose, end))) or (
            closed and _NEXT_ITEM.match(gap)
        ):
            return "behind"
    line = prose[max(prose.rfind("\n", 0, start) + 1, start - _BEFORE) : start]
    if not line.strip() or _ITEM.match(line):
        return "clause" if _below(prose, start, end, line, starts) else ""
    if in_quotation(line) or _introduced(line, glued=glued):
        return ""
    if closed:
        return "clause"
    ended = line.rstrip()[-1:] in _SENTENCE_ENDS
    return "between" if ended and prose[end : end + 1].isspace() else ""


def _below(prose: str, start: int, end: int, line: str, starts: set[int]) -> bool:
    """Whether brackets at the start of a line are the answer's last words, below a sentence, or before a citation."""
    if line.strip():
        return False
    behind = _BLANKS.match(prose, end)
    if behind is not None and behind.end() in starts:
        return True
    above = prose[max(0, start - _BEFORE) : start].rstrip()
    return _NOTHING_MORE.match(prose, end) is not None and above.endswith(tuple(_SENTENCE_ENDS))


def in_quotation(line: str) -> bool:
    """Whether the line ends inside a quotation."""
    if line.count('"') % 2 == 1:
        return True
    low, high, closing = map(line.rfind, "\u201e\u201c\u201d")
    return low > max(high, closing) if low >= 0 else high > closing


def _introduced(line: str, *, glued: bool) -> bool:
    """Whether what stands before the brackets goes on with them, or is glued to them where others are not."""
    last, bare = line[-1], line.rstrip()
    if last.isalnum() and last < "\u2e80":
        return not glued
    if last in "([{<'\"`=$@#" or bare[-1] in ",(=":
        return True
    word = _LAST_WORD.search(bare.rstrip(":"))
    if bare[-1] == ":":
        return word is None or not is_pointer(word[1].lower())
    if word is None:
        return False
    last_word = word[1].lower()
    if last_word in GREETINGS or last_word in NUMBERING["key_verbs"]:
        return True
    return not any(one.content or one.negation for one in words(last_word))
