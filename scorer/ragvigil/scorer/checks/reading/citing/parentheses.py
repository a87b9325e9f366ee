"""Ids, ranks and author-years in parentheses, told apart from enumerations, amounts and paragraphs of laws."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.checks.reading.citing.authors import author_years
from ragvigil.scorer.checks.reading.citing.listing import (
    filed,
    is_locator,
    named,
    ordinals,
    parts,
    places_of,
    ranked,
    with_more_pages,
)
from ragvigil.scorer.checks.reading.citing.lists import BEFORE_YEARS, NUMBERED_THINGS
from ragvigil.scorer.checks.reading.citing.numbering import numbers_a_thing
from ragvigil.scorer.checks.reading.citing.page import Citation, Page
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.passages import Passages

_PARENTHESIS = re.compile(r"\(([^()\[\]\n]{1,200})\)")
_NESTED = re.compile(r"\(((?:[^()\[\]\n]|\([^()\[\]\n]{1,60}\)){1,300})\)")
"""Parentheses that may hold others, as the names of some files do."""
_NUMBERS = re.compile(r"(#?)\d{1,3}(?:\s?[,;\u2013-]\s?#?\d{1,3}){0,9}\Z")
_WEB = re.compile(r"(?:[a-z\d-]{1,63}\.){1,4}[a-z]{2,10}/\S", re.IGNORECASE)
"""An address on the web without its scheme."""
_ID_NUMBER = re.compile(r"ID\s(\d{3,12})\Z", re.IGNORECASE)
_ANOTHER = re.compile(r"\s\(\d{1,3}\)")
_JOINED = re.compile(r"\s(?:and|or|but|und|oder|et|ou|y|o|e|en|i)\s")
_NUMBER_AT_END = re.compile(r"\d\s?\Z")
_YEAR = re.compile(r"(?:1\d|20)\d\d\Z")
_ENDS = frozenset(".,;:!?\n|。\uff0c\uff1b")
_LEGAL = ("§", "art.", "article", "rule", "para", "paragraph", "section", "abs.", "reg.", "no.", "nr.")
_BEFORE = 24


def read_parentheses(page: Page) -> None:
    """Parentheses that hold nothing but what they cite."""
    if "(" not in page.prose:
        return
    _read_nested(page)
    numbers: list[re.Match[str]] = []
    hashed: list[re.Match[str]] = []
    for match in _PARENTHESIS.finditer(page.prose):
        content = match[1].strip()
        if number := _NUMBERS.match(content):
            (hashed if number[1] else numbers).append(match)
        elif len(content) > 1:
            span = match.span()
            page.add(span, _cited(span, content, page.passages) or author_years(span, content, page.passages))
    lists = [match for match in numbers if not match[1].strip().isdecimal()]
    plain = any(not _behind_number(page.prose, match.start()) and _trails(page, match) for match in numbers)
    if (not lists or len(numbers) > 1) and all(_trails(page, match, plain) for match in numbers):
        _add_ranks(page, numbers)
    if all(_trails(page, match) for match in hashed):
        _add_ranks(page, hashed)
    page.turn()


def _read_nested(page: Page) -> None:
    """Parentheses around others, where an id or a title has some."""
    if any("(" in one for one in (*page.passages.ids, *page.passages.titled)):
        for match in _NESTED.finditer(page.prose):
            if "(" in match[1]:
                page.add(match.span(), _cited(match.span(), match[1].strip(), page.passages))
        page.turn()


def _add_ranks(page: Page, markers: Sequence[re.Match[str]]) -> None:
    for match in markers:
        page.add(match.span(), ranked(match.span(), _ranks(match[1]), page.passages, "parenthesis"))


def _cited(span: Span, content: str, passages: Passages) -> list[Citation]:
    members, labelled = parts(content, passages)
    members = with_more_pages(members)
    read: list[Citation] = []
    pointed = False
    for part, place in zip(members, places_of(members), strict=True):
        if from_file := filed(span, part, passages, "parenthesis", place):
            read += from_file
            continue
        found = _meant(part, labelled, passages)
        if found is not None:
            read.append(Citation(*span, part, found, "parenthesis"))
        elif is_locator(part):
            continue
        elif alias := passages.by_alias(part):
            read.append(Citation(*span, part, alias, "parenthesis"))
        elif passages.resembles(part) and (labelled or passages.kindred(part)):
            read.append(Citation(*span, part, None, "parenthesis"))
        elif len(part) > 4 and (ranks := named(part, passages.counts_from)):
            read += ranked(span, ranks, passages, "parenthesis")
            pointed = True
        elif pointed and (ranks := ordinals(part, passages.counts_from)):
            read += ranked(span, ranks, passages, "parenthesis")
        elif labelled and part.isdigit() and len(part) <= 3 and int(part):
            read.append(Citation(*span, part, passages.by_rank(int(part)), "parenthesis"))
    return read


def _meant(part: str, labelled: bool, passages: Passages) -> str | None:
    """The passage whose id, address or title a part is; a plain word without a label, or a number, is none."""
    if part.isdigit() or (not labelled and part.isalpha() and part.isascii()):
        return None
    web = "://" in part or labelled or _WEB.match(part)
    found = passages.by_id(part) or (passages.by_address(part) if web else None)
    if found is None and (numbered := _ID_NUMBER.match(part)):
        found = passages.by_id(numbered[1])
    if found is None and (labelled or " " in part):
        found = passages.by_title(part) or (passages.by_heading(part) if labelled else None)
    return found


def _trails(page: Page, match: re.Match[str], behind_amounts: bool = False) -> bool:
    """Whether a number in parentheses stands where a citation does: after words, before the end of a clause.

    Behind another number it does where that is a year, or, with `behind_amounts`, any that begins no name of a law.
    """
    ranks = _ranks(match[1])
    if not ranks or any(len(str(rank)) > 2 or page.passages.by_rank(rank) is None for rank in ranks):
        return False
    before = page.prose[max(0, match.start() - _BEFORE) : match.start()]
    words = before.lower().split()
    if not words or numbers_a_thing(words) or not _follows(before, words, match[1].strip(), behind_amounts):
        return False
    if match[1].lstrip().startswith("#") and words[-1] in NUMBERED_THINGS:
        return False
    following = page.prose[match.end() : match.end() + 1]
    return (
        not following
        or following in _ENDS
        or following == "("
        or _ANOTHER.match(page.prose, match.end()) is not None
        or (
            (match[1].lstrip().startswith("#") or _behind_number(page.prose, match.start()))
            and _JOINED.match(page.prose, match.end()) is not None
        )
    )


def _follows(before: str, words: Sequence[str], content: str, behind_amounts: bool) -> bool:
    """Whether the last of `words`, in lower case, can be what is cited."""
    if not _NUMBER_AT_END.search(before):
        glued = before[-1].isalnum() and before[-1].isascii()
        spelled_out = LEXICON.number_words.get(words[-1]) == content
        return not glued and not words[-1].startswith(_LEGAL) and not spelled_out
    named = words[-2] if len(words) > 1 else ""
    if named.startswith(_LEGAL) or named in NUMBERED_THINGS or not named.isalpha():
        return False
    return behind_amounts or (_YEAR.match(words[-1]) is not None and named in BEFORE_YEARS)


def _behind_number(prose: str, place: int) -> bool:
    return _NUMBER_AT_END.search(prose[max(0, place - _BEFORE) : place]) is not None


def _ranks(content: str) -> list[int]:
    """The ranks of a list of numbers; none where one is no rank."""
    read = [
        ordinals(part)
        for part in re.split(r"\s?[,;]\s?", content.strip().replace("\u2013", "-").replace("#", ""))
    ]
    return [rank for ranks in read for rank in ranks] if all(read) else []
