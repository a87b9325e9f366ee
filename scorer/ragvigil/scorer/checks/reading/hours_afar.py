"""Hours afar: times of the day as further languages tell them, 下午2点, 오후 2시, 2 часа дня, 2 giờ chiều, दोपहर 2 बजे.

The words are `far_hours` of `data/measures.json`: by what half of the day a word means; *noon* is the hour about noon.
"""

# ruff: noqa: RUF001 - other scripts

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data

_DATA: Any = read_data("measures.json")["far_hours"]
_HALVES: dict[str, str] = {
    name: half for halves in _DATA.values() for half, names in halves.items() for name in names.split()
}


def _part(language: str) -> str:
    return rf"(?P<part>{longest_first(name for names in _DATA[language].values() for name in names.split())})"


_HOUR = r"(?P<hour>\d(?<![\d.,:/]\d)\d?)"
_MINUTE = r"(?::(?P<minute>[0-5]\d)(?!\d|[.,:]\d))"
_PATTERNS = (
    (
        "点",
        (
            rf"(?:{_part('zh')}\s?)(?P<hour>\d{{1,2}})[点點](?:(?P<minute>[0-5]\d)分?|(?P<half>半)|(?![\d半]))"
            "|(?<![\\d.,:/第])(?P<late>1[3-9]|2[0-3])点(?:(?P<past>[0-5]\\d)分|(?![\\d半]))"
        ),
    ),
    (
        "시",
        (
            rf"(?:{_part('ko')}\s?)?{_HOUR}시(?:\s?(?P<minute>[0-5]?\d)분|\s?(?P<half>반)(?![^\W\d_])"
            r"|(?=에|부터|까지|이후|이전|경|쯤|정각|입니다|이며|[^\w]|$))"
        ),
    ),
    ("giờ", rf"{_HOUR}\sgiờ(?:\s(?P<minute>[0-5]\d)(?:\sphút)?)?\s{_part('vi')}(?!\w)"),
    ("giờ", rf"(?<=lúc\s){_HOUR}\sgiờ(?:\s(?P<minute>[0-5]\d)(?:\sphút)?)?(?!\s?\w)"),
    ("час", rf"{_HOUR}\sчас(?:а|ов)?(?:\s(?P<minute>[0-5]?\d)\sминут[аы]?)?\s{_part('ru')}(?!\w)"),
    ("बजे", rf"(?:{_part('hi')}\s(?:के\s)?)?{_HOUR}{_MINUTE}?\sबजे"),
    ("الساعة", rf"الساعة\s{_HOUR}{_MINUTE}?(?:\s{_part('ar')})?(?!\w)"),
)
_COMPILED = [(held, re.compile(one)) for held, one in _PATTERNS]
_NOON, _DAY = 12, 24
_HALF = 30
_EVENING = 6
"""Of the hours of the night the first that is before midnight."""


def far_times(text: str) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Where each such time begins and ends, and the minutes since midnight that it may stand for.

    >>> told = ("下午2点开门", "오후 2시에", "2 giờ chiều", "в 2 часа дня", "दोपहर 2 बजे", "2 часа", "2시간")
    >>> [[sorted(at) for _, _, at in far_times(text)] for text in told]
    [[[840]], [[840]], [[840]], [[840]], [[840]], [], []]
    """
    for held, pattern in () if text.isascii() else _COMPILED:
        for found in pattern.finditer(text) if held in text else ():
            told = found.groupdict()
            hour = int(told.get("hour") or told["late"])
            minute = int(told.get("minute") or told.get("past") or 0) + _HALF * bool(told.get("half"))
            if hour < _DAY and minute < 2 * _HALF:
                yield *found.span(), frozenset(60 * one + minute for one in _hours(hour, told.get("part")))


def _hours(hour: int, part: str | None) -> tuple[int, ...]:
    """Which hours of the day it may be: one of twelve by itself is one of two."""
    if hour > _NOON or hour == 0:
        return (hour,)
    if part is None:
        return (hour % _DAY, (hour + _NOON) % _DAY)
    half = _HALVES[part]
    late = half == "p" or (half == "night" and hour >= _EVENING) or (half == "noon" and hour < _EVENING)
    if hour == _NOON:
        return (0 if half == "night" or half == "a" else _NOON,)
    return (hour + _NOON * late,)
