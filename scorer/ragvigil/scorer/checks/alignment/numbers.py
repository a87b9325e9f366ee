"""The numbers of a claim beside those of the evidence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from math import log1p
from typing import NamedTuple, Self

from ragvigil.scorer.checks.reading.dialled import FEWEST_DIALLED, dialled
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.patterns import skipping
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import POINTER_STEMS, Word, offsets, values

_MOST_DIGITS = 3
_TALLIES = frozenset(str(number) for number in range(13))
"""Numbers with which an answer counts what it says itself: two ways, ten steps."""
_TWO = frozenset({("2",)})
_ALL_WEEK = r"(?:seven|7)\sdays\sa\sweek\b"
_ALL_DAY = r"(?:24\shours\sa\sday|24/7)\b"
_OWN_LABEL = (
    r"(?:steps?|questions?|options?|points?|items?|tips?|methods?|pasos?|passos?|etapas?|schritte?n?|étapes?)"
    r"\s\d{1,2}(?:(?:,\s|\s(?:and|or|to|through|y|e|o|ou|und|oder|et)\s|\s?[-\u2013]\s?)\d{1,2}){0,9}\b"
)
_OUT_OF = r"out\sof\s(?:5|10|100|five|ten)\b"
_COVID = r"covid-19\b"
_IDLE = skipping([_ALL_WEEK, _OWN_LABEL, _OUT_OF, _COVID])
_IDLE_BESIDE_HOURS = skipping([_ALL_WEEK, _ALL_DAY, _OWN_LABEL, _OUT_OF, _COVID])
_DEGREES = re.compile(
    r"(\d\d{0,2}(?:\.\d)?)\s?(?:°|º|degrees\s)?\s?(F|C|fahrenheit|celsius)\b", re.IGNORECASE
)
"""It begins with a digit, to which the engine skips; a sign stands before it."""
_LISTED = re.compile(
    r"(?P<list>[^\u3001\u3002\s]{1,30}(?:\u3001[^\u3001\u3002\s]{1,30}){1,11})\u306e(?P<many>\d{1,2})(?:\u7a2e\u985e|\u3064|\u70b9|\u9805\u76ee|\u5f62\u5f0f)"
)
_SEPARATES = re.compile("\u3001")
_DIGIT = re.compile(r"\d")
_NEAR_DEGREES = 0.6
_TWICE = 2
_TOLD, _MOST_TOLD = 3, 6
YEARS = frozenset(range(1000, 3000))
"""A set, for a float is looked for in a range by comparing it with all."""
_COUNTED = 12
"""Whole numbers up to it count things; they are no results, but the lesser of two factors is one of them."""
_EXACTLY = 1e-6
_STROKES_OF_A_DATE = _COLONS_OF_A_SECOND = 2


def idle_numbers(
    claim: Sequence[Word], text: str, lacking: Collection[int], *, hours: bool = False
) -> frozenset[int]:
    """Words of `claim`, those of `text`, whose numbers are no facts that evidence must hold.

    "Seven days a week" is each day, steps and options are the answer's own, marks are "out of 5", "the two" counts
    what was named, one temperature tells the same one in other degrees, and a sum is that of what stands beside it.
    `lacking` are the words whose numbers stand nowhere: only of numbers that stand somewhere may one be the sum.
    Where the evidence has opening `hours`, these tell whether it is open 24 hours a day.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> text = "Repeat step 4 until it has 180 degrees Celsius (356 °F)."
    >>> sorted(idle_numbers(words(text), text, ()))
    [2, 9]
    """
    idle = _IDLE_BESIDE_HOURS if hours else _IDLE
    spans = [match.span() for match in idle.finditer(text)] + _converted(text) + _counting_a_list(text)
    derived = _derived(claim, lacking)
    if not spans and _TWO.isdisjoint([word.numbers for word in claim]):
        return derived  # as mostly
    return derived | frozenset(
        place
        for place, (word, (first, last)) in enumerate(zip(claim, offsets(text), strict=True))
        if word.numbers
        and (
            any(first < end and last > start for start, end in spans)
            or (word.numbers in _TWO and not text[first].isdigit())
        )
    )


def _derived(claim: Sequence[Word], lacking: Collection[int]) -> frozenset[int]:
    """Which numbers that stand nowhere are the sum, the difference or a multiple of two that stand somewhere.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> risen = words("up 1.9, from 38.2 to 40.1")
    >>> [sorted(_derived(risen, lacking)) for lacking in ((1,), (1, 3), ())]
    [[1], [], []]
    >>> _derived(words("$250 each, so $500 for two"), (3,))
    frozenset({3})
    """
    numbered = [place for place, word in enumerate(claim) if word.numbers]
    if len(numbered) < _TOLD:
        return frozenset()  # as mostly
    told = [(place, value) for place in numbered if (value := _amount(claim[place])) is not None]
    if not len({value for _, value in told}) == _TOLD <= len(told) <= _MOST_TOLD:
        return frozenset()  # of many numbers some add up by chance
    known = [(value, place not in lacking) for place, value in told]
    return frozenset(
        place
        for place, value in told
        if place in lacking
        and (value > _COUNTED or value % 1)
        and value not in YEARS
        and any(
            abs(result - value) <= _EXACTLY * value
            for first, second in combinations(known, 2)
            if value not in (first[0], second[0])
            for result in _results(min(first, second), max(first, second))
        )
    )


def _results(least: tuple[float, bool], most: tuple[float, bool]) -> Iterator[float]:
    """What two numbers come to, each with whether it stands somewhere; how often the answer itself may count."""
    if most[1]:
        if least[1]:
            yield most[0] - least[0]
            yield most[0] + least[0]
        if least[0] % 1 == 0 and 1 < least[0] <= _COUNTED:
            yield most[0] * least[0]


def _amount(word: Word) -> float | None:
    """The value of a word with numbers; None where that is no plain number, as of a date."""
    return float(word.numbers[0]) if word.numbers[0].replace(".", "", 1).isdecimal() else None


def _converted(text: str) -> list[tuple[int, int]]:
    """Where a temperature follows that was told in other degrees before."""
    told = [(*_degrees(match), match[2][0].lower() == "c") for match in _DEGREES.finditer(text)]
    if len(told) < _TWICE:
        return []  # as nearly always
    return [
        span
        for place, (span, degrees, celsius) in enumerate(told)
        if any(
            other_celsius != celsius
            and abs(_celsius(other, other_celsius) - _celsius(degrees, celsius)) <= _NEAR_DEGREES
            for _, other, other_celsius in told[:place]
        )
    ]


def _counting_a_list(text: str) -> list[tuple[int, int]]:
    """Where a Japanese claim counts what it lists right before.

    >>> [_counting_a_list(text) for text in ("PDF、TXTの2種類です。", "PDF、TXTの3種類です。")]
    [[(8, 9)], []]
    """
    return [
        found.span("many")
        for found in (_LISTED.finditer(text) if "\u3001" in text else ())
        if int(found["many"]) == len(_SEPARATES.findall(found["list"])) + 1
    ]


def _degrees(match: re.Match[str]) -> tuple[tuple[int, int], float]:
    """Where a temperature stands with its sign, and its value."""
    first, last = match.span(1)
    if match.string[max(0, first - 1) : first] == "-":
        return (first - 1, last), -float(match[1])
    return (first, last), float(match[1])


def _celsius(degrees: float, celsius: bool) -> float:
    return degrees if celsius else (degrees - 32) / 1.8


class Numbers(NamedTuple):
    """The numbers of a claim, each as the values it may stand for."""

    all: list[tuple[str, ...]]
    novel: list[tuple[str, ...]]
    """Those that neither the evidence nor the question has, or the evidence of another kind of thing alone."""
    crossed: bool = False
    """Whether it is one of the latter."""

    @classmethod
    def of(cls, claim: Sequence[Word], evidence: Evidence, question: Collection[str]) -> Self:
        """Those of `claim`, without the ones that only point at a passage."""
        if not [word for word in claim if word.numbers]:
            return cls([], [])
        told = values(_without_references(claim, len(evidence.names)))
        found = [evidence.meant(one) for one in told]
        novel = [
            one
            for one in found
            if is_novel(one, evidence.numbers) and not any(value in question for value in one)
        ]
        return cls(found, novel)

    def figures(self, nearest: list[Segment]) -> tuple[float, float, float]:
        """How many are novel, how many of these small, and how many stand elsewhere than in the `nearest` sentences."""
        if not self.all:
            return 0.0, 0.0, 0.0
        far = self.all
        for segment in nearest:
            if len(far) > len(self.novel):  # else all others are near
                far = [readings for readings in far if segment.numbers.isdisjoint(readings)]
        elsewhere = len(far) - len(self.novel)
        small = sum(readings[0] in _TALLIES for readings in self.novel)
        return log1p(len(self.novel)), log1p(small), log1p(max(0, elsewhere))


def is_novel(number: tuple[str, ...], known: Collection[str]) -> bool:
    """Whether none of the values that `number` may stand for is known; of a date with strokes a part does not suffice.

    Nor does its minute for a time to the second, where other seconds of that are told.

    >>> date = ("28/02/2025", "28", "2", "2025")
    >>> [is_novel(date, known) for known in ({"28/02/2025"}, {"28", "2025"}, {"27", "2", "2025"}, {"2"})]
    [False, False, True, True]
    >>> [is_novel(("14:02", "14:02:15"), known) for known in ({"14:02"}, {"14:02", "14:02:58"})]
    [False, True]
    """
    if number[-1].count(":") == _COLONS_OF_A_SECOND and number[0] != number[-1]:
        return _is_another_second(number[0], number[-1], known)
    if number[0].count("/") != _STROKES_OF_A_DATE or number[0] in known:
        return not any(value in known for value in number)
    told = (
        [value for value in number[1:] if int(value) > _COUNTED]
        if all(map(str.isdecimal, number[1:]))
        else []
    )
    return not told or not all(value in known for value in told)


def _is_another_second(minute: str, exactly: str, known: Collection[str]) -> bool:
    """Whether the minute is told with other seconds only, or not at all."""
    if exactly in known or minute not in known:
        return exactly not in known
    return any(one.startswith(f"{minute}:") for one in known)


def years_of_dates(claim: Sequence[Word], lacking: Collection[int], evidence: Evidence) -> frozenset[int]:
    """Which `lacking` words of `claim` are years of dates with points among the numbers of the `evidence`.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> from ragvigil.scorer.trace import Document
    >>> known = [Evidence([Document("a", f"It holds until {date}.")]) for date in ("31.12.2026", "2.2026")]
    >>> [sorted(years_of_dates(words("until 2026"), {1}, evidence)) for evidence in known]
    [[1], []]
    """
    years = [place for place in lacking if claim[place].stem.isdecimal() and int(claim[place].stem) in YEARS]
    if not years:
        return frozenset()  # as mostly
    return frozenset(place for place in years if claim[place].stem in evidence.years_of_dates)


def known_telephones(text: str, lacking: Collection[int], evidence: Evidence) -> frozenset[int]:
    """Which `lacking` words of `text` are digits of a telephone number that `evidence` has, grouped otherwise.

    >>> from ragvigil.scorer.trace import Document
    >>> line = Evidence([Document("a", "Call +49 89 1234 5670.")])
    >>> [sorted(known_telephones(f"Call {one}.", {2}, line)) for one in ("089 12345670", "089 12345671")]
    [[2], []]
    """
    if not lacking or len(_DIGIT.findall(text)) < FEWEST_DIALLED:
        return frozenset()  # as mostly
    where, known = offsets(text), set[int]()
    for first, last, digits in dialled(text):
        held = [place for place in lacking if first <= where[place][0] < last]
        if held and digits in evidence.telephones:
            known.update(held)
    return frozenset(known)


def _without_references(claim: Sequence[Word], passages: int) -> Sequence[Word]:
    """`claim` without numbers that only point at one of the `passages`, as in "passage 2"."""
    if POINTER_STEMS.isdisjoint([word.stem for word in claim]):
        return claim  # as mostly
    before = (None, *claim)
    pairs = zip(before, claim, strict=False)
    return [
        word
        for previous, word in pairs
        if not (previous and previous.stem in POINTER_STEMS and _is_rank(word, passages))
    ]


def _is_rank(word: Word, passages: int) -> bool:
    number = word.numbers[0] if word.numbers else ""
    return number.isdecimal() and len(number) <= _MOST_DIGITS and 0 < int(number) <= passages
