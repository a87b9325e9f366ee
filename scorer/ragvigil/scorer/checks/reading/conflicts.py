"""Conflicts: two passages that say nearly the same of what was asked, with another number or the opposite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import values
from ragvigil.scorer.lazily import made_once

_MOST_CANDIDATES = 12
_MOST_PLACES = 400
_ABOUT_IT = 0.4
_ALIKE = 0.7
_NEARLY_ALIKE = 0.85
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sentences of different passages."""

    one: Segment
    other: Segment
    kind: str
    """``number`` or ``negation``."""


def conflict_in(evidence: Evidence, key_terms: Mapping[str, float]) -> Conflict | None:
    """The first conflict among the sentences that hold most of the question's key terms.

    >>> from ragvigil.scorer.trace import Document
    >>> old = Document("old", "The warranty of the pump lasts 24 months.", rank=1)
    >>> new = Document("new", "The warranty of the pump lasts 36 months.", rank=2)
    >>> found = conflict_in(Evidence([old, new]), {"warranti": 1.0, "pump": 1.0, "last": 1.0})
    >>> found.kind if found else None
    'number'
    """
    scores: defaultdict[int, float] = defaultdict(float)
    for stem, weight in key_terms.items():
        for place in evidence.places.get(stem, ())[:_MOST_PLACES]:
            scores[place] += weight
    enough = _ABOUT_IT * sum(key_terms.values())
    close = [place for place, score in scores.items() if score >= enough]
    ranked = sorted(close, key=lambda place: (-scores[place], place))[:_MOST_CANDIDATES]
    near = [evidence.segments[place] for place in ranked]
    if len({segment.passage for segment in near}) < 2:
        return None
    read = [_Told(segment) for segment in near if segment.span is not None]
    for one, other in combinations(read, 2):
        kind = _kind(one, other) if one.segment.passage != other.segment.passage else None
        if kind is not None:
            return Conflict(one.segment, other.segment, kind)
    return None


class _Told:
    """What a sentence tells, which is laid beside several others."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.stems = {word.stem for word in segment.words if word.content and not word.numbers}

    @made_once
    def numbers(self) -> Sequence[tuple[str, ...]]:
        return values(self.segment.words)

    @made_once
    def units(self) -> Sequence[str]:
        """The words right after its numbers."""
        words = self.segment.words
        numbered = [place for place, word in enumerate(words[:-1]) if word.numbers]
        return [words[place + 1].stem for place in numbered if not words[place + 1].numbers]


def _kind(one: _Told, other: _Told) -> str | None:
    """What two sentences say differently; 3 days and 3 months are no conflict of 3 with 5."""
    shared = len(one.stems & other.stems)
    every = len(one.stems) + len(other.stems) - shared
    if shared < _FEWEST or shared < _ALIKE * every:
        return None
    if one.numbers and len(one.numbers) == len(other.numbers):
        differ = [set(a).isdisjoint(b) for a, b in zip(one.numbers, other.numbers, strict=True)]
        return "number" if any(differ) and one.units == other.units else None
    alike = shared >= _NEARLY_ALIKE * every
    return "negation" if alike and one.segment.negated != other.segment.negated else None
