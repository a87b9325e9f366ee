"""Conflicts: two passages that say the same of what was asked, with another number or the opposite.

Passages of one corpus are full of parallel sentences about different things (two plans, branches, versions, years), so
that all they say must be the same but for the value: a word that only one of them has tells which thing it is about.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import OPPOSITES
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, things_of, values, words
from ragvigil.scorer.data import read_data
from ragvigil.scorer.lazily import made_once

_MOST_CANDIDATES = 12
_MOST_PLACES = 400
_ABOUT_IT = 0.4
_FEWEST = 3
_MOST_OF_A_HEADING = 6
_DATA = read_data("questions.json")
_VALID = re.compile(
    rf"\b(?:{'|'.join(_DATA['valid'])})\b(?:[ .,]{{1,2}}\w{{1,12}}){{0,4}}?[ .,]{{1,2}}(?:19|20)\d\d\b",
    re.IGNORECASE,
)
"""From or until when something holds: it dates the sentence, and tells no other thing."""
_NOW = frozenset(word.stem for word in words(" ".join(_DATA["now"])))
_NUMBERED = frozenset(word.stem for word in words(" ".join(OPPOSITES["numbered"])))
_YEAR = re.compile(r"(?:19|20)\d\d")
_SIDES = {
    word.stem: side for side, names in OPPOSITES["beyond"].items() for name in names for word in words(name)
}
"""Before and after, over and under: of two sentences that differ in that, both may be so."""


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
        if kind is not None and not _headed_apart(evidence, one.segment, other.segment):
            return Conflict(one.segment, other.segment, kind)
    return None


class _Told:
    """What a sentence tells, which is laid beside several others."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self.stems = things_of(self.words) - _NOW

    @made_once
    def words(self) -> Sequence[Word]:
        """Its words, without from when or until when it holds."""
        segment = self.segment
        if segment.span is None or not _YEAR.search(segment.text, *segment.span):
            return segment.words
        text = segment.sentence
        plain = _VALID.sub(" ", text)
        return segment.words if plain == text else words(plain)

    @made_once
    def places(self) -> Sequence[int]:
        """Where its numbers stand among its words."""
        return [place for place, word in enumerate(self.words) if word.numbers]

    @made_once
    def numbers(self) -> Sequence[tuple[str, ...]]:
        return values(self.words)

    @made_once
    def units(self) -> Sequence[str]:
        """The words right after its numbers."""
        following = [self.words[place + 1] for place in self.places if place + 1 < len(self.words)]
        return [word.stem for word in following if not word.numbers]

    @made_once
    def sides(self) -> set[str]:
        """On which sides of a bound its things are."""
        return {_SIDES[word.stem] for word in self.words if word.stem in _SIDES}

    def is_value(self, places: Sequence[int]) -> bool:
        """Whether its numbers at `places` are one value: a single number, or a span such as 8 am to 4 pm.

        A number before all else (in 2022), right behind its first word (room 12) or behind a word such as "version",
        and a year beside another number tell which thing it is about.
        """
        first, last = places[0], places[-1]
        before = [place for place in range(first) if self.words[place].content]
        if not before or before == [first - 1] or self.words[first - 1].stem in _NUMBERED:
            return False
        if len(self.places) > 1 and _YEAR.fullmatch(self.words[first].stem):
            return False
        return not any(
            self.words[place].content for place in range(first + 1, last) if place - 1 not in self.places
        )


def _kind(one: _Told, other: _Told) -> str | None:
    """What two sentences on the same thing say differently; 3 days and 3 months are no conflict of 3 with 5."""
    if len(one.stems) < _FEWEST or one.stems != other.stems or one.sides != other.sides:
        return None
    if one.numbers and len(one.numbers) == len(other.numbers):
        both = zip(one.places, one.numbers, other.numbers, strict=True)
        differ = [place for place, a, b in both if set(a).isdisjoint(b)]
        return "number" if differ and one.units == other.units and one.is_value(differ) else None
    return "negation" if one.segment.negated != other.segment.negated else None


def _headed_apart(evidence: Evidence, one: Segment, other: Segment) -> bool:
    """Whether the passages' headings name two things of a kind: "Basic plan" and "Pro plan"."""
    first, second = (_heading(evidence, segment) for segment in (one, other))
    return bool(first & second and first - second and second - first)


def _heading(evidence: Evidence, segment: Segment) -> frozenset[str]:
    """The words of meaning of what stands first in the passage of `segment`, where that is short and another one."""
    head = evidence.segments[bisect_left(evidence.passage_of, segment.passage)]
    if head.span is None or head.span == segment.span or len(head.words) > _MOST_OF_A_HEADING:
        return frozenset()
    return frozenset(things_of(head.words))
