"""Times of the day, which may be written in several ways: 10:30 PM, 22.30 Uhr, 22h30, half past ten, halb elf, noon.

The words are those of `clock` in `data/measures.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ragvigil.scorer.checks.reading.words import UNSPACED, words
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data

_DATA: Any = read_data("measures.json")["clock"]
_SEVERAL = r"(?:\s?(?:[-\u2013\u2014]|bis|tot|to|till|until|a|\u00e0|e|and|und|en|do)\s?\d{1,2}\.[0-5]\d)?"
_UNIT = r"(?:uhr|uur|hrs?|horas?|ore|heures?|h)\b"
_BEHIND_ANOTHER = r"(?<=\d:\d\d-)(?<!:\d\d:\d\d-)(?<!T\d\d:\d\d-)"
"""9:00-17:00 ends at a time, where 10:00:00-05:00 has an offset behind its hyphen."""
_TIME = re.compile(
    rf"(?<![^\W{UNSPACED}])(?:(?<![.,:/+-])|{_BEHIND_ANOTHER})(?P<hour>[01]?\d|2[0-4])(?:"
    r":(?P<minute>[0-5]\d)(?::[0-5]\d)?(?![\d:])(?:\s?(?P<half>[ap])\.?m\b)?"
    r"|\s?(?P<only>[ap])\.?m\b"
    rf"|\.(?P<dotted>[0-5]\d)(?:\s?(?P<behind>[ap])\.?m\b|(?={_SEVERAL}\s?{_UNIT}))"
    r"|\s?(?:h|uhr|uur|時|时|点)\s?(?P<past>[0-5]\d)(?!\d|[.,:]\d)"
    r"|\s?(?:時|时|点)(?P<half_past>半)"
    r"|\s?(?:h\b|uhr\b|uur\b|o'clock\b|時(?!間)|时(?!间)|点(?=[钟整前后到至]|\W|$))(?!\s?[\d半]))",
    re.IGNORECASE,
)


_DOTTED = re.compile(
    rf"(?<!\w)(?:{longest_first(_DATA['at'])})\s(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)"
    r"(?![\w,:%\u20ac$\u00a3]|\.\d|\s?[ap]\.?m\b)",
    re.IGNORECASE,
)
_UNTIL = rf"\s?(?:[-\u2013\u2014]|{longest_first(_DATA['until'])})\s?"
_OPENING_HOURS = re.compile(
    rf"(?<![\w.,:/+-])(?P<hour>\d|1[0-2])(?:\.(?P<minute>[0-5]\d))?{_UNTIL}(?P<till>1[3-9]|2[0-4])"
    r"(?:\.(?P<till_minute>[0-5]\d))?(?=\s?(?:h\b)?\s?(?:[,;|)\n]|\.?\s*\Z|\.\s))",
    re.IGNORECASE,
)
"""Bare hours of a day, 9 to 17, where they are told as those in which something is open."""
_OPEN = re.compile(rf"(?<!\w)(?:{longest_first(_DATA['opening'])})(?!\w)[^.!?\n]{{0,40}}\Z", re.IGNORECASE)
_LONGEST_OPENING = 60
_MOMENTS: dict[str, int] = _DATA["moments"]
_BEFORE_THE_HOUR: dict[str, int] = _DATA["before_the_hour"]
_BEHIND_THE_HOUR: dict[str, int] = _DATA["behind_the_hour"]
_ONE = frozenset(_DATA["one"])
_HALF_PAST = frozenset(_DATA["half_past"])
"""Hours before which *half* is past the hour, as in English; before those of other languages it is before it."""
_HALVES = {part: half for half, parts in _DATA["halves"].items() for part in parts}
_NAMED = r"(?P<named>\d{1,2}|[^\W\d_]{2,12})"
_PART = (
    rf"(?:\s?(?:uhr|uur|o['\u2019]clock|heures?|horas?|ore|h))?\s?,?\s?(?:{longest_first(_DATA['in_the'])})?\s?"
    rf"(?P<part>{longest_first(_HALVES)})(?!\w)"
)
_BEHIND_IT = re.compile(_PART, re.IGNORECASE)
_ON_THE_HOUR = ("clock", "uhr", "uur")
_IN_WORDS = (
    (_MOMENTS.keys(), rf"(?<!\w)(?P<moment>{longest_first(_MOMENTS)})(?!\w)"),
    (
        _BEFORE_THE_HOUR.keys(),
        rf"(?<!\w)(?P<offset>{longest_first(_BEFORE_THE_HOUR)})\s{_NAMED}(?!\w|[.,:]\d)",
    ),
    (
        _BEHIND_THE_HOUR.keys(),
        rf"(?<![\w.,:/]){_NAMED}[\s-](?P<offset>{longest_first(_BEHIND_THE_HOUR)})(?!\w|[.,:]\d)",
    ),
    (_ON_THE_HOUR, r"(?<!\w)(?P<named>[^\W\d_]{2,12})\s(?:o['\u2019]clock|uhr|uur)(?!\w)"),
    (_HALVES.keys(), rf"(?<![\w.,:/]){_NAMED}(?={_PART})"),
    (_HALVES.keys(), rf"(?<!\w)(?P<part>{longest_first(_HALVES)})\s(?:um|gegen|om)\s{_NAMED}(?!\w|[.,:]\d)"),
)
"""Each with what a text must hold for it: it is looked for first, for the patterns try all their words everywhere."""
_WORDED = [(frozenset(map(str.casefold, held)), re.compile(one, re.IGNORECASE)) for held, one in _IN_WORDS]
BEHIND_A_DIGIT = (
    rf"(?i::\d|\s?[ap]\.?m\b|\.\d\d|\s?(?:h|uhr|uur|o'clock|時|时|点)|{_UNTIL}(?:1[3-9]|2[0-4])(?!\d))"
)
"""A pattern of what stands there in every time that is told in digits."""
_MAYBE = re.compile(rf"\d{BEHIND_A_DIGIT}")
A_WORD = re.compile(r"\w+")
CLUES = frozenset(_DATA["clues"])
"""Words of which one stands in every time that is told in words."""
_BESIDE = {word: re.compile(beside, re.IGNORECASE) for word, beside in _DATA["beside"].items()}
"""For those that are other words, too, as the quarter of a year is, what stands there where they tell a time."""
_HALF_DAY, _DAY = 720, 1440
_HALF_AN_HOUR = 30
_UNSPACED_HALF = re.compile(rf"(?:{longest_first(filter(re.compile(f'[{UNSPACED}]').match, _HALVES))})\s?\Z")
"""The part of a day, in a script that puts it right before the hour."""
_LONGEST_HALF = 4
_EVENING = 6
"""Of the hours of the night the first that is before midnight."""
TIME_WORDS = frozenset((*(one for one in _MOMENTS if "-" not in one), "past"))
"""Words that tell a time of the day and nothing else, but *past*."""

Time = tuple[int, int, frozenset[int]]
"""Where one begins and ends, and the minutes since midnight that it may stand for."""


def may_be_a_time(text: str) -> bool:
    """Whether `clock_times` might find any: a quick first look."""
    return may_be_in_digits(text) or may_be_in_words(text)


def may_be_in_digits(text: str) -> bool:
    """Whether `clock_times` might find any that is told in digits."""
    return _MAYBE.search(text) is not None


def may_be_in_words(text: str) -> bool:
    """Whether `clock_times` might find any that is told in words: half past ten.

    >>> [may_be_in_words(text) for text in ("At half past ten.", "A quarter to ten.", "The last quarter, ten media.")]
    [True, True, False]
    """
    return has_clue(text, A_WORD.findall(text.lower()))


def has_clue(text: str, said: Iterable[str]) -> bool:
    """Whether a word of `text`, of those `said` in small letters, tells a time of the day, or half of a unit."""
    found = CLUES.intersection(said)
    return bool(found) and any(one not in _BESIDE or _BESIDE[one].search(text) for one in found)


def clock_times(text: str) -> Iterator[Time]:
    """Where each time of the day begins and ends, and the minutes since midnight that it may stand for.

    >>> texts = ("at 10:30 PM", "22.30 Uhr", "22h30", "2 p.m.", "22:30:00", "12 am", "1.50 m, 3:2:1, 25:00")
    >>> [[sorted(at) for _, _, at in clock_times(text)] for text in texts]
    [[[1350]], [[1350]], [[1350]], [[840]], [[1350]], [[0]], []]
    >>> [[sorted(at) for _, _, at in clock_times(text)] for text in ("half past ten", "halb elf abends", "noon")]
    [[[630, 1350]], [[1350]], [[720]]]
    >>> [[sorted(at) for _, _, at in clock_times(text)] for text in ("ten at night", "2 at night", "abends um 8")]
    [[[1320]], [[120]], [[1200]]]
    """
    found = [*_in_digits(text), *_of_opening(text)] if may_be_in_digits(text) else []
    if may_be_in_words(text):
        found += _in_words(text)
    read = 0
    for one in sorted(found, key=_from_the_first_and_longest):
        if one[0] >= read:
            yield one
            read = one[1]


def _from_the_first_and_longest(one: Time) -> tuple[int, int]:
    return one[0], -one[1]


def _in_digits(text: str) -> Iterator[Time]:
    for pattern in (_TIME, _DOTTED):
        for found in pattern.finditer(text):
            told = found.groupdict()
            half = told.get("half") or told.get("only") or told.get("behind")
            hour = int(told["hour"])
            minute = int(told["minute"] or told.get("dotted") or told.get("past") or 0)
            minute += _HALF_AN_HOUR * bool(told.get("half_past"))
            if half is None:
                part = _UNSPACED_HALF.search(text, max(0, found.start() - _LONGEST_HALF), found.start())
                end, at = _in_its_half(text, found.end(), hour, minute, part and part[0].strip())
                if hour * 60 + minute <= _DAY:
                    yield found.start("hour"), end, frozenset((at % _DAY,))
            elif 1 <= hour <= _HALF_DAY // 60:
                at = (hour % 12) * 60 + _HALF_DAY * (half in "pP") + minute
                yield found.start(), found.end(), frozenset((at,))


def _of_opening(text: str) -> Iterator[Time]:
    """The two bare hours between which something is open.

    >>> [sorted(at) for _, _, at in _of_opening("Open 9 to 17. Rooms 9 to 17. Opening hours: 8.30-18 h")]
    [[540], [1020], [510], [1080]]
    """
    for found in _OPENING_HOURS.finditer(text):
        if _OPEN.search(text, max(0, found.start() - _LONGEST_OPENING), found.start()):
            for hour, minute in (("hour", "minute"), ("till", "till_minute")):
                end = found.end(minute) if found[minute] else found.end(hour)
                yield (
                    found.start(hour),
                    end,
                    frozenset(((int(found[hour]) * 60 + int(found[minute] or 0)) % _DAY,)),
                )


def _in_words(text: str) -> Iterator[Time]:
    plain = text.casefold()
    for held, pattern in _WORDED:
        for found in pattern.finditer(text) if any(one in plain for one in held) else ():
            told = found.groupdict()
            if told.get("moment"):
                yield *found.span(), frozenset((_MOMENTS[told["moment"].casefold()],))
                continue
            hour = _hour(told["named"])
            if hour is None:
                continue
            end, at = _in_its_half(text, found.end(), hour, _offset(told), told.get("part"))
            unsure = end == found.end() and hour <= _HALF_DAY // 60 and not told.get("part")
            yield found.start(), end, frozenset((at % _DAY, (at + _HALF_DAY * unsure) % _DAY))


def _offset(told: dict[str, str | Any]) -> int:
    """Minutes past the hour that is named, in [-30, 30]."""
    said = " ".join((told.get("offset") or "").casefold().split())
    if said == "half" and told["named"].casefold() in _HALF_PAST:
        return _BEFORE_THE_HOUR["half past"]
    return _BEFORE_THE_HOUR.get(said, _BEHIND_THE_HOUR.get(said, 0))


def _hour(named: str) -> int | None:
    """Which hour this is, in [0, 23]; None for what is none."""
    read = () if named.casefold() in _ONE else words(named)
    numbers = read[0].numbers if read else ("1",)
    hour = int(numbers[0]) if numbers and numbers[0].isdecimal() else None
    return hour if hour is not None and hour < _DAY // 60 else None


def _in_its_half(text: str, end: int, hour: int, minute: int, before: str | None = None) -> tuple[int, int]:
    """Where the time ends that is told up to `end`, and its minutes since midnight: 7 in the evening is 19:00.

    `before`: the part of the day that stands before it.
    """
    at = hour * 60 + minute
    if not 0 < hour < _HALF_DAY // 60:
        return end, at
    behind = None if before else _BEHIND_IT.match(text, end)
    part = before or (behind["part"] if behind else None)
    if part is None:
        return end, at
    half = _HALVES[part.casefold()]
    late = half == "p" or (half == "night" and hour >= _EVENING)
    return behind.end() if behind else end, at + _HALF_DAY * late
