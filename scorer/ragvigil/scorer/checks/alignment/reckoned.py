"""Reckoned numbers: what a claim works out of numbers that its evidence tells, rightly or not.

The result need not stand in the evidence, but the numbers that it comes of must, in the sentence that is most about
the claim: so the right factor on another row's price does not pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from ragvigil.scorer.checks.alignment.arithmetic import ARITHMETIC
from ragvigil.scorer.checks.alignment.numbers import is_novel
from ragvigil.scorer.checks.alignment.periods import PERIODS
from ragvigil.scorer.checks.alignment.quantities import COUNT, RATIO, Claimed, Quantity, claimed
from ragvigil.scorer.checks.alignment.reachable import reachable
from ragvigil.scorer.checks.alignment.reckoning import DATA, Reckoned, is_year, kinds
from ragvigil.scorer.checks.alignment.yearly import COSTING
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.patterns import skipping
from ragvigil.scorer.checks.reading.words import Word, things_of, words
from ragvigil.scorer.lazily import made_once

_FEWEST = 2
_COUNTED = 12
"""Whole numbers up to it may count what the question names."""
_MOST = 12
"""Numbers of a claim that is read: a longer list works nothing out in one statement."""
_FORMS = (*ARITHMETIC, *PERIODS)
_SIGNS = re.compile(r"[=+\u00d7\u00b7\u2212(x*](?:(?<=[^(x*])|\s?[\d$\u20ac\u00a3])")
_WORDS = [
    word
    for name in ("that_is", "plus", "minus", "times", "against", "reduced", "changed")
    for word in DATA[name]
    if word[0].isalnum()
]
_SHOWING = frozenset(max(words(word), key=lambda one: len(one.stem)).stem for word in _WORDS)
_SHOWS = skipping([rf"(?:{re.escape(word)})(?!\w)" for word in _WORDS])
"""What shows that a number is worked out; without it none is wrong."""


class Sums(NamedTuple):
    """What a claim works out."""

    right: frozenset[int]
    """Places of the lacking words that are results."""
    wrong: bool
    """Whether it shows how, and it comes to something else."""


NONE = Sums(frozenset(), wrong=False)


def sums_of(
    claim: Sequence[Word],
    text: str,
    lacking: Collection[int],
    evidence: Evidence,
    question: Collection[str] = (),
) -> Sums:
    """What `claim`, the words of `text`, works out of numbers of the `evidence`, which has not the `lacking` ones.

    A claim that has hardly a word of its own is about what the `question`, given as its stems, asks.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> from ragvigil.scorer.trace import Document
    >>> rent = Evidence([Document("a", "A compact car costs 42 euros a day. A van costs 60 euros a day.")])
    >>> texts = ("A compact car: 168 euros (4 x 42 euros).", "A van: 168 euros (4 x 42 euros).")
    >>> [sorted(sums_of(words(text), text, (3, 2), rent).right) for text in texts]
    [[3], []]
    """
    if not _FEWEST <= sum([bool(word.numbers) for word in claim]) <= _MOST:
        return NONE  # as mostly
    if not lacking and not _SIGNS.search(text) and not _may_show(claim, text):
        return NONE
    said, found = _worked_out(tuple(claim), text)
    if not found and not lacking:
        return NONE
    about = _About(claim, evidence, question)
    right = [one for one in found if one.right and about.tells(one)]
    wrong = _goes_wrong(found, about)
    results = _places(right)
    told = results | _places([one for one in found if one.shown])
    left = [place for place in lacking if place not in told]
    if left and not wrong:
        results |= _reached(said, left, about)
    return Sums(results.intersection(lacking), wrong)


@lru_cache(maxsize=1 << 7)  # the claims of some records, which alignment and another check ask for
def _worked_out(claim: tuple[Word, ...], text: str) -> tuple[Claimed, Sequence[Reckoned]]:
    """The quantities of a claim, and what it shows that it works out."""
    said = claimed(claim, text)
    return said, tuple(chain.from_iterable([find(said) for find in _FORMS]))


def _reached(said: Claimed, lacking: Sequence[int], about: _About) -> frozenset[int]:
    """Places of the `lacking` words to which steps lead from numbers that are told where the claim's words are."""
    reached = reachable(said, lacking, about.beside)
    known = {one.result for one in reached}
    results: set[int] = set()
    for one in reached:
        of = tuple(part for part in one.of if part not in known)
        if len(one.of) < _FEWEST or not of or about.tells(Reckoned(one.result, of, right=True, shown=False)):
            results.update(one.result.places)
    return frozenset(results)


