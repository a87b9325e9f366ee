"""Ordinals: the third floor is the 3rd one, and not the 2nd."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from ragvigil.scorer.checks.reading.patterns import LETTERS
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data

_DATA: dict[str, list[str]] = read_data("ordinals.json")
_PLACES = {name: place for place, names in enumerate(_DATA["ordinals"], 1) for name in names.split()}
ORDINALS = frozenset(_PLACES)
"""Their names in eight languages, each one word."""
_MULTIPLES = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_SMALL = {
    name: place
    for place, name in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
_BELOW_TEN = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_WORD = rf"(?:{'|'.join(_MULTIPLES)})[\s-](?:{_BELOW_TEN})|" + longest_first(_PLACES)
_IN_DIGITS = r"(?P<digits>\d{1,2})(?:st|nd|rd|th|er|ère|re|ème|ste|de|º|ª|e(?=\s))"
_MAYBE = re.compile(
    r"[\dy](?:(?<=\d)(?:st|nd|rd|th|er|ère|re|ème|ste|de|º|ª|e\s)|(?<=ty)[\s-](?:fir|sec|thi|fou|fif|six|sev|eig|nin))"
)
_ORDINAL = re.compile(rf"(?<![\w.,-])(?:{_IN_DIGITS}|(?P<word>{_WORD}))(?!\w)", re.IGNORECASE)
_NAMED = re.compile(
    rf"(?<![\w.,-])(?:{_IN_DIGITS}|(?P<dotted>\d{{1,2}})\.|(?P<word>{_WORD}))[\s-](?:(?:{'|'.join(_DATA['kinds'])})\s)?"
    r"(?P<thing>[^\W\d_]{3,30})",
    re.IGNORECASE,
)
_FIRST_RUNS = frozenset(LETTERS.findall(name)[0] for name in (*_PLACES, *_MULTIPLES))
"""Of the letters of all ordinals in words the first ones in a row."""
_MAY_BE_IN_DIGITS = re.compile(r"\d(?i:st|nd|rd|th|er|ère|re|ème|ste|de|º|ª|e)")
_MAY_BE_DOTTED = re.compile(r"\d(?i:st|nd|rd|th|er|ère|re|ème|ste|de|º|ª|e|\.)[\s-]")
_COUNTED = re.compile(
    rf"(?<![\w-])(?P<thing>{'|'.join(_DATA['counted'])})\s(?P<digits>\d{{1,2}})(?![\w%/-]|[.,:]\d|\s?[\u2013-]\s?\d)",
    re.IGNORECASE,
)
"""Day 3, which is the third one."""
_MAY_BE_COUNTED = re.compile(r"\d(?<=[^\W\d_]\s\d)\d?(?![\w%/-])")
"""It begins with a digit, to which the engine skips; what is counted, in whatever case, it would try everywhere."""
_THINGS = frozenset(
    name for one in _DATA["counted"] for name in (one.removesuffix("s?"), one.replace("?", ""))
)
_IN_A_WORD = re.compile(
    rf"(?<![\w-])(?:{'|'.join(_DATA['counted'])})\s(?P<told>{'|'.join(_SMALL)})(?![\w-]|\s(?:and|to|or)\s)",
    re.IGNORECASE,
)
"""Day four."""
_SMALL_NUMBER = re.compile(rf"\s(?:{'|'.join(_SMALL)})(?![\w-])", re.IGNORECASE)
_DOTTED = re.compile(
    r"\b(?:de[mnrs]|die|das|zu[mr]|[av]b|[av]om|am|im|ins|beim|jede[mnrs]?)\s(?P<told>\d{1,2})\."
    r"(?=\s(?!Januar|Februar|März|April|Mai|Jun|Jul|August|Sept|Okto|Novem|Dezem)[A-ZÄÖÜ][a-zäöüß]{3})"
)
"""German: ab dem 4. Tag."""
_MAY_BE_GERMAN = re.compile(r"\d\.\s")
_WORD_BEFORE = re.compile(r"[^\W\d_]+\s\Z")
_LONGEST_COUNTED = 12
"""Characters of what is counted and the white space behind it, and more."""
_OF_A_YEAR = re.compile(r"(?<!\w)(?<!than )(?<!from )(?<!to )(?<!with )Q(?P<digits>[1-4])(?!\w)")
QUARTERS = ("q1", "q2", "q3", "q4", "quarter", "quartal", "trimestre")
"""Names of the quarters of a year, and of what they are."""
_LONGEST_TENS = 20
_TENS = re.compile(rf"(?<!\w)(?:{'|'.join(_DATA['tens'])})\w{{0,6}}(?:\s(?:and|e|y|i))?\s\Z", re.IGNORECASE)
"""A multiple of ten before an ordinal of which it is a part."""
_A_SHARE = re.compile(r"\b(?:a|one)[\s-]\w+\sof\b", re.IGNORECASE)
"""The name of a part, which is no place: a third of it."""


def may_have_ordinals(text: str, runs: Collection[str]) -> bool:
    """Whether `text` has an ordinal in digits, which a passage may spell, or one like twenty-first.

    `runs`: the letters in a row of `text`, in lower case.

    >>> texts = ("on the 3rd floor", "on day 3", "on floor 3", "on day four")
    >>> [may_have_ordinals(text, text.split()) for text in texts]
    [True, True, False, True]
    """
    if _MAYBE.search(text) or (not _THINGS.isdisjoint(runs) and any(_counted(text))):
        return True
    if not _SMALL.keys().isdisjoint(runs) and any(_otherwise_told(text)):
        return True
    return ". " in text and _MAY_BE_GERMAN.search(text) is not None and _DOTTED.search(text) is not None


def ordinals(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each ordinal begins and ends, and which place it is.

    >>> list(ordinals("the 3rd floor, the twenty-second one, the second, a third of it"))
    [(4, 7, 3), (19, 32, 22), (42, 48, 2)]
    """
    for found in _ORDINAL.finditer(text) if _MAY_BE_IN_DIGITS.search(text) or _may_be_spelled(text) else ():
        place = _place(found)
        if place is not None:
            yield found.start(), found.end(), place
    for found in _counted(text):
        yield *found.span("digits"), int(found["digits"])
    for found in _otherwise_told(text):
        yield *found.span("told"), _SMALL.get(found["told"].casefold()) or int(found["told"])


