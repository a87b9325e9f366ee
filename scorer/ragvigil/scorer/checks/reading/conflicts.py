"""Conflicts: two passages that say nearly the same of what was asked, with another number or the opposite."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import values

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
    read = [(segment, _plain(segment)) for segment in near if segment.span is not None]
    for (one, mine), (other, theirs) in combinations(read, 2):
        kind = _kind(one, other, mine, theirs) if one.passage != other.passage else None
        if kind is not None:
            return Conflict(one, other, kind)
    return None


def _kind(one: Segment, other: Segment, mine: set[str], theirs: set[str]) -> str | None:
    """What two sentences say differently, `mine` and `theirs` being their `_plain` stems."""
    shared = len(mine & theirs)
    every = len(mine) + len(theirs) - shared
    if shared < _FEWEST or shared < _ALIKE * every:
        return None
    numbers, others = values(one.words), values(other.words)
    if numbers and len(numbers) == len(others):
        differ = [set(a).isdisjoint(b) for a, b in zip(numbers, others, strict=True)]
        return "number" if any(differ) and _same_units(one, other) else None
    return "negation" if shared >= _NEARLY_ALIKE * every and one.negated != other.negated else None


def _same_units(one: Segment, other: Segment) -> bool:
    """Whether the words right after the numbers are the same: 3 days and 3 months are no conflict of 3 with 5."""
    return _after_numbers(one) == _after_numbers(other)


def _after_numbers(segment: Segment) -> list[str]:
    pairs = zip(segment.words, segment.words[1:], strict=False)
    return [after.stem for word, after in pairs if word.numbers and not after.numbers]


def _plain(segment: Segment) -> set[str]:
    return {word.stem for word in segment.words if word.content and not word.numbers}
