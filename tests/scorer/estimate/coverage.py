"""How often the interval of each estimator holds the truth, and how wide it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from tests.scorer.estimate.worlds import Stretch, World, segment_rates, stretch

from ragvigil.scorer.detect.sequential.floor import LevelFloor
from ragvigil.scorer.estimate import (
    Calibration,
    Difference,
    Estimate,
    MixChange,
    Refusal,
    Window,
    anchored_level,
    audited_level,
    change_since,
    difference,
    judged_rate,
    mix_change,
    next_labels,
    portable_level,
    quality_change,
    rate,
    strata_of,
)
from ragvigil.scorer.monitoring import Sums

_ANCHOR_JUDGED = 14_000
_ANCHOR_FAITHFUL = 0.95
_AUDITED = 2_000
_SEGMENTS = 12
_REPS_A_WEEK = 5
"""Repetitions that share the week before by segments, which is most of the work and an eighth of the noise."""


class Covered(NamedTuple):
    """What many repetitions found."""

    coverage: float
    width: float
    bias: float


class _Look(NamedTuple):
    """One interval and the truth it is about."""

    value: float
    lower: float
    upper: float
    truth: float


def cover(
    estimators: Sequence[str], world: World, rates: Sequence[float], *, judged: int, reps: int, seed: int
) -> dict[tuple[str, float], Covered]:
    """Repeat some estimators in one world, at each of the faithful `rates`.

    What looks at the same traffic shares it, and all rates share the time before; repetitions are independent.
    """
    looks: dict[tuple[str, float], list[_Look]] = {(name, rate): [] for name in estimators for rate in rates}
    week = _Before(world, judged, [])
    for rep in range(reps):
        before = _Before(world, judged, [seed, judged, rep])
        if rep % _REPS_A_WEEK == 0:
            week = before
        for faithful in rates:
            key = [seed, judged, rep, round(1000 * faithful)]
            sample = _Sample(replace(world, faithful=faithful), judged, key, before, week)
            for name in estimators:
                looks[name, faithful].append(ESTIMATORS[name](sample))
    return {key: _covered(some) for key, some in looks.items()}


def _covered(looks: Sequence[_Look]) -> Covered:
    columns = np.array(looks)
    value, lower, upper, truth = columns.T
    held = (lower <= truth) & (truth <= upper)
    return Covered(float(held.mean()), float((upper - lower).mean()), float((value - truth).mean()))


def shown(found: Estimate | Refusal) -> Estimate:
    """The estimate; a refusal ends the simulation."""
    assert isinstance(found, Estimate), found
    return found


def audit(one: Stretch, random: np.random.Generator, *, total: int = 200) -> Estimate:
    """Two waves of labels, then the level."""
    strata = strata_of(one.window)
    labels = np.full(one.window.size, -1, dtype=np.int64)
    for _ in range(2):
        drawn = next_labels(one.window, strata, labels, total=total, seed=int(random.random() * 2**31))
        labels[drawn.index] = one.truth[drawn.index]
    return shown(audited_level(one.window, strata, labels))


class _Before:
    """The time before, when 95 % were faithful, each part when it is asked for."""

    def __init__(self, world: World, judged: int, key: list[int]) -> None:
        self._world, self._judged, self._key = replace(world, faithful=_ANCHOR_FAITHFUL), judged, key

    def random(self, part: int) -> np.random.Generator:
        return np.random.default_rng([*self._key, part])

    @cached_property
    def week(self) -> Window:
        """Twelve segments for a week."""
        world = replace(self._world, segments=_SEGMENTS)
        return stretch(world, self.random(0), 7 * self._judged, design="segment").window

    @cached_property
    def rate(self) -> Estimate:
        """14,000 verdicts of one segment."""
        n = _ANCHOR_JUDGED
        k = float(self.random(1).binomial(n, self._world.passed))
        found = rate(Sums(n, float(n), k, float(n), k, k))
        assert found is not None
        return found

    @cached_property
    def audited(self) -> Estimate:
        """200 labels of 2,000 judged."""
        random = self.random(2)
        return audit(stretch(replace(self._world, clustered=False), random, _AUDITED), random)

    @cached_property
    def gold(self) -> Calibration:
        return self._world.gold(self.random(3))


class _Sample:
    """What one repetition draws, each part when it is asked for and from a generator of its own."""

    def __init__(self, world: World, judged: int, key: list[int], before: _Before, week: _Before) -> None:
        self.world, self.wanted, self.before, self.week = world, judged, before, week
        self.gold, self.segmented = before.gold, replace(world, segments=_SEGMENTS)
        self._key = key

    def random(self, part: int) -> np.random.Generator:
        return np.random.default_rng([*self._key, part])

    @cached_property
    def one(self) -> Stretch:
        """Traffic of one segment, judged uniformly."""
        return stretch(self.world, self.random(0), self.wanted)

    @cached_property
    def all(self) -> Stretch:
        """Traffic of twelve segments, small ones judged more."""
        return stretch(self.segmented, self.random(1), self.wanted, design="segment")

    @cached_property
    def shifted(self) -> MixChange:
        """The same of another mix, against the week before."""
        share, _ = segment_rates(self.segmented)
        now = stretch(self.segmented, self.random(2), self.wanted, design="segment", mix=share[::-1])
        found = mix_change(self.week.week, now.window)
        assert isinstance(found, MixChange)
        return found

    @cached_property
    def judged(self) -> Estimate:
        return shown(judged_rate(self.one.window))

    @cached_property
    def sums(self) -> Sums:
        """The verdicts of `one` as rollups keep them."""
        data = self.one.window
        weight = 1.0 / data.inclusion[data.known]
        passed = data.verdict[data.known].astype(np.float64)
        squares = weight * weight
        some = (weight.sum(), weight @ passed, squares.sum(), squares @ passed, squares @ passed)
        return Sums(weight.size, *(float(one) for one in some))

    @cached_property
    def change(self) -> Estimate:
        return shown(change_since(self.before.rate, self.judged, self.gold))


def _look(found: Estimate | Refusal, truth: float) -> _Look:
    estimate = shown(found)
    return _Look(estimate.raw, estimate.lower, estimate.upper, truth)


def _rollups(sample: _Sample) -> _Look:
    found = rate(sample.sums)
    assert found is not None
    return _look(found, sample.world.passed)


def _suspicious(sample: _Sample) -> _Look:
    traffic = stretch(sample.world, sample.random(6), sample.wanted, design="suspicious")
    return _look(judged_rate(traffic.window), sample.world.passed)


def _difference(sample: _Sample) -> _Look:
    now = rate(sample.sums)
    assert now is not None
    moved: Difference = difference(sample.before.rate, now, confidence=0.95)
    truth = sample.world.passed - replace(sample.world, faithful=_ANCHOR_FAITHFUL).passed
    return _Look(moved.value, moved.lower, moved.upper, truth)


def _floor(sample: _Sample) -> _Look:
    """What a page for a level under `slo` prints."""
    floor, data = LevelFloor(), sample.one.window
    known = data.known
    floor.update(data.inclusion[known], data.verdict[known].astype(np.float64), 0.0, np.zeros(0))
    found = floor.level(sample.gold)
    assert found is not None
    return _look(found, sample.world.faithful)


def _mixed(part: str, sample: _Sample) -> _Look:
    share, now = segment_rates(sample.segmented)
    before = segment_rates(replace(sample.segmented, faithful=_ANCHOR_FAITHFUL))[1]
    moved = sample.shifted
    if part == "within":
        return _look(quality_change(moved, sample.gold), float(share @ (now - before)))
    youden = sample.world.sensitivity + sample.world.specificity - 1.0
    if part == "mix":
        return _look(moved.mix, youden * float((share[::-1] - share) @ now))
    return _look(moved.raw, youden * float(share[::-1] @ now - share @ before))


ESTIMATORS: dict[str, Callable[[_Sample], _Look]] = {
    "judged rate, one segment": lambda sample: _look(sample.judged, sample.world.passed),
    "judged rate, all traffic": lambda sample: _look(judged_rate(sample.all.window), sample.world.passed),
    "judged rate, suspicious first": _suspicious,
    "judged rate, rollups": _rollups,
    "level P, one segment": lambda sample: _look(
        portable_level(sample.judged, sample.gold), sample.world.faithful
    ),
    "level P, all traffic": lambda sample: _look(
        portable_level(judged_rate(sample.all.window), sample.gold), sample.world.faithful
    ),
    "level A, one segment": lambda sample: _look(audit(sample.one, sample.random(7)), sample.world.faithful),
    "level A, all traffic": lambda sample: _look(audit(sample.all, sample.random(8)), sample.world.faithful),
    "level, anchored": lambda sample: _look(
        anchored_level(sample.before.audited, sample.change), sample.world.faithful
    ),
    "level, of a floor": _floor,
    "change of the level": lambda sample: _look(sample.change, sample.world.faithful - _ANCHOR_FAITHFUL),
    "change within segments": partial(_mixed, "within"),
    "change by the mix": partial(_mixed, "mix"),
    "change, raw": partial(_mixed, "raw"),
    "change of the judged rate": _difference,
}
"""Everything that is printed with a 95 % interval about verdicts: rates, levels in both modes, changes."""
