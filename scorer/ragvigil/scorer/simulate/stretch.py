"""A stretch of real traffic, in columns: what a replay repeats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.simulate.world import Floats

Integers = npt.NDArray[np.int64]

_DRAW = 20_261_122
"""Seed of the ties between donors: one stretch is filled in one way."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole days of one service's records, in order of time. All columns have one length, at least 1."""

    days: int
    """How long; whole weeks where there is a week."""
    time: Floats
    """Seconds from its beginning, below `days` * 86,400."""
    segment: Integers
    """Codes 0 to `segments` - 1."""
    conversation: Integers
    """Codes from 0 on."""
    cheap: Floats
    """NaN for an answer that makes no claims or has no evidence: nothing that a judge would be asked about."""
    citation_ok: Floats
    """1, 0, NaN for unknown."""
    documents: Floats
    """Retrieved passages or whether there were any; NaN for unknown."""
    passed: Integers
    """1 or 0 for what the judge said, or for what it says of `filled` look-alikes; -1 where `cheap` is NaN."""
    names: tuple[str, ...]
    """Of the segments."""
    judged: int
    """Records whose verdict is their own."""

    @property
    def segments(self) -> int:
        """How many there are."""
        return len(self.names)

    @property
    def traces_per_day(self) -> float:
        """Records a day."""
        return self.time.size / self.days

    @property
    def pass_rate(self) -> float:
        """Share of the answers with a verdict that passed."""
        return float(self.passed[self.passed >= 0].mean())

    def __deepcopy__(self, memo: dict[int, object]) -> Stretch:
        """The same: nobody writes to it, and every fork of a replay has one."""
        return self


def filled(segment: Integers, cheap: Floats, passed: Integers) -> Integers:
    """Verdicts for all answers with a cheap score: of one never judged, that of its nearest judged neighbour.

    The neighbour is of the same segment, or of any where none of that segment was judged; among several that are
    equally near it is drawn. This is a hot deck (Andridge & Little 2010): true to the share of each verdict at each
    cheap score as long as who is judged depends on segment and cheap score only, as the sampler has it.

    Args:
        segment: (n,) codes.
        cheap: (n,) in [0, 1], NaN where there is nothing to judge.
        passed: (n,) 1, 0, and -1 where there is no verdict; at least one verdict with a cheap score.

    Returns:
        (n,) 1 or 0, and -1 where `cheap` is NaN.

    >>> filled(np.zeros(4, np.int64), np.array([0.1, 0.2, 0.9, np.nan]), np.array([0, -1, 1, -1])).tolist()
    [0, 0, 1, -1]
    """
    random = np.random.default_rng(_DRAW)
    judgeable = np.isfinite(cheap)
    donors = judgeable & (passed >= 0)
    found = np.where(judgeable, passed, -1)
    for code in np.unique(segment[judgeable]):
        wanted = np.flatnonzero(judgeable & (segment == code) & (passed < 0))
        own = donors & (segment == code)
        pool = np.flatnonzero(own if own.any() else donors)
        pool = pool[np.argsort(cheap[pool], kind="stable")]
        found[wanted] = passed[pool[_nearest(cheap[pool], cheap[wanted], random)]]
    return found


def _nearest(sorted_scores: Floats, scores: Floats, random: np.random.Generator) -> Integers:
    """For each of (n,) scores the place of a nearest one in (m,) sorted scores, drawn among equals."""
    left = np.clip(np.searchsorted(sorted_scores, scores) - 1, 0, None)
    right = np.clip(left + 1, None, sorted_scores.size - 1)
    below, above = sorted_scores[left], sorted_scores[right]
    near = np.where(np.abs(above - scores) < np.abs(scores - below), above, below)
    first = np.searchsorted(sorted_scores, near, side="left")
    equal = np.searchsorted(sorted_scores, near, side="right") - first
    return (first + (random.random(scores.size) * equal).astype(np.int64)).astype(np.int64)
