"""Sentences: where they begin and end, in scripts with and without spaces, with exact offsets."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span

_END = re.compile(r"""[.!?…؟।]{1,8}["'”\u2019»)\]*_]{0,4}(?=\s|\Z)|[。\uff01\uff1f｡][」』”\uff09]{0,2}|\n""")
_LONGEST_ABBREVIATION = 8
_LONGEST_LIST_MARK = 16
_TERMINAL = frozenset(".!?:;…。\uff01\uff1f؟।|")


def sentences(text: str) -> list[Span]:
    """(start, end) of each sentence of `text`, without the white space around it.

    A line break ends a sentence unless the next line goes on in lower case.

    >>> text = "Dr. No came at 3.5 p.m. yesterday. He left\\nsoon after.\\n1. 一。二。"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Dr. No came at 3.5 p.m. yesterday.', 'He left\\nsoon after.', '1. 一。', '二。']
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if _goes_on(text, match):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    trimmed = trim(text, start, end)
    if trimmed[0] < trimmed[1]:
        spans.append(trimmed)


def trim(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends."""
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, start + len(part.rstrip())) if left < len(part) else (start, start)


def _goes_on(text: str, match: re.Match[str]) -> bool:
    mark, following = match[0], _next_letter(text, match.end())
    if mark == "\n":
        previous = text[max(0, match.start() - 2) : match.start()].rstrip(" \t\r")[-1:]
        return following.islower() and bool(previous) and previous not in _TERMINAL and previous != "\n"
    if mark[0] != ".":
        return False
    place = match.start()
    word = text[max(place - _LONGEST_ABBREVIATION, 0) : place].rsplit(None, 1)[-1:]
    last = word[0].lstrip("(*_") if word else ""
    if following.islower() and (len(last) <= 3 or "." in last or mark != "."):
        return True
    if not last or mark != ".":
        return False
    if len(last) == 1 and last.isupper():
        return True
    return last.lower() in LEXICON.abbreviations or (len(last) <= 3 and _is_list_number(text, place, last))


def _is_list_number(text: str, place: int, last: str) -> bool:
    """Whether `last`, before the full stop at `place`, is the number or letter of a list item."""
    if not (last.isdigit() or (len(last) == 1 and last.isalpha())):
        return False
    earliest = max(0, place - _LONGEST_LIST_MARK)
    line = text.rfind("\n", earliest, place)
    if line < 0 and earliest:
        return False
    return not text[line + 1 : place - len(last)].strip(" \t>*_#-")


def _next_letter(text: str, position: int) -> str:
    while position < len(text) and text[position] in " \t\r":
        position += 1
    return text[position : position + 1]
