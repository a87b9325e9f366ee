"""Scales afar: amounts in the scale of a language, 3,45 млн, 12.5 लाख, 12억 5,000만, and the same ones in full.

The names are `far_scales` of `data/measures.json`; `near_scales` are those that others read as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from ragvigil.scorer.checks.reading.numerals import readings
from ragvigil.scorer.checks.reading.patterns import LETTERS
from ragvigil.scorer.checks.reading.words import UNSPACED
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data

_DATA: Any = read_data("measures.json")


def _powers(table: str) -> dict[str, int]:
    return {name: int(power) for power, names in _DATA[table].items() for name in names.split()}


_FAR, _JOINED = _powers("far_scales"), _powers("joined_scales")
"""Those that are words, and those that stand right behind a number, in scripts that join what follows to them."""
_SCALES = _FAR | _powers("near_scales")
_SPACE = "[ \u00a0\u202f]"
_NUMBER = (
    rf"\d(?<![^\W{UNSPACED}\uac00-\ud7a3]\d)(?<![.,:/]\d)\d{{0,14}}"
    r"(?:(?:,\d\d){1,4},\d{3}(?!\d)|(?:[.,'\u2019 \u00a0\u202f]\d{3}(?!\d)){1,5})?"
    r"(?:[.,]\d{1,6})?(?![\d:/]|[.,]\d)"
)
"""In groups of three, or as in India."""
_SPACED_SCALE = rf"(?:{longest_first(_SCALES)})(?![^\W\d_]|[\u0900-\u0963])\.?"
_SCALE = rf"{_SPACE}?(?:{_SPACED_SCALE}|{longest_first(_JOINED)})"
_SCALED = rf"(?P<number>{_NUMBER})(?P<scales>(?:{_SCALE}){{0,2}})"
_AMOUNT, _LOWER_AMOUNT = re.compile(_SCALED, re.IGNORECASE), re.compile(_SCALED)
"""The other one is for a text in ASCII and small letters, in a fraction of the time."""
_A_SCALE = re.compile(rf"{longest_first((*_SCALES, *_JOINED))}", re.IGNORECASE)
_BEHIND_A_DIGIT = re.compile(rf"\d{_SPACE}?([^\W\d_]{{1,12}})")
_BEHIND_AN_ASCII_DIGIT = re.compile("[0-9] ?([A-Za-z]{1,12})")
"""The same in a text in ASCII, in half the time."""
_HEADS = frozenset(match[0] for name in _FAR if (match := LETTERS.match(name)))
_FIRSTS = frozenset(name[0] for name in _JOINED if name < "\u2e80" or name >= "\uac00")
_HEADS_OF_ALL = frozenset(match[0] for name in _SCALES if (match := LETTERS.match(name)))
_FIRSTS_OF_ALL = frozenset(name[0] for name in _JOINED)
_FOUR_DIGITS = re.compile(r"\d(?:[.,'\u2019 \u00a0\u202f]?\d){3}")
_TWO_STEPS = re.compile("[\u5104\u4ebf\u5146\u4e07\u842c]\\d")
"""In Chinese characters; what is told in one step others read."""
_LARGE = 1000
_MOST_BETWEEN = 1
Amount = tuple[int, int, frozenset[float]]
"""Where an amount begins and ends, and what it may be: 3,450 may be either."""


def may_scale_afar(text: str) -> bool:
    """Whether an amount may be told in one of these scales: a quick first look.

    >>> [may_scale_afar(text) for text in ("3,45 млн", "12億5,000万円", "3450만원", "₹1.2 crore", "3.45 million")]
    [True, True, True, True, False]
    """
    behind = (_BEHIND_AN_ASCII_DIGIT if text.isascii() else _BEHIND_A_DIGIT).findall(text)
    return (
        not _HEADS.isdisjoint(map(str.casefold, behind))
        or not _FIRSTS.isdisjoint([one[0] for one in behind])
        or (not text.isascii() and _TWO_STEPS.search(text) is not None)
    )


def may_be_large(text: str) -> bool:
    """Whether `amounts` might find any: a quick first look.

    >>> [may_be_large(text) for text in ("1,998 of them", "3,45 млн", "3450만원", "3 million", "998 of 42.5 km")]
    [True, True, True, True, False]
    """
    if _FOUR_DIGITS.search(text):
        return True
    behind = _BEHIND_A_DIGIT.findall(text)
    return not _HEADS_OF_ALL.isdisjoint(map(str.casefold, behind)) or (
        not text.isascii() and not _FIRSTS_OF_ALL.isdisjoint([one[0] for one in behind])
    )


def amounts(text: str) -> Iterator[Amount]:
    """The large amounts of `text`, in whatever scale; what tells one in two steps, as 12億5,000万 does, is one.

    >>> told = ("3,45 млн рублей", "3 450 000 рублей", "12억 5,000만 원", "12.5 लाख", "3.45 ล้านบาท", "5 apples")
    >>> [[sorted(values) for _, _, values in amounts(text)] for text in told]
    [[[3450000.0]], [[3450000.0]], [[1200050000.0, 1250000000.0]], [[1250000.0]], [[3450000.0]], []]
    >>> list(amounts("7 1.000 212 mio."))
    []
    """
    begun: tuple[int, int, frozenset[float], float] | None = None
    for found in _LOWER_AMOUNT.finditer(text.lower()) if text.isascii() else _AMOUNT.finditer(text):
        number, scales = found.groups()
        power = sum(map(_power, _A_SCALE.findall(scales))) if scales else 0
        values = frozenset([value * 10.0**power for value in _values(number)])
        start, end = found.span()
        if begun and power and values and _goes_on(text[begun[1] : start]) and max(values) < begun[3]:
            values = frozenset(map(sum, product(begun[2], values)))
            start = begun[0]
        elif begun:
            yield from _large(begun)
        begun = (start, end, values, 10.0**power) if values else None
    if begun:
        yield from _large(begun)


def _large(amount: tuple[int, int, frozenset[float], float]) -> Iterator[Amount]:
    values = frozenset(round(value, 3) for value in amount[2] if value >= _LARGE)
    if values:
        yield amount[0], amount[1], values


def _goes_on(between: str) -> bool:
    return len(between) <= _MOST_BETWEEN and not between.strip()


def _power(scale: str) -> int:
    name = scale.casefold()
    return _JOINED[name] if name in _JOINED else _SCALES[name]


@lru_cache(maxsize=1 << 8)  # most are small, or come again in the passages
def _values(number: str) -> Sequence[float]:
    said = readings(re.sub(_SPACE, "'", number))
    return tuple([float(one) for one in said if one.replace(".", "", 1).isdecimal()])
