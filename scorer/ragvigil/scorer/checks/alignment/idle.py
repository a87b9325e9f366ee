"""Idle words: what a claim says that its evidence need not hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragvigil.scorer.checks.alignment.days import Ranges, tells_a_day
from ragvigil.scorer.checks.alignment.derived import derived_values
from ragvigil.scorer.checks.alignment.in_words import values_in_words
from ragvigil.scorer.checks.alignment.numbers import (
    idle_numbers,
    is_novel,
    known_telephones,
    years_of_dates,
)
from ragvigil.scorer.checks.alignment.twos import miscounted_twos
from ragvigil.scorer.checks.alignment.wider import wider_values
from ragvigil.scorer.checks.alignment.yearly import yearly_prices
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.words import Word, offsets


def lacking_numbers(claim: Sequence[Word], evidence: Evidence, question: Collection[str]) -> list[int]:
    """The places of the words of `claim` whose numbers stand neither in `evidence` nor in `question`, its stems."""
    return [
        place
        for place, word in enumerate(claim)
        if word.numbers
        and is_novel(numbers := evidence.meant(word.numbers), evidence.numbers)
        and not any(value in question for value in numbers)
    ]


def idle_words(
    claim: Sequence[Word],
    text: str,
    lacking: Sequence[int],
    evidence: Evidence,
    ranges: Ranges,
    hours: Sequence[Span],
) -> frozenset[int]:
    """The places of numbers that are no facts, and of days and `hours` that are right; `claim`: the words of `text`.

    `lacking`: as `lacking_numbers` has them.
    """
    right: frozenset[int] = words_within(text, hours) if hours else frozenset()
    if not lacking:
        return right
    idle = idle_numbers(claim, text, lacking, hours=bool(evidence.hours))
    idle -= miscounted_twos(claim, text, lacking, evidence)
    idle |= derived_values(claim, text, lacking, evidence) | years_of_dates(claim, lacking, evidence)
    idle |= known_telephones(text, lacking, evidence)
    if tells_a_day(claim) and (days := ranges.holding(text)):
        idle |= words_within(text, days)
    if wider := wider_values(claim, text, evidence):
        idle |= words_within(text, wider)
    if told := list(values_in_words(claim, text, lacking, evidence)):
        idle |= words_within(text, told)
    if yearly := list(yearly_prices(claim, text, evidence)):
        idle |= words_within(text, yearly)
    return right.union(idle.intersection(lacking))


def words_within(text: str, spans: Sequence[Span]) -> frozenset[int]:
    """Which words of `text` touch one of `spans`.

    >>> sorted(words_within("Open until 9 pm.", [(11, 15)]))
    [2, 3]
    """
    return frozenset(
        place
        for place, (first, last) in enumerate(offsets(text))
        if any(first < end and last > start for start, end in spans)
    )
