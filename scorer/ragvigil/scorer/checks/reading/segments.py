"""Segments: each sentence of a passage, or value of a record, made when it is first looked at."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate, chain, pairwise
from typing import overload

import numpy as np

from ragvigil.scorer.checks.reading import records
from ragvigil.scorer.checks.reading.answered import behind_no, is_answered_no
from ragvigil.scorer.checks.reading.clauses import clauses
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.prose import Reading
from ragvigil.scorer.checks.reading.stretches import Stretch
from ragvigil.scorer.checks.reading.vocabulary import Numbers, Vocabulary
from ragvigil.scorer.checks.reading.words import Word, values, words
from ragvigil.scorer.lazily import made_once


class Segment:
    """One sentence of a passage, or one value of a record with the path that leads to it; see `Stretch`.

    What is told of it is kept in plain attributes, not in cached properties, which lock.
    """

    _words: list[Word] | None = None
    _content: frozenset[str] | None = None
    _pairs: frozenset[tuple[str, str]] | None = None
    _numbers: frozenset[str] | None = None
    _negated: bool | None = None
    _stems: list[str] | None = None

    def __init__(self, stretch: Stretch, sentence: int, stems: Numbers, vocabulary: Vocabulary) -> None:
        """Its meaningful `stems` are given by number, in order."""
        self.passage, self.text, self._reading, self.offset, self.path, self.value, _ = stretch
        self.absent = stretch.absent
        """For a record's value: whether it is denied or missing."""
        self._sentence = sentence
        self.span = self._reading.spans[sentence]
        """Where it stands in `text`; None for a record's value."""
        self._numbered_stems = stems
        self._vocabulary = vocabulary

    @property
    def sentence(self) -> str:
        """What it says; empty for a record's value."""
        return self.text[slice(*self.span)] if self.span else ""

    @property
    def told(self) -> str:
        """The sentence, or the value of a record."""
        return self.sentence if self.span else str(self.value)

    @property
    def stems(self) -> list[str]:
        """Its meaningful stems, in order."""
        if self._stems is None:
            self._stems = self._vocabulary.stems_at(self._numbered_stems)
        return self._stems

    @property
    def negated(self) -> bool:
        """Whether it denies something."""
        if self._negated is None:
            self._negated = self.absent is not None or _denies(self.text, self._reading, self._sentence)
        return self._negated

    @property
    def words(self) -> list[Word]:
        """Its words, as `Reading` has them; nobody changes them."""
        if self._words is None:
            self._words = self._reading.words(self._sentence)
        return self._words

    @property
    def content(self) -> frozenset[str]:
        """Its meaningful stems."""
        if self._content is None:
            self._content = frozenset(self.stems)
        return self._content

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Neighbouring meaningful stems."""
        if self._pairs is None:
            self._pairs = frozenset(pairwise(self.stems))
        return self._pairs

    @property
    def numeric(self) -> bool:
        """Whether a number may stand in it."""
        return self._reading.has_numbers(self._sentence)

    @property
    def numbers(self) -> frozenset[str]:
        """Every value that a number in it may stand for."""
        if self._numbers is None:
            self._numbers = frozenset(chain.from_iterable(values(self.words)) if self.numeric else ())
        return self._numbers

    @property
    def place(self) -> tuple[int, int] | None:
        """Where it stands in the passage, from the first character to after the last; None where that is unknown."""
        if self.span is None:
            return records.place_of(self.text, self.path, self.value)
        return None if self.offset is None else (self.offset + self.span[0], self.offset + self.span[1])

    def denies_of(self, stems: Collection[str]) -> bool:
        """Whether it denies in the clause that holds most of `stems`; another clause may deny something else."""
        if self.span is None or not self.negated:
            return self.negated
        spans = clauses(self.text, *self.span, 2)
        parts = [words(self.text[first:last]) for first, last in spans]
        sizes = [(sum(word.stem in stems for word in part if word.content), denies(part)) for part in parts]
        return max(sizes)[1] if len(sizes) > 1 else self.negated


class Segments(Sequence[Segment]):
    """All segments of a record; each is made when it is first looked at, for most never are."""

    def __init__(
        self, stretches: Sequence[Stretch], vocabulary: Vocabulary, stems: Numbers, ends: list[int]
    ) -> None:
        """`stems`: those of all stretches, by number; `ends`: where in them each segment ends."""
        self._stretches = stretches
        self._vocabulary = vocabulary
        self._stems = stems
        self._ends = ends
        self._firsts = [0, *accumulate(len(stretch.reading) for stretch in stretches)]
        self._made: dict[int, Segment] = {}
        self._negated: dict[int, bool] = {}

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> Segment: ...
    @overload
    def __getitem__(self, place: slice) -> list[Segment]: ...
    def __getitem__(self, place: int | slice) -> Segment | list[Segment]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        found = self._made.get(place)
        if found is None:
            place = range(len(self._ends))[place]
            number = bisect_right(self._firsts, place) - 1
            stretch, sentence = self._stretches[number], place - self._firsts[number]
            found = Segment(stretch, sentence, self._part(place, place), self._vocabulary)
            self._made[place] = found
        return found

    def stems(self, first: int, last: int) -> list[str]:
        """The meaningful stems from segment `first` to the end of `last`."""
        return self._vocabulary.stems_at(self._part(first, last))

    def _part(self, first: int, last: int) -> Numbers:
        return self._stems[self._ends[first - 1] if first else 0 : self._ends[last]]

    def distinct(self) -> list[str]:
        """Every meaningful stem once."""
        return self._vocabulary.stems_at(np.unique(self._stems))

    def beginning_as(self, asked: Iterable[str]) -> list[str]:
        """The meaningful stems that begin as one that is asked about."""
        return self._vocabulary.beginning_as(asked, self._stems)

    def negated(self, place: int) -> bool:
        """Whether a segment denies something, told without making it."""
        if place not in self._may_deny:
            return False  # as nearly always
        found = self._negated.get(place)
        if found is None:
            found = self._negated[place] = self._denies(place)
        return found

    def _denies(self, place: int) -> bool:
        number = bisect_right(self._firsts, place) - 1
        stretch, sentence = self._stretches[number], place - self._firsts[number]
        return stretch.absent is not None or _denies(stretch.text, stretch.reading, sentence)

    @made_once
    def _may_deny(self) -> frozenset[int]:
        """Segments with a negation, or of a record's value that is denied or missing."""
        found: list[int] = []
        for first, stretch in zip(self._firsts, self._stretches, strict=False):
            if stretch.path and stretch.absent is not None:
                found.append(first)
            elif stretch.reading.negating:
                found += [first + sentence for sentence in stretch.reading.negating]
            if "?" in stretch.text or "\uff1f" in stretch.text:
                spans = stretch.reading.spans
                found += [
                    first + one for one in range(len(spans)) if is_answered_no(stretch.text, spans, one)
                ]
        return frozenset(found)


def _denies(text: str, reading: Reading, sentence: int) -> bool:
    """Whether a sentence of `text` denies something, or asks what the next one denies.

    The "no" with which it answers the one before denies only what that asks.
    """
    if not reading.denies(sentence):
        return is_answered_no(text, reading.spans, sentence)
    rest, span = behind_no(text, reading.spans, sentence), reading.spans[sentence]
    return rest is None or span is None or denies(words(text[rest : span[1]]))
