"""Words for two: an answer counts so what it says itself, but not what its evidence counts otherwise."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple, Self

from ragvigil.scorer.checks.alignment.roles import ARTICLES
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import CLOCK, expressions
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, offsets, stems_of, things_of

_TWO = ("2",)
_NAMED_BEFORE = stems_of(ARTICLES)
"""Behind these two counts what was named: the two, these two."""
_MOST_SENTENCES, _MOST_BEHIND = 20, 2
_LISTS = re.compile(r":(?!\d)|:\d\d\b.*:\d\d\b")
"""A colon, or several times of the day; one time is none."""
_OF_TIME = frozenset(("calendar", "time"))


def miscounted_twos(
    claim: Sequence[Word], text: str, lacking: Collection[int], evidence: Evidence
) -> frozenset[int]:
    """Which `lacking` words for two of `claim`, the words of `text`, count what a sentence alike counts otherwise.

    Alike is one that says nearly all else of the claim, and has another number before the same word; or half of it,
    and another measure of the same kind.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> from ragvigil.scorer.trace import Document
    >>> trial = Evidence([Document("a", "The trial of the plan lasts 30 days. It allows three devices.")])
    >>> texts = ("The trial lasts two weeks.", "It allows two devices.", "The two plans have a trial.")
    >>> [sorted(miscounted_twos(words(text), text, {1, 2, 3}, trial)) for text in texts]
    [[3], [2], []]
    """
    twos = [place for place in lacking if claim[place].numbers == _TWO]
    twos = [place for place in twos if not text[offsets(text)[place][0]].isdigit()]
    if not twos:
        return frozenset()  # as mostly
    ends = [end for _, end in offsets(text)]
    said = things_of(claim)
    held = Counter(chain.from_iterable(evidence.places.get(stem, ()) for stem in said))
    alike = [evidence.segments[place] for place, _ in held.most_common(_MOST_SENTENCES)]
    kinds = _kinds(text)
    return frozenset(
        place
        for place in twos
        if not (place and claim[place - 1].stem in _NAMED_BEFORE and text[ends[place] :][:1] != "-")
        and _counted_otherwise(_Two.of(claim, text, place, kinds), said, alike)
    )


class _Two(NamedTuple):
    """A word for two."""

    what: str
    """The stem behind it; none where a list follows, which it may count."""
    kinds: frozenset[str]
    """Of the measure that it is."""

    @classmethod
    def of(cls, claim: Sequence[Word], text: str, place: int, kinds: Mapping[int, frozenset[str]]) -> Self:
        start, end = offsets(text)[place]
        behind = (word.stem for word in claim[place + 1 : place + 1 + _MOST_BEHIND] if word.content)
        return cls("" if _LISTS.search(text, end) else next(behind, ""), kinds.get(start, frozenset()))


def _counted_otherwise(two: _Two, said: Collection[str], alike: Sequence[Segment]) -> bool:
    others = {stem for stem in said if stem != two.what}
    for segment in alike:
        shared = len(others & segment.content)
        if segment.span is None or not segment.numbers or 2 * shared < len(others):
            continue
        if two.what and 4 * shared >= 3 * len(others) and _counts(segment, two.what):
            return True
        measures = _kinds(segment.sentence).values() if two.kinds else ()
        if any(CLOCK not in kinds and not kinds.isdisjoint(two.kinds) for kinds in measures):
            return True
    return False


def _counts(segment: Segment, what: str) -> bool:
    """Whether a number that is not two stands right before the word."""
    return any(
        word.numbers and _TWO[0] not in word.numbers and after.stem == what
        for word, after in pairwise(segment.words)
    )


def _kinds(text: str) -> dict[int, frozenset[str]]:
    """For the start of each measure, sum and time what kinds of thing it may tell: 14 h is also an hour of the day."""
    found: dict[int, frozenset[str]] = {}
    for one in expressions(text):
        told = frozenset("time" if kind in _OF_TIME else kind for kind, _ in one.meanings)
        found[one.start] = found.get(one.start, frozenset()) | told
    return found
