"""Overlap: which segments and passages hold the words of a claim, found for many claims at once.

Each figure is a sum of weights, added up stem by stem in their order, so that every machine agrees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.reading.evidence import Evidence

_MOST_PLACES = 400
"""Segments of one stem that compete to be the best; the first ones."""
_NEAR = 0.95
_AT_ONCE = 64
"""Claims that are laid on the evidence together: with 4,000 segments, 2 MB."""

_Places = NDArray[np.intp]
_Sums = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """How telling each stem is (inverse document frequency), from the fitted data."""

    known: Mapping[str, float]
    unknown: float

    def of(self, stems: Iterable[str]) -> list[float]:
        """Those of some stems."""
        known, unknown = self.known, self.unknown
        return [known.get(one, unknown) for one in stems]


class Overlap(NamedTuple):
    """How much of the weight of a claim's stems the evidence holds, and where."""

    total: float = 0.0
    """The weight of all its stems; likewise the others."""
    best: int | None = None
    """The segment that holds most; of near equals one that denies as the claim does. None: none holds any."""
    in_best: float = 0.0
    second: int | None = None
    """The segment that holds most of what is left."""
    in_second: float = 0.0
    around: float = 0.0
    """What the best segment and its two neighbours in the same passage hold."""
    passages: Sequence[float] = ()
    """What each passage holds."""
    most: float = 0.0
    """What the one holds that holds most."""
    repeated: int = 0
    """How many stems stand in more than one segment."""
    weights: Sequence[float] = ()
    """That of each stem."""

    def carriers(self, evidence: Evidence) -> tuple[int, ...]:
        """The passage of the best segment, one that adds much to it, and those that hold as much."""
        if self.best is None:
            return ()
        passages, passage_of = self.passages, evidence.passage_of
        first = passage_of[self.best]
        carriers = [first]
        if self.second is not None and self.in_second / self.total >= 0.2:
            carriers.append(passage_of[self.second])
        enough = max(_NEAR * self.most, passages[first])
        carriers += [place for place, held in enumerate(passages) if held >= enough]
        return tuple(dict.fromkeys(carriers))


_overlap = partial(tuple[object, ...].__new__, Overlap)
"""One of its fields, in a fifth of the time."""


class Stemmed(NamedTuple):
    """The claims of one answer."""

    claims: Sequence[Sequence[str]]
    """Of each its stems, each once."""
    denying: Sequence[bool]
    """Of each whether it denies something."""
    evidence: Evidence


def overlaps(answers: Iterable[Stemmed], weights: Weights) -> list[Overlap]:
    """The overlap of each claim of these answers with the evidence of its own."""
    found: list[Overlap] = []
    for group in _together(answers):
        found += _Held(group, weights).overlaps()
    return found


def _together(answers: Iterable[Stemmed]) -> Iterator[list[Stemmed]]:
    """The claims that are laid together: of several answers, or some of one."""
    group: list[Stemmed] = []
    room = _AT_ONCE
    for claims, denying, evidence in answers:
        first = 0
        while first < len(claims):
            part = slice(first, first + room)
            group.append(Stemmed(claims[part], denying[part], evidence))
            first, room = part.stop, room - len(group[-1].claims)
            if not room:
                yield group
                group, room = [], _AT_ONCE
    if group:
        yield group


