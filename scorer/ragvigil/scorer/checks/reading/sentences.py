"""Sentences: where they begin and end, in scripts with and without spaces, with exact offsets."""

from __future__ import annotations

import re

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span

# One character class first: the engine skips to it without trying the alternatives at every place.
# The first of them is how nearly every sentence ends: a full stop between a word and a capital letter. The word has
# three small letters or more, or two where no full stop follows the next one or two, or it is a number of four digits
# or more.
_END = re.compile(
    r"""[.!?…؟।॥\u06d4\u1362\u104b\u0589;。\uff01\uff1f｡\n](?:"""
    r"""((?<=[a-z ][a-z]{3}\.)(?= [A-Z])|(?<= [a-z]{2}\.)(?= [A-Z](?:[a-z]{2}|[a-z]? ))|(?<=[0-9]{4}\.)(?= [A-Z]))"""
    r"""|(?<=\n)"""
    r"""|(?<=[。\uff01\uff1f｡])[。\uff01\uff1f｡]{0,3}[」』”\u2019》\uff09]{0,2}"""
    r"""|(?<=[^;\n])[.!?…؟।॥\u06d4\u1362\u104b\u0589]{0,7}(?:["'”“\u2019»)\]*_]{1,4}|[ \u00a0\u202f]»)?"""
    r"""(?:[ ]?\[\d{1,3}\]|[\u00b9\u00b2\u00b3\u2070-\u2079]){0,20}(?=\s|\Z)"""
    r"""|(?<=[\u0370-\u03ff];)(?=\s|\Z))"""
)
_LONGEST_ABBREVIATION = 8
_LONGEST_LIST_MARK = 16
_LETTERED = re.compile(r"(?:[a-z]|[ivx]{1,4})[.)][ \t]")
"""The letter or Roman number of a list item."""
_TERMINAL = frozenset(".!?:;…。\uff01\uff1f؟।|")
_SPACES = " \t\r"
_OPENING = "(*_\"'“„«["
_QUOTED = frozenset("\"'”“\u2019»)」』")
_SAID = ("と", "って", "라고", "하고")
_INITIAL = re.compile(r"(?:.*[.-])?[^\W\d_]\Z")
_ANOTHER_INITIAL = re.compile(r"[ \t]?[^\W\d_]{1,2}\.")
_ORDINAL = re.compile(
    r"\b(?:a[mb]|de[rnms]|di?e|das|vo[mn]|zu[mr]|im|bis|seit|jede[rsnm]?|ein(?:en?|em|er)?)\s\d{1,2}\Z",
    re.IGNORECASE,
)
_LONGEST_ORDINAL = 12
_APOSTROPHE = re.compile("['\u2019]")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LONGEST_SHORT = 3
_WIDEST_GAP = 3
"""From a full stop to the next word, where nothing was blanked between them: behind a citation a sentence begins."""
_FEWEST_CAPITALS = 2
_TITLES = frozenset(("DR", "FR", "MR", "MRS", "MS", "MT", "NO", "ST"))
_ABBREVIATED = frozenset((*LEXICON.abbreviations, *LEXICON.may_end, *LEXICON.before_numbers))
_TAILS = frozenset(f" {one}"[-4:] for one in _ABBREVIATED)
"""What stands before the full stop of a word that may be an abbreviation; no other word of such letters is one."""


def sentences(text: str, most: int | None = None) -> list[Span]:
    """(start, end) of each sentence of `text`, without the white space around it; of the first `most` only.

    A line break ends a sentence unless the next line goes on in lower case.

    >>> text = "Dr. No came at 3.5 p.m. yesterday. He left\\nsoon after.\\n1. 一。二。"
    >>> [text[start:end] for start, end in sentences(text)]
    ['Dr. No came at 3.5 p.m. yesterday.', 'He left\\nsoon after.', '1. 一。', '二。']
    """
    spans: list[Span] = []
    start, trimmed = 0, False
    size = len(text)
    for match in _END.finditer(text):
        if len(spans) == most:
            break
        place, end = match.span()
        if end == size:
            break  # whether it ends there or goes on: nothing follows
        if match.lastindex and text[end - 5 : place] not in _TAILS and text[end - 4 : place] not in _TAILS:
            spans.append((start, end) if trimmed else trim(text, start, end))
            start, trimmed = end + 1, True
        elif _plainly_ends(text, place, end) or not _goes_on(text, match):
            spans.append(trim(text, start, end))
            start, trimmed = end, False
    if len(spans) != most:
        spans.append(trim(text, start, len(text)))
    return [span for span in spans if span[0] < span[1]]