def another_place(claim: str, sentence: str) -> bool:
    """Whether the same thing, named once on each side, has another place there.

    >>> another_place("It is on the third floor.", "It is on the 2nd floor."), another_place("third man", "3rd man")
    (True, False)
    >>> another_place("The first floor is open.", "First, the second floor was open.")
    True
    >>> another_place("Sales in Q3 rose.", "Third-quarter sales rose."), another_place("Sales in Q3.", "Sales in Q2.")
    (False, True)
    """
    mine = places_told(claim)
    theirs = places_told(sentence) if mine else {}
    return tells_another(mine, theirs)


def tells_another(mine: Mapping[str, Collection[object]], theirs: Mapping[str, Collection[object]]) -> bool:
    """Whether one thing has one value on each side, and not the same."""
    return any(
        len(one) == len(theirs.get(thing, ())) == 1 and one != theirs[thing] for thing, one in mine.items()
    )


def places_told(text: str) -> dict[str, set[int]]:
    """By what has a place: its places.

    >>> places_told("The third consecutive day, the 2nd floor.")
    {'day': {3}, 'floor': {2}}
    """
    found: dict[str, set[int]] = {}
    for named in _NAMED.finditer(text) if _may_be_named(text) else ():
        place = _place(named)
        if place is not None:
            thing = named["thing"].casefold()
            found.setdefault(QUARTERS[-1] if thing in QUARTERS else thing, set()).add(place)
    for counted in _counted(text):
        found.setdefault(counted["thing"].casefold().removesuffix("s"), set()).add(int(counted["digits"]))
    for quarter in _OF_A_YEAR.finditer(text) if "Q" in text else ():
        found.setdefault(QUARTERS[-1], set()).add(int(quarter["digits"]))
    return found


def _may_be_named(text: str) -> bool:
    """Whether `_NAMED` might find any: a quick first look, for it would try all ordinals everywhere."""
    return _MAY_BE_DOTTED.search(text) is not None or _may_be_spelled(text)


def _may_be_spelled(text: str) -> bool:
    """Whether a word of `text` is an ordinal, or the first of one."""
    return not _FIRST_RUNS.isdisjoint(LETTERS.findall(text.casefold()))


def _counted(text: str) -> Iterator[re.Match[str]]:
    for digit in _MAY_BE_COUNTED.finditer(text):
        thing = _WORD_BEFORE.search(text, max(0, digit.start() - _LONGEST_COUNTED), digit.start())
        found = thing and _COUNTED.match(text, thing.start())
        if found:
            yield found


def _otherwise_told(text: str) -> Iterator[re.Match[str]]:
    """Day four, and 4. Tag."""
    if ". " in text:
        yield from _DOTTED.finditer(text)
    if _SMALL_NUMBER.search(text):
        yield from _IN_A_WORD.finditer(text)


def _place(found: re.Match[str]) -> int | None:
    """Which place it is; None where it is only a part of a name, as in "twenty first", or spelled as no ordinal is."""
    told = found.groupdict()
    digits = told["digits"] or told.get("dotted")
    if digits:
        return int(digits)
    word = told["word"].casefold()
    begins = found.start("word")
    before = found.string[max(0, begins - _LONGEST_TENS) : begins]
    if _TENS.search(before) or _A_SHARE.search(found.string, max(0, begins - 4), found.end("word") + 3):
        return None
    many, _, one = word.replace("-", " ").partition(" ")
    return _MULTIPLES[many] + _PLACES[one] if one else _PLACES.get(word)
