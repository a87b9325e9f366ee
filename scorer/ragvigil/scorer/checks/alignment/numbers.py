"""The numbers of a claim beside those of the evidence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import log1p
from typing import Self

from ragvigil.scorer.checks.reading.evidence import Evidence, Segment
from ragvigil.scorer.checks.reading.words import POINTER_STEMS, Word, values

_MOST_DIGITS = 3
_TALLIES = frozenset(str(number) for number in range(13))
"""Numbers with which an answer counts what it says itself: two ways, ten steps."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of a claim, each as the values it may stand for."""

    all: list[tuple[str, ...]]
    novel: list[tuple[str, ...]]
    """Those that neither the evidence nor the question has."""

    @classmethod
    def of(cls, claim: Sequence[Word], evidence: Evidence, question: Collection[str]) -> Self:
        """Those of `claim`, without the ones that only point at a passage."""
        if not any(word.numbers for word in claim):
            return cls([], [])
        found = values(_without_references(claim, len(evidence.names)))
        novel = [
            one
            for one in found
            if evidence.numbers.isdisjoint(one) and not any(value in question for value in one)
        ]
        return cls(found, novel)

    def figures(self, nearest: list[Segment]) -> tuple[float, float, float]:
        """How many are novel, how many of these small, and how many stand elsewhere than in the `nearest` sentences."""
        if not self.all:
            return 0.0, 0.0, 0.0
        near = frozenset[str]().union(*(segment.numbers for segment in nearest))
        elsewhere = sum(near.isdisjoint(readings) for readings in self.all) - len(self.novel)
        small = sum(readings[0] in _TALLIES for readings in self.novel)
        return log1p(len(self.novel)), log1p(small), log1p(max(0, elsewhere))


def _without_references(claim: Sequence[Word], passages: int) -> list[Word]:
    """`claim` without numbers that only point at one of the `passages`, as in "passage 2"."""
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
