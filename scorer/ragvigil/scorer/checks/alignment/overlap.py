"""Overlap: which segments and passages hold the words of a claim, found for many claims of an answer at once.

Each figure is a sum of weights, added up stem by stem in their order, so that every machine agrees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


def overlaps(
    claims: Sequence[Sequence[str]], denying: Sequence[bool], evidence: Evidence, weights: Weights
) -> list[Overlap]:
    """The overlap of each claim, given as its stems, each once; `denying`: whether it denies something."""
    found: list[Overlap] = []
    for first in range(0, len(claims), _AT_ONCE):
        part = slice(first, first + _AT_ONCE)
        found += _Laid(claims[part], evidence, weights).overlaps(denying[part])
    return found


class _Laid:
    """Some claims on the evidence: a row for each stem of each claim, and for each time that a segment holds it."""

    def __init__(self, claims: Sequence[Sequence[str]], evidence: Evidence, weights: Weights) -> None:
        self._evidence = evidence
        self._count = len(claims)
        stems = [*chain.from_iterable(claims)]
        sizes, self._segment = evidence.segments_of(stems)
        self._weights = weights.of(stems)
        self._weight = np.array(self._weights, np.float64)
        self._ends = [0, *accumulate(map(len, claims))]
        """Where in all stems those of each claim end."""
        self._claim: _Places = np.arange(self._count).repeat([*map(len, claims)])
        """For each stem which claim it is of."""
        self._stem: _Places = np.arange(len(stems)).repeat(sizes)
        """For each time that a segment holds a stem: which; likewise the segment, and the claim."""
        self._of: _Places = self._claim.take(self._stem)
        self._repeated: list[int] = np.bincount(self._claim[sizes > 1], minlength=self._count).tolist()
        self._sizes = sizes

    def overlaps(self, denying: Sequence[bool]) -> list[Overlap]:
        """Those of the claims, in order."""
        totals = self._sums(self._weight)
        each_weight = [self._weights[first:last] for first, last in pairwise(self._ends)]
        if not self._stem.size:
            return [
                Overlap(total, weights=weights) for total, weights in zip(totals, each_weight, strict=True)
            ]
        shares = self._shares()
        best, in_best = self._best(shares, denying)
        carried = self._marked(self._segment == best.take(self._of))
        second, in_second = self._best(np.where(carried.take(self._stem), 0.0, shares), denying)
        passages = self._in_passages()
        each = zip(
            totals,
            _places(best),
            in_best,
            _places(second),
            in_second,
            self._sums(self._weight * self._marked(self._near(best))),
            passages.tolist(),
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

    def _best(self, shares: _Sums, denying: Sequence[bool]) -> tuple[_Places, list[float]]:
        """For each claim the segment that holds most of the `shares`, -1 where none does, and how much."""
        size = len(self._evidence.segments)
        scores = _summed(self._of * size + self._segment, shares, self._count * size)
        rows = scores.reshape(self._count, size)
        best, held = rows.argmax(axis=1), np.maximum.reduce(rows, axis=1).tolist()
        negated = self._evidence.segments.negated
        for claim, place in enumerate(best.tolist()):
            if not held[claim]:
                best[claim] = -1
            elif negated(place) != denying[claim]:
                row = rows[claim]
                rivals: list[int] = (row >= _NEAR * held[claim]).nonzero()[0].tolist()
                rivals.sort(key=row.__getitem__, reverse=True)
                best[claim] = agreeing = next(
                    (one for one in rivals if negated(one) == denying[claim]), place
                )
                held[claim] = float(row[agreeing])
        return best, held

    def _near(self, best: _Places) -> NDArray[np.bool_]:
        """Which times are in a claim's `best` segment, or beside it in the same passage."""
        passage_of = self._evidence.passage_at
        mine = best.take(self._of)
        beside = (np.abs(self._segment - mine) <= 1) & (mine >= 0)
        near: NDArray[np.bool_] = beside & (passage_of.take(self._segment) == passage_of.take(mine))
        return near

    def _in_passages(self) -> _Sums:
        """What each passage holds of each claim."""
        passage = self._evidence.passage_at.take(self._segment)
        new = np.ones(passage.size, np.bool_)
        new[1:] = (passage[1:] != passage[:-1]) | (self._stem[1:] != self._stem[:-1])
        size = len(self._evidence.names)
        cell = (self._of * size + passage)[new]
        return _summed(cell, self._weight.take(self._stem[new]), self._count * size).reshape(
            self._count, size
        )

    def _marked(self, times: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The stems with any of these `times`."""
        marks = np.zeros(self._claim.size, np.bool_)
        marks[self._stem[times]] = True
        return marks

    def _sums(self, weights: _Sums) -> list[float]:
        """The sum of `weights`, one for each stem, by claim."""
        sums: list[float] = _summed(self._claim, weights, self._count).tolist()
        return sums


def _summed(cells: _Places, weights: _Sums, size: int) -> _Sums:
    """The weights of each cell, added up in order."""
    return np.bincount(cells, weights=weights, minlength=size).astype(np.float64, copy=False)


def _places(best: _Places) -> list[int | None]:
    return [None if one < 0 else one for one in best.tolist()]