class _Held:
    """Some claims on the evidence: a row for each stem of each claim, and for each time that a segment holds it."""

    def __init__(self, answers: Sequence[Stemmed], weights: Weights) -> None:
        claims = [*chain.from_iterable([one.claims for one in answers])]
        self._denying = [*chain.from_iterable([one.denying for one in answers])]
        self._evidence = [one.evidence for one in answers for _ in one.claims]
        """Of each claim."""
        self._most_segments = max([len(one.evidence.segments) for one in answers])
        self._most_passages = max([len(one.evidence.names) for one in answers])
        self._count = len(claims)
        stems = [*chain.from_iterable(claims)]
        self._sizes, self._segment, self._passage = _times(answers)
        self._weights = weights.of(stems)
        self._weight = np.array(self._weights, np.float64)
        self._ends = [0, *accumulate(map(len, claims))]
        """Where in all stems those of each claim end."""
        self._claim: _Places = np.arange(self._count).repeat([*map(len, claims)])
        """For each stem which claim it is of."""
        self._stem: _Places = np.arange(len(stems)).repeat(self._sizes)
        """For each time that a segment holds a stem: which; likewise the segment, its passage, and the claim."""
        self._of: _Places = self._claim.take(self._stem)
        self._repeated: list[int] = np.bincount(self._claim[self._sizes > 1], minlength=self._count).tolist()

    def overlaps(self) -> list[Overlap]:
        """Those of the claims, in order."""
        totals = self._sums(self._weight)
        each_weight = [self._weights[first:last] for first, last in pairwise(self._ends)]
        if not self._stem.size:
            return [
                Overlap(total, weights=weights) for total, weights in zip(totals, each_weight, strict=True)
            ]
        shares = self._shares()
        best, in_best = self._best(shares)
        carried = self._marked(self._segment == best.take(self._of))
        second, in_second = self._best(np.where(carried.take(self._stem), 0.0, shares))
        passages = self._in_passages()
        each = zip(
            totals,
            _places(best),
            in_best,
            _places(second),
            in_second,
            self._sums(self._weight * self._marked(self._near(best))),
            [
                held[: len(evidence.names)]
                for held, evidence in zip(passages.tolist(), self._evidence, strict=True)
            ],
            np.maximum.reduce(passages, axis=1).tolist(),
            self._repeated,
            each_weight,
            strict=True,
        )
        return list(map(_overlap, each))

    def _shares(self) -> _Sums:
        """The weight that each time brings to its segment; of a stem the first `_MOST_PLACES` count."""
        shares: _Sums = self._weight.take(self._stem)
        if self._sizes.max() > _MOST_PLACES:
            sizes: list[int] = self._sizes.tolist()
            shares[np.concatenate([np.arange(size) >= _MOST_PLACES for size in sizes])] = 0.0
        return shares

    def _best(self, shares: _Sums) -> tuple[_Places, list[float]]:
        """For each claim the segment that holds most of the `shares`, -1 where none does, and how much."""
        rows = self._rows(self._of, self._segment, shares, self._most_segments)
        best, held = rows.argmax(axis=1), np.maximum.reduce(rows, axis=1).tolist()
        for claim, place in enumerate(best.tolist()):
            denying, negated = self._denying[claim], self._evidence[claim].segments.negated
            if not held[claim]:
                best[claim] = -1
            elif negated(place) != denying:
                row = rows[claim]
                rivals: list[int] = (row >= _NEAR * held[claim]).nonzero()[0].tolist()
                rivals.sort(key=row.__getitem__, reverse=True)
                best[claim] = agreeing = next((one for one in rivals if negated(one) == denying), place)
                held[claim] = float(row[agreeing])
        return best, held

    def _near(self, best: _Places) -> NDArray[np.bool_]:
        """Which times are in a claim's `best` segment, or beside it in the same passage."""
        places: list[int] = best.tolist()
        passages = [
            -1 if place < 0 else evidence.passage_of[place]
            for place, evidence in zip(places, self._evidence, strict=True)
        ]
        beside = np.abs(self._segment - best.take(self._of)) <= 1
        near: NDArray[np.bool_] = beside & (self._passage == np.array(passages, np.intp).take(self._of))
        return near

    def _in_passages(self) -> _Sums:
        """What each passage holds of each claim."""
        passage, stem = self._passage, self._stem
        new = np.ones(passage.size, np.bool_)
        new[1:] = (passage[1:] != passage[:-1]) | (stem[1:] != stem[:-1])
        times = new.nonzero()[0]
        weights = self._weight.take(stem.take(times))
        return self._rows(self._of.take(times), passage.take(times), weights, self._most_passages)

    def _rows(self, claims: _Places, places: _Places, weights: _Sums, size: int) -> _Sums:
        """For each claim a row of so many sums: of the `weights`, each of one of `claims`, at these `places`."""
        sums = _summed(claims * size + places, weights, self._count * size)
        return sums.reshape(self._count, size)

    def _marked(self, times: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The stems with any of these `times`."""
        marks = np.zeros(self._claim.size, np.bool_)
        marks[self._stem[times]] = True
        return marks

    def _sums(self, weights: _Sums) -> list[float]:
        """The sum of `weights`, one for each stem, by claim."""
        sums: list[float] = _summed(self._claim, weights, self._count).tolist()
        return sums


def _times(answers: Sequence[Stemmed]) -> tuple[_Places, _Places, _Places]:
    """In how many segments of its own evidence each stem of each claim occurs; in which, and their passages."""
    held = [one.evidence.segments_of([*chain.from_iterable(one.claims)]) for one in answers]
    passages = [
        one.evidence.passage_at.take(segments) for one, (_, segments) in zip(answers, held, strict=True)
    ]
    if len(answers) == 1:
        return *held[0], passages[0]
    sizes, segments = zip(*held, strict=True)
    return np.concatenate(sizes), np.concatenate(segments), np.concatenate(passages)


def _summed(cells: _Places, weights: _Sums, size: int) -> _Sums:
    """The weights of each cell, added up in order."""
    return np.bincount(cells, weights=weights, minlength=size).astype(np.float64, copy=False)


def _places(best: _Places) -> list[int | None]:
    return [None if one < 0 else one for one in best.tolist()]
