"""Recorded answers as instruments: cheap scores and verdicts of answers that people labelled, drawn by their truth."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.simulate.instruments import Booleans, Hidden
from ragvigil.scorer.simulate.world import Floats

BLIND_SHARE = 0.25
"""Of the unfaithful answers: those with the highest cheap scores stand for errors that it cannot see."""


class Recorded:
    """Every answer looks like one of those recorded, drawn with replacement among those of its truth.

    So cheap score and verdict have the joint shape that a real judge on real answers gave them. A drawn answer counts
    by one over its probability of inclusion, where the set has one.
    """

    def __init__(self, items: GoldSet) -> None:
        """The answers that were labelled; a `GoldSet` has ten of either kind at least."""
        truth = np.asarray(items.truth, dtype=np.float64) >= 0.5
        self._cheap = np.asarray(items.cheap, dtype=np.float64)
        self._passed = (np.asarray(items.verdict, dtype=np.float64) >= 0.5).astype(np.float64)
        self._weight = np.ones(truth.size) if items.inclusion is None else 1.0 / items.inclusion
        self._faithful, self._unfaithful = np.flatnonzero(truth), np.flatnonzero(~truth)
        liked = self._unfaithful[np.argsort(-self._cheap[self._unfaithful], kind="stable")]
        self._blind = liked[: int(np.ceil(BLIND_SHARE * liked.size))]

    @property
    def faithful(self) -> int:
        """How many of the recorded answers are."""
        return int(self._faithful.size)

    @property
    def unfaithful(self) -> int:
        """How many of the recorded answers are."""
        return int(self._unfaithful.size)

    @property
    def sensitivity(self) -> float:
        """Share of the faithful answers that the judge passed."""
        return float(np.average(self._passed[self._faithful], weights=self._weight[self._faithful]))

    @property
    def specificity(self) -> float:
        """Share of the unfaithful answers that it did not pass."""
        return 1.0 - float(np.average(self._passed[self._unfaithful], weights=self._weight[self._unfaithful]))

    @property
    def blind_passed(self) -> float:
        """Share of the errors that the cheap score cannot see which the judge passes, too."""
        return float(np.average(self._passed[self._blind], weights=self._weight[self._blind]))

    def cheap(
        self, faithful: Booleans, looks_faithful: Booleans, random: np.random.Generator
    ) -> tuple[Floats, Floats]:
        """(cheap score, verdict 1 or 0) of an answer drawn for each; an error that looks faithful is a blind one."""
        drawn = np.zeros(faithful.size, dtype=np.int64)
        for pool, wanted in (
            (self._faithful, faithful),
            (self._blind, ~faithful & looks_faithful),
            (self._unfaithful, ~faithful & ~looks_faithful),
        ):
            weight = self._weight[pool]
            drawn[wanted] = random.choice(pool, int(wanted.sum()), p=weight / weight.sum())
        return self._cheap[drawn], self._passed[drawn]

    def leniency(self, shared: Floats, random: np.random.Generator) -> Floats:
        """In (0, 1) for what was passed, in (-1, 0) for what was not."""
        return recorded_leniency(shared, random)

    def passed(self, hidden: Hidden, drop: float) -> Booleans:
        """As recorded; a judge that drifts fails some of the faithful answers that it passed, at random."""
        return still_passed(hidden, drop / max(self.sensitivity, 1e-9))


def recorded_leniency(passed: Floats, random: np.random.Generator) -> Floats:
    """A number for each verdict (1 or 0), above 0 exactly where it passed.

    >>> (recorded_leniency(np.array([1.0, 0.0]), np.random.default_rng(1)) > 0).tolist()
    [True, False]
    """
    leniency: Floats = passed - random.random(passed.size)
    return leniency


def still_passed(hidden: Hidden, flipped: float) -> Booleans:
    """Verdicts after the share `flipped` of the faithful answers that had passed no longer does."""
    passed: Booleans = hidden.leniency > np.where(hidden.faithful, flipped, 0.0)
    return passed
