"""Rounding: a number that an answer says is about so much, as the number of the evidence that it rounds."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ragvigil.scorer.checks.reading.converted import UNITS
from ragvigil.scorer.checks.reading.expressions import CURRENCIES, CURRENCY_SIGNS, OPPOSITES
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.numerals import decimal, readings
from ragvigil.scorer.checks.reading.patterns import LETTERS
from ragvigil.scorer.checks.reading.words import Word, offsets, overlapping
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data

_REST = r"(?:[.,'\u2019 \u00a0\u202f]\d{3}){0,5}(?:[.,]\d{1,6})?"
_NUMBER = rf"\d{{1,15}}{_REST}"
_DATA: Any = read_data("rounding.json")
_OVER, _UNDER, _LESS, _AROUND = (_DATA[name] for name in ("over", "under", "less", "around"))
_SIGNS = "~\u2248\u7ea6\u7d04"
_ENDS = frozenset(one[-3:] for one in (*_OVER, *_UNDER, *_LESS, *_AROUND))
"""What a word before a rounded number ends with."""
_SAID_TO_BE = (
    rf"(?:\b(?:(?P<over>{longest_first(_OVER)})|(?P<under>{longest_first(_UNDER)})"
    rf"|(?P<less>{longest_first(_LESS)})|{longest_first(_AROUND)})[ \u00a0]|[{_SIGNS}])"
    rf"[*_]{{0,2}}(?:us|r)?[$€£¥]?\s?(?P<number>{_NUMBER})(?![\d:/])"
)
_ABOUT, _LOWER_ABOUT = re.compile(_SAID_TO_BE, re.IGNORECASE), re.compile(_SAID_TO_BE)
"""The other one is for a text in ASCII and small letters, in a fraction of the time."""
_LONGEST_ABOUT = max(map(len, (*_OVER, *_UNDER, *_LESS, *_AROUND))) + 7
"""Characters from its beginning to its number."""
_FIRST_DIGIT = re.compile(r"\d(?<!\d\d)")
_BESIDE = " \t\n\u00a0\u202f*_$€£¥"
_IN_EVIDENCE = re.compile(rf"\d(?<![\w.,:/]\d)\d{{0,14}}{_REST}(?![\d:/]|[.,]\d)")
"""It begins with a digit, and only then looks behind it: the engine skips to digits."""
_SCALE = re.compile(r"[ \u00a0-]?([^\W\d_]{1,12})")
_WITH_ITS_SCALE = re.compile(rf"({_IN_EVIDENCE.pattern})(?:{_SCALE.pattern})?")
_FEWEST = 20
"""Below, nobody rounds a whole number to something else."""
_NEAR, _NEAR_SMALL = 0.065, 0.2
_OVER_BY, _LESS_BY = 0.125, 0.1
"""Share by which a number may exceed one that is said to be less, or be below: over 200 are 212."""
_LIMIT_WORDS = (*OPPOSITES["limits"]["up"], *OPPOSITES["limits"]["down"], *_DATA["limits"]["words"])
_LIMIT = re.compile(rf"(?<!\w)(?:{longest_first(_LIMIT_WORDS)})\Z")
_LONGEST_LIMIT, _FARTHEST_THRESHOLD = 24, 60
"""Characters before a number that hold words for a limit right there, and further off."""
_MOST_DIGITS_OF_A_LIMIT = 2
"""But for naughts behind them."""
_CLAUSE_ENDS = re.compile(r"[,;\n]|[.!?]\s")
_THRESHOLDS = (
    *(f" {word} " for word in _DATA["thresholds"]["words"]),
    *(f" {begins}" for begins in _DATA["thresholds"]["beginnings"]),
    *(f"{ends} " for ends in _DATA["thresholds"]["ends"]),
)
_OF_MONEY = (*_THRESHOLDS, *(f" {word} " for word in _DATA["thresholds"]["of_money"]))
_DENIALS: Any = _DATA["denials"]
_DENIED = re.compile(
    rf"(?<!\w)(?:(?:{longest_first(_DENIALS['right_before'])})"
    rf"|(?:{longest_first(_DENIALS['one_between'])}) (?!(?:{longest_first(OPPOSITES['only'])}|just) )\w+) \Z",
    re.IGNORECASE,
)
_LONGEST_DENIED = 32
_UNIT = re.compile(r"[ \u00a0\u202f-]?([%€$£¥₹]|[^\W\d_]{2,14}(?![^\W_]))")
_PER = re.compile(rf"/| (?:{longest_first(OPPOSITES['per'])}|an) ")
_NAMES = {
    name: unit
    for name, unit in {
        **{name: f"{size} {kind}" for name, (kind, size) in UNITS.items()},
        **CURRENCIES,
        **dict.fromkeys(_DATA["percent"], "%"),
    }.items()
    if name not in _DATA["unsure_units"]["words"]
}
"""What names of units and currencies tell, in one spelling."""
_SIGNS_OF_MONEY = frozenset(CURRENCIES.values())
_EXACTLY = 1e-9
_NEAR_BY = 12
"""Characters that hold what stands between a word and its number, and the end of the word."""


class Rounded(NamedTuple):
    """A number that is said to be rounded."""

    start: int
    end: int
    value: float
    least: float
    most: float
    """Between which it stands for the number that was rounded."""
    one_sided: bool = False
    """Whether it is said to be less, or more, than that."""
    unit: str = ""
    """Its unit or currency, where one is told."""


class Told(NamedTuple):
    """The numbers of the passages, in order."""

    all: Sequence[float]
    exact: Sequence[float]
    """Those that a rounded one may stand for and no word calls a limit, as "up to" does."""
    of_unit: Mapping[str, Told]
    """Those that a rounded one may stand for, by unit or currency: with those that tell none, which are under ""."""


def may_round(text: str) -> bool:
    """Whether a number is said to be about so much.

    >>> may_round("It costs about 900 euros."), may_round("It costs 900 euros, more or less.")
    (True, False)
    """
    for digit in _FIRST_DIGIT.finditer(text):
        before = text[max(0, digit.start() - _NEAR_BY) : digit.start()].rstrip(_BESIDE)
        before = before.removesuffix("US").removesuffix("R").rstrip(_BESIDE)
        if (
            before[-3:].lower() in _ENDS or before[-1:] in _SIGNS
        ):  # seldom: the pattern tries all words everywhere
            return bool(_rounded(text))
    return False


def lacks(evidence: str, claim: str) -> bool:
    """Whether the evidence may lack a number that `claim` says is rounded, as far as a quick look tells.

    >>> lacks("It has over 42 rooms.", "over 42 rooms"), lacks("It has 1 420 m2.", "over 420 m2")
    (False, True)
    """
    return not all(_has(evidence, claim[one.start : one.end], one.value) for one in _rounded(claim))


def _has(evidence: str, said: str, value: float) -> bool:
    """Whether the number `said` stands first in `evidence` as a number of its own with that value."""
    place = evidence.find(said)
    if place < 0 or evidence[max(0, place - 2) : place - 1].isdigit():
        return False  # or it may be the end of a longer one
    found = next(_amounts(evidence, place), None)
    return found is not None and found[:2] == (value, place)


def numbers_of(evidence: str, claims: Iterable[str]) -> Told:
    """The numbers of the passages, and of those that a rounded one of `claims` may stand for what they are.

    >>> evidence = "South | 980,300 | up to 1.4 million | 12:30 | 12 | 8.9 | 2.4 km"
    >>> told = numbers_of(evidence, ["about 1 million", "over 8", "over 1.3 million"])
    >>> told.all, told.exact, told.of_unit[""].all
    ([2.4, 8.9, 980300.0, 1400000.0], [8.9, 980300.0], [8.9, 980300.0, 1400000.0])
    """
    found = list(_amounts(evidence))
    values = {value for value, *_ in found}
    asked = [(one.least, one.most) for claim in claims for one in _rounded(claim) if one.value not in values]
    near = {value for value in values if any(least <= value <= most for least, most in asked)}
    told: defaultdict[str, set[float]] = defaultdict(set)
    exact: defaultdict[str, set[float]] = defaultdict(set)
    for value, start, end, scaled in found:
        if value not in near:
            continue  # as mostly
        unit = _unit(evidence, start, end)
        told[unit].add(value)
        words = _thresholds(value, of_money=not scaled and unit in _SIGNS_OF_MONEY)
        if value not in exact[unit] and not _is_limit(evidence, start, words):
            exact[unit].add(value)
    of_unit = {
        unit: Told(sorted(told[unit] | told[""]), sorted(exact[unit] | exact[""]), {}) for unit in {"", *told}
    }
    return Told(sorted(values), sorted(set[float]().union(*exact.values())), of_unit)


def _amounts(evidence: str, begin: int = 0) -> Iterator[tuple[float, int, int, bool]]:
    """The numbers that may be rounded: their values, where they stand with a scale, and whether they have one."""
    for match in _WITH_ITS_SCALE.finditer(evidence, begin):
        value, power = _value(match[1]), LEXICON.scales.get((match[2] or "").lower())
        if value is None or (value := value * 10.0 ** (power or 0)) < 1:
            continue
        if value >= _FEWEST or not value.is_integer():
            yield value, match.start(), match.end(1) if power is None else match.end(), power is not None


def _unit(text: str, start: int, end: int) -> str:
    """The unit or currency of a number that stands there, in one spelling; empty where none is told, or a rate.

    >>> _unit("28 EUR per month", 0, 2), _unit("28 km away", 0, 2), _unit("28 km/h", 0, 2)
    ('€', '1000.0 length', '')
    """
    before = text[max(0, start - _NEAR_BY) : start].rstrip(" \u00a0\u202f*_")
    if before[-1:] in CURRENCY_SIGNS:
        return "brl" if before.endswith("R$") else before[-1]
    behind = _UNIT.match(text, end)
    unit = _NAMES.get(behind[1].lower(), "") if behind else ""
    if behind and unit not in _SIGNS_OF_MONEY and _PER.match(text, behind.end()):
        return ""
    return unit


def _thresholds(value: float, *, of_money: bool) -> Sequence[str]:
    """What may call a number a limit further before it: nothing 212 or 38.6, which nobody sets as one.

    >>> [bool(_thresholds(value, of_money=False)) for value in (65.0, 2500.0, 212.0, 38.6)]
    [True, True, False, False]
    """
    if not value.is_integer() or len(f"{value:.0f}".rstrip("0")) > _MOST_DIGITS_OF_A_LIMIT:
        return ()
    return _OF_MONEY if of_money else _THRESHOLDS


def _is_limit(text: str, start: int, thresholds: Sequence[str]) -> bool:
    """Whether words before a number say that something begins or ends there: right before it, or in its clause."""
    before = text[max(0, start - _FARTHEST_THRESHOLD) : start].rstrip(_BESIDE)
    before = before.removesuffix("EUR").removesuffix("R").rstrip(_BESIDE).lower()
    if _LIMIT.search(before, max(0, len(before) - _LONGEST_LIMIT)):
        return True
    clause = f" {' '.join(LETTERS.findall(_CLAUSE_ENDS.split(before)[-1]))} "
    return any(one in clause for one in thresholds)


def unrounded(sequence: Sequence[Word], text: str, numbers: Told) -> list[Word]:
    """`sequence`, the words of `text`, with each rounded number as the one of `numbers` nearest to it.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> known = numbers_of("South: 875,400", ["about $875,000 and 76"])
    >>> [word.stem for word in unrounded(words("about $875,000 and 76"), "about $875,000 and 76", known)]
    ['about', '875400', 'and', '76']
    """
    found = list(sequence)
    for about in _rounded(text):
        if _is_among(numbers.all, about.value):
            continue
        alike = numbers.of_unit.get(about.unit, numbers.of_unit[""]) if about.unit else numbers
        known = alike.exact if about.one_sided else alike.all
        place = bisect_left(known, about.value)
        near = [one for one in known[max(0, place - 1) : place + 1] if about.least <= one <= about.most]
        if not near:
            continue
        said = decimal(f"{min(near, key=lambda one: abs(one - about.value)):.6f}")
        for one in overlapping(offsets(text), about.start, about.end):
            found[one] = Word(said, content=True, name=False, numbers=(said,))
    return found


def _is_among(known: Sequence[float], value: float) -> bool:
    place = bisect_left(known, value)
    return place < len(known) and known[place] == value


@lru_cache(maxsize=1 << 7)  # the claims of some records, each of which is asked for three times
def _rounded(text: str) -> Sequence[Rounded]:
    found: list[Rounded] = []
    digit = _FIRST_DIGIT.search(text)
    about, said = (_LOWER_ABOUT, text.lower()) if text.isascii() else (_ABOUT, text)
    for match in about.finditer(said, max(0, digit.start() - _LONGEST_ABOUT)) if digit else ():
        value = _value(match["number"])
        if value is None or _DENIED.search(text, max(0, match.start() - _LONGEST_DENIED), match.start()):
            continue
        power, end = _scale(text, match.end())
        step = _step(decimal(f"{value:.6f}")) * 10.0**power
        value *= 10.0**power
        step = min(step, _NEAR * value) if value >= _FEWEST else min(step, _NEAR_SMALL * value, 1.0)
        sided = bool(match["over"] or match["less"])
        below = 0.0 if match["over"] else max(step, _LESS_BY * value) if match["less"] else step
        above = 0.0 if match["under"] or match["less"] else max(step, _OVER_BY * value) if sided else step
        if not (sided or match["under"]):
            below, above = below / 2, above / 2
        unit = _unit(text, match.start("number"), end)
        found.append(Rounded(match.start("number"), end, value, value - below, value + above, sided, unit))
    return tuple(found)


def figures(text: str) -> Iterator[tuple[float, str]]:
    """The value of each number of `text` that is no small one, and how it stands among the evidence's numbers.

    >>> list(figures("| Sales | 1,318,220 | 7 |"))
    [(1318220.0, '1318220')]
    """
    for match in _IN_EVIDENCE.finditer(text):
        value = _value(match[0])
        if value is not None and value >= _FEWEST:
            yield value, readings(re.sub("[ \u00a0\u202f]", "'", match[0]))[0]


def rounded(text: str) -> Iterator[Rounded]:
    """The amounts of `text` with a scale behind them, or in full, each with what it may have been before rounding.

    >>> [(one.value, round(one.least), round(one.most)) for one in rounded("1.5 million, and 7")]
    [(1500000.0, 1450000, 1550000)]
    """
    for match in _IN_EVIDENCE.finditer(text):
        value = _value(match[0])
        if value is None:
            continue
        power, end = _scale(text, match.end())
        fraction = decimal(f"{value:.6f}").partition(".")[2]
        half = (0.5 + _EXACTLY) * 10.0 ** (power - len(fraction))
        amount = value * 10.0**power
        if amount >= _FEWEST:
            yield Rounded(match.start(), end, amount, amount - half, amount + half)


@lru_cache(maxsize=1 << 10)
def _value(said: str) -> float | None:
    one = readings(re.sub("[ \u00a0\u202f]", "'", said))[0]
    return float(one) if one.replace(".", "", 1).isdecimal() else None


def _scale(text: str, end: int) -> tuple[int, int]:
    """The power of ten of the word behind a number, and where it ends."""
    word = _SCALE.match(text, end)
    power = LEXICON.scales.get(word[1].lower()) if word else None
    return (power, word.end()) if word and power is not None else (0, end)


def _step(said: str) -> float:
    """What one is at the last digit that is no naught.

    >>> _step("875000"), _step("2.5"), _step("76")
    (1000.0, 0.1, 1.0)
    """
    whole, _, fraction = said.partition(".")
    if fraction:
        return 10.0 ** -len(fraction)
    return 10.0 ** (len(whole) - len(whole.rstrip("0")))