def _may_show(claim: Sequence[Word], text: str) -> bool:
    """Whether words of `claim` show how a number is worked out: a quick first look."""
    return not _SHOWING.isdisjoint([word.stem for word in claim]) and _SHOWS.search(text) is not None


def _goes_wrong(found: Sequence[Reckoned], about: _About) -> bool:
    """Whether a claim shows how it works out what passages know the numbers of, and comes to something else."""
    fitting = {one.result for one in found if one.right}
    failing = [one for one in found if not one.right and one.shown and one.result not in fitting]
    return any(about.knows(one) and not about.says_so(one) for one in failing)


def _places(found: Iterable[Reckoned]) -> frozenset[int]:
    """Of the words that their results stand in."""
    return frozenset(chain.from_iterable(one.result.places for one in found))


class _About:
    """Which sentences are about a claim, and what these tell."""

    def __init__(self, claim: Sequence[Word], evidence: Evidence, question: Collection[str]) -> None:
        self._claim, self._evidence = claim, evidence
        stems = things_of(claim)
        if sum([stem in evidence.places for stem in stems - COSTING]) < _FEWEST:
            stems.update(question)
        names = {word.stem for word in claim if word.name and word.stem in evidence.places} & stems
        self._names = names - COSTING - {word.stem for word in claim[:1]}
        self._shared = Counter(chain.from_iterable(evidence.places.get(stem, ()) for stem in stems))
        self._named = Counter(chain.from_iterable(evidence.places.get(stem, ()) for stem in names))

    def tells(self, one: Reckoned) -> bool:
        """Whether the numbers it comes of stand where the claim's words do, one of them where most of them do.

        Of the sentences with numbers that one must have most of the claim's names, and of these most of its words; all
        of the names that stand anywhere must stand there, and of a share where its whole is told. Rates for
        another time are left to `yearly_prices`, which asks for more.
        """
        if one.rate:
            return False
        told = [where for given in one.of if (where := self._holding(given))]
        if not told or self._nearest.keys().isdisjoint(chain.from_iterable(told)):
            return False
        wholes = [given for given in one.of if RATIO not in kinds(given)]
        of_a_whole = (
            [held for given in wholes if (held := self._holding(given))] if wholes != [*one.of] else []
        )
        said = {
            word.stem
            for place in chain(*(of_a_whole or told))
            for word in self._evidence.segments[place].words
        }
        return self._names <= said

    @made_once
    def _nearest(self) -> dict[int, None]:
        """The sentences with numbers that are most about the claim, in order."""
        segments = self._evidence.segments
        numbered = [(self._about(place), place) for place in self._shared if segments[place].numbers]
        most = max(numbered, default=(None, 0))[0]
        return dict.fromkeys(place for about, place in numbered if about == most)

    def _about(self, place: int) -> tuple[int, int]:
        return self._named[place], self._shared[place]

    def beside(self) -> list[Quantity]:
        """The numbers of the one sentence that is most about the claim, or of two, that have no other of their unit."""
        told: list[Quantity] = []
        for place in self._nearest if len(self._nearest) <= _FEWEST else ():
            segment = self._evidence.segments[place]
            if segment.span is not None:
                read = claimed(segment.words, segment.sentence)
                told += [one for one in read.quantities if not is_year(one)][:_MOST]
        measured = Counter(kind for one in told for kind in kinds(one) if kind not in (COUNT, RATIO))
        return [one for one in told if all(measured[kind] <= 1 for kind in kinds(one))]

    def knows(self, one: Reckoned) -> bool:
        """Whether the numbers that it comes of stand in the evidence."""
        return all(self._is_known(given) for given in one.of)

    def _is_known(self, given: Quantity) -> bool:
        """Whether its numbers stand anywhere, or it only counts."""
        told = [numbers for place in given.places if (numbers := self._claim[place].numbers)]
        return not any(is_novel(numbers, self._evidence.numbers) for numbers in told) or all(
            face.much <= _COUNTED for face in given.faces
        )

    def says_so(self, one: Reckoned) -> bool:
        """Whether a sentence tells all of it, the result too: then nothing was worked out."""
        first, *others = (self._holding(given) for given in (one.result, *one.of))
        return any(all(place in other for other in others) for place in first)

    def _holding(self, given: Quantity) -> Collection[int]:
        """The segments that share a word with the claim and hold all its numbers."""
        numbers = [readings for place in given.places if (readings := self._claim[place].numbers)]
        segments = self._evidence.segments
        return {
            place
            for place in self._shared
            if not any(segments[place].numbers.isdisjoint(readings) for readings in numbers)
        }
