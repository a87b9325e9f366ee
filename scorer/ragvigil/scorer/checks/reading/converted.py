"""Converted measures: what an answer tells in another unit, or system of units, than the passages: 19 km for 12 miles.

`expressions` knows what a measure may stand for exactly. Here another unit may be rounded as it is written, and a
record may have the unit in its key, as in ``"warranty_months": 36``. The units are `data/systems.json`, beside those
of `data/measures.json`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.numerals import plain_digits, readings
from ragvigil.scorer.checks.reading.patterns import ELIDED, LETTERS
from ragvigil.scorer.checks.reading.words import Word, offsets, overlapping, words
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data
from ragvigil.scorer.lazily import made_once

_DATA: Any = read_data("systems.json")
_MEASURES: Any = read_data("measures.json")
_OTHER = "other "
"""Before the kind of a measure of the other system, of feet and pounds."""


def _units() -> dict[str, tuple[str, float]]:
    found: dict[str, tuple[str, float]] = {}
    for mark, table in (
        ("", _MEASURES["measures"]),
        ("", _DATA["measures"]),
        (_OTHER, _DATA["other_measures"]),
    ):
        for kind, units in table.items():
            if kind != "ratio":
                found |= {
                    name.replace("_", " "): (mark + kind, float(size))
                    for size, names in units
                    for name in names.split()
                }
    return found


UNITS = _units()
"""By its name the kind of each unit, and its size in the smallest one."""
_DEGREES = {name: kind for kind, names in _DATA["degrees"].items() for name in names}
_KEYS = {name: UNITS[_DATA["keys"].get(name, name)] for name in (*_DATA["keys"], *UNITS) if name.isascii()}
_SPACED = longest_first(name for name in UNITS if name < "\u2e80")
_UNSPACED = longest_first(name for name in UNITS if name >= "\u2e80")
_GROUPS = r"(?:[.,'\u2019]\d{1,15}){0,4}"
_DIGITS = rf"\d{{1,15}}{_GROUPS}"
_SPELLED = longest_first(name for name in LEXICON.number_words if name.isalpha())
_IN_WORDS = rf"(?<![^\W\d_])(?:{_SPELLED})(?![^\W\d_])"
_JOINED = r"(?:\s?[-\u2013\u00d7x~\u301c]\s?|\s(?:to|and|or|by|bis|und|mal|a|y|o|por|e|ou|\u00e0|et|sur)\s)"
_BEHIND = (
    rf"(?:[ \u00a0\u202f-]?(?!{ELIDED})(?P<unit>(?:{_SPACED})(?!\w)|{_UNSPACED})"
    r"|\s?(?:[\u00b0\u00ba]\s?|degrees?\s|grad\s|grados\s|graus\s|degr\u00e9s\s)"
    r"(?P<degrees>C(?:elsius)?|F(?:ahrenheit)?)(?!\w))"
)
_MEASURE = re.compile(
    rf"(?P<one>\d(?<![\d.,A-Za-z_]\d)\d{{0,14}}{_GROUPS})(?:{_JOINED}(?P<two>{_DIGITS}))?{_BEHIND}",
    re.IGNORECASE,
)
"""It begins with a digit, to which the engine skips."""
_SPELLED_OUT = re.compile(rf"(?P<one>{_IN_WORDS})(?:{_JOINED}(?P<two>{_IN_WORDS}))?{_BEHIND}", re.IGNORECASE)
_LETTERS = 3
_BEHIND_DIGITS = frozenset(
    [
        run
        for name in (*UNITS, "degree", "degrees", "grad", "grados", "graus")
        for run in LETTERS.findall(name)[:1]
    ]
)
"""The first letters of what may stand behind a number."""
_SIGNS = frozenset(name[0] for name in UNITS if not LETTERS.match(name))
_SPELLED_UNITS = frozenset(name for name in UNITS if len(name) >= _LETTERS)
_KEY = re.compile(rf'_(?P<unit>{longest_first(_KEYS)})"\s?:\s?"?(?P<one>{_DIGITS})(?![\w.])', re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:about|around|roughly|approximately|approx\.?|nearly|almost|ca\.?|etwa|rund|ungef\u00e4hr|circa|unos|unas|"
    r"cerca de|casi|aproximadamente|alrededor de|uns|umas|quase|environ|presque|pr\u00e8s de|"
    r"[~\u2248\u7d04\u7ea6])\s?\Z",
    re.IGNORECASE,
)
_DEGREES_OF, _OF_TIME = {*_DEGREES.values()}, {"time", "calendar"}
_SECONDS = {"calendar": 2_629_746.0}
"""Of a month, as it is on average."""
_A_MONTH = {"calendar": 1.0, "time": 28 * 86_400.0}
_NEAR_A_MONTH = 0.022
"""By which 30 days or 31 are another length than that."""
_LONGEST_BEFORE = 20
_PLAIN_SPACES = str.maketrans(dict.fromkeys("\u00a0\u202f", " "))
_NEAR, _NEARLY, _EXACTLY, _DEGREE = 0.01, 0.05, 1e-6, 0.6
_FREEZING, _STEP = 32.0, 1.8


class _Told(NamedTuple):
    """One number of a measure."""

    start: int
    end: int
    number: float
    decimals: int
    kind: str
    size: float
    unit: tuple[int, int]
    """Where its unit stands."""

    @property
    def amount(self) -> float:
        return self.number * self.size


def may_convert(text: str, runs: Collection[str]) -> bool:
    """Whether a measure is told: a quick first look. `runs`: the letters in a row of `text`, in lower case.

    >>> may_convert("Some 19 km.", ("some", "km")), may_convert("It opens at 9.", ("it", "opens", "at"))
    (True, False)
    """
    if text.isascii() and _BEHIND_DIGITS.isdisjoint(runs) and (not _SIGNS or _SIGNS.isdisjoint(text)):
        return False  # as mostly
    if next(_in_digits(text), None) is not None:
        return True
    return not (_SPELLED_UNITS.isdisjoint(runs) or LEXICON.number_words.keys().isdisjoint(runs))


class Measures:
    """The measures of the passages, read once for all statements of an answer, when one has a measure of its own."""

    def __init__(self, evidence: Sequence[str]) -> None:
        self._evidence = evidence

    def same(self, one: _Told, *, about: bool) -> tuple[str, _Told] | None:
        """The first that tells as much as `one`, with its passage; `about`: `one` is said to be so by and large."""
        found = [
            place
            for kind, (amounts, places) in self._by_kind.items()
            if (near := _near(one, kind))
            for place in places[bisect_left(amounts, near[0]) : bisect_right(amounts, near[1])]
            if _is_same(one, self._told[place][1], about)
        ]
        return self._told[min(found)] if found else None

    def stands(self, said: str) -> bool:
        """Whether the passages have what is `said` in the same words."""
        plain = said.translate(_PLAIN_SPACES)
        return any(plain in passage for passage in self._plain)

    @made_once
    def _plain(self) -> list[str]:
        return [passage.translate(_PLAIN_SPACES) for passage in self._evidence]

    @made_once
    def _told(self) -> list[tuple[str, _Told]]:
        return [
            (passage, one) for passage in self._evidence for one in (*_in_digits(passage), *_keyed(passage))
        ]

    @made_once
    def _by_kind(self) -> Mapping[str, tuple[list[float], list[int]]]:
        """Amounts, ascending, with the first place of each."""
        firsts: dict[str, dict[float, int]] = {}
        for place, (_, one) in enumerate(self._told):
            firsts.setdefault(one.kind, {}).setdefault(one.amount, place)
        ranked = {kind: sorted(amounts) for kind, amounts in firsts.items()}
        return {kind: (ranked[kind], [firsts[kind][one] for one in ranked[kind]]) for kind in ranked}


def converted(sequence: Sequence[Word], text: str, known: Measures) -> Sequence[Word]:
    """`sequence`, the words of `text`, with measures as the passages have them in another unit.

    >>> told = [(text, words(text)) for text in ("Some 19 km.", "About 22 km.", "A two-year warranty.")]
    >>> [[word.stem for word in converted(said, text, Measures(["12 miles"]))] for text, said in told[:2]]
    [['som', '12', 'mil'], ['about', '22', 'km']]
    >>> [word.stem for word in converted(told[2][1], told[2][0], Measures(['{"warranty_months": 24}']))]
    ['a', '24', 'month', 'warranti']
    """
    mine = [
        one
        for one in (*_in_digits(text), *_in_words(text))
        if not known.stands(text[one.start : one.unit[1]])
    ]
    if not mine:
        return sequence
    found = list(sequence)
    where = offsets(text)
    for one in mine:
        about = _ABOUT.search(text[max(0, one.start - _LONGEST_BEFORE) : one.start]) is not None
        best = known.same(one, about=about)
        if best is None:
            continue
        passage, other = best
        number = words(passage[other.start : other.end])[:1]
        unit = words(passage[slice(*other.unit)])[:1] or number
        for place in overlapping(where, one.start, max(one.end, one.unit[1])):
            first, last = where[place]
            if first < one.end and last > one.start and number:
                found[place] = number[0]
            elif first < one.unit[1] and last > one.unit[0] and unit:
                found[place] = unit[0]
    return found


def _near(one: _Told, kind: str) -> tuple[float, float] | None:
    """Between which amounts of `kind` all stand that `_is_same` may find the same as `one`; None: there are none."""
    if kind == one.kind:
        return one.amount * (1 - 2 * _EXACTLY), one.amount * (1 + 2 * _EXACTLY)
    if {kind, one.kind} == _DEGREES_OF:
        least, most = one.number - 2 * _DEGREE, one.number + 2 * _DEGREE
        if kind == "celsius":
            return (least - _FREEZING) / _STEP, (most - _FREEZING) / _STEP
        return least * _STEP + _FREEZING, most * _STEP + _FREEZING
    if {kind, one.kind} != _OF_TIME and kind.removeprefix(_OTHER) != one.kind.removeprefix(_OTHER):
        return None
    amount = one.amount * _SECONDS.get(one.kind, 1.0) / _SECONDS.get(kind, 1.0)
    return amount * (1 - 2 * _NEARLY), amount * (1 + 2 * _NEARLY)


def _is_same(one: _Told, other: _Told, about: bool) -> bool:
    """Whether both tell as much: exactly in one system, and between two as exactly as `one` is written."""
    if one.kind == other.kind:
        return abs(one.amount - other.amount) <= _EXACTLY * abs(other.amount)
    if {one.kind, other.kind} == _DEGREES_OF:
        theirs = other.number
        theirs = (theirs - _FREEZING) / _STEP if one.kind == "celsius" else theirs * _STEP + _FREEZING
        return abs(one.number - theirs) <= _DEGREE
    if {one.kind, other.kind} == _OF_TIME:
        mine, theirs = (each.amount * _SECONDS.get(each.kind, 1.0) for each in (one, other))
        return abs(mine - theirs) <= _NEAR_A_MONTH * theirs and other.amount >= _A_MONTH[other.kind]
    if one.kind.removeprefix(_OTHER) != other.kind.removeprefix(_OTHER):
        return False
    near = max(0.5 * 10.0**-one.decimals * one.size, (_NEARLY if about else _NEAR) * other.amount)
    return abs(one.amount - other.amount) <= min(near, _NEARLY * other.amount)


def _in_digits(text: str) -> Iterator[_Told]:
    return _read_of(_MEASURE.finditer(plain_digits(text)))


def _in_words(text: str) -> Iterator[_Told]:
    return _read_of(_SPELLED_OUT.finditer(text))


_OF_NO_KIND = ("", 1.0)
"""What is told with a letter of another alphabet, as week\u017f is."""


def _read_of(measures: Iterable[re.Match[str]]) -> Iterator[_Told]:
    for found in measures:
        if found["unit"]:
            kind, size = UNITS.get(found["unit"].lower(), _OF_NO_KIND)
            unit = found.span("unit")
        else:
            kind, size = _DEGREES[found["degrees"].lower()], 1.0
            unit = found.span("degrees")
        for name in ("one", "two"):
            number = _number(found[name])
            if number is not None:
                yield _Told(*found.span(name), *number, kind, size, unit)


def _keyed(text: str) -> Iterator[_Told]:
    """The numbers of a record whose keys end in a unit."""
    if "_" not in text or '":' not in text:
        return
    for found in _KEY.finditer(text):
        number = _number(found["one"])
        if number is not None:
            kind, size = _KEYS.get(found["unit"].lower(), _OF_NO_KIND)
            yield _Told(*found.span("one"), *number, kind, size, found.span("unit"))


def _number(said: str | None) -> tuple[float, int] | None:
    """The value of a numeral, in digits or words, and how many decimals it is written with."""
    if not said:
        return None
    number = readings(said)[0] if said[0].isdigit() else LEXICON.number_words.get(said.casefold(), "")
    if not number.replace(".", "", 1).isdecimal():
        return None
    marks = re.findall(r"[.,]\d+", said)
    decimals = len(marks[-1]) - 1 if (marks and "." in number) or (marks and len(marks[-1]) != 4) else 0
    return float(number), decimals