def trim(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends."""
    if text[start : start + 1] == " ":
        start += 1
    if start < end and not text[start].isspace() and not text[end - 1].isspace():
        return start, end  # as nearly always
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, start + len(part.rstrip())) if left < len(part) else (start, start)


def _goes_on(text: str, match: re.Match[str]) -> bool:
    mark, place = match[0], _next(text, match.end())
    following = text[place : place + 1]
    if mark == "\n":
        previous = text[max(0, match.start() - 2) : match.start()].rstrip(_SPACES)[-1:]
        if not following.islower() or not previous or previous in _TERMINAL or previous == "\n":
            return False
        return _LETTERED.match(text, place) is None
    if mark[-1] in _QUOTED and _is_said(text, place):
        return True
    if mark[0] == "…" or mark.startswith(".."):
        return following.islower()
    return mark[0] == "." and _is_abbreviated(text, match.start(), place, mark)


def _is_said(text: str, place: int) -> bool:
    """Whether after a quotation the sentence that quotes goes on."""
    if text[place : place + 1] in ("—", "\u2013"):
        place = _next(text, place + 1)
    return text[place : place + 1].islower() or text.startswith(_SAID, place)


def _is_abbreviated(text: str, place: int, following: int, mark: str) -> bool:
    """Whether the full stop at `place` belongs to what stands before it, `following` being the next word's place."""
    before = text[max(place - _LONGEST_ABBREVIATION, 0) : place]
    letter = text[following : following + 1]
    word = before.rsplit(None, 1)[-1:]
    last = _APOSTROPHE.split(word[0].lstrip(_OPENING))[-1] if word and not text[place - 1].isspace() else ""
    plain = last.lower()
    if letter.islower():
        if "." in last or following - place > _WIDEST_GAP:
            return "." in last
        short = len(last) <= _LONGEST_SHORT or mark != "."
        return short or plain in LEXICON.abbreviations or plain in LEXICON.may_end
    if not last or mark != "." or _is_in_capitals(last, text, following):
        return False
    return _is_short_for(last, plain, text, place, following)


def _is_short_for(last: str, plain: str, text: str, place: int, following: int) -> bool:
    """Whether the word `last`, `plain` in small letters, is short for another, or a number; no small letter follows."""
    letter = text[following : following + 1]
    if letter.isdigit() and plain in LEXICON.before_numbers:
        return True
    if plain in LEXICON.may_end:
        return plain not in LEXICON.before_numbers and not _starts(text, following)
    if _INITIAL.match(last) and not last[-1].islower():
        return not ("." in last and _starts(text, following))
    if plain in LEXICON.abbreviations or (len(last) <= 2 and _ANOTHER_INITIAL.match(text, place + 1)):
        return last.isalpha() or "." in last
    if not last.isdigit() and len(last) > 1:
        return False
    return len(last) <= 3 and (_is_list_number(text, place, last) or _is_ordinal(text, place))


def _is_in_capitals(last: str, text: str, following: int) -> bool:
    """Whether `last` is written in capitals and what follows is not: HR and CA are no *hr.* and no *ca.*"""
    if len(last) < _FEWEST_CAPITALS or not (last.isalpha() and last.isupper()) or last in _TITLES:
        return False
    return text[following : following + 1].isupper() and text[following + 1 : following + 2].islower()


def _plainly_ends(text: str, place: int, end: int) -> bool:
    """Whether it is one full stop after a word of four letters or more that is no abbreviation: a quick first look."""
    if end - place != 1 or text[place] != ".":
        return False
    before = text[max(place - _LONGEST_ABBREVIATION, 0) : place]
    word = before[before.rfind(" ") + 1 :]
    return len(word) > _LONGEST_SHORT and word.isalpha() and word.lower() not in _ABBREVIATED


def _starts(text: str, place: int) -> bool:
    word = _WORD.match(text, place)
    return word is not None and word[0].lower() in LEXICON.starters


def _is_ordinal(text: str, place: int) -> bool:
    """Whether a number of one or two digits before the full stop is a German ordinal."""
    return _ORDINAL.search(text, max(0, place - _LONGEST_ORDINAL), place) is not None


def _is_list_number(text: str, place: int, last: str) -> bool:
    """Whether `last`, before the full stop at `place`, is the number or letter of a list item."""
    if not (last.isdigit() or (len(last) == 1 and last.isalpha())):
        return False
    earliest = max(0, place - _LONGEST_LIST_MARK)
    line = text.rfind("\n", earliest, place)
    if line < 0 and earliest:
        return False
    return not text[line + 1 : place - len(last)].strip(" \t>*_#-")


def _next(text: str, position: int) -> int:
    while position < len(text) and text[position] in _SPACES:
        position += 1
    return position
