"""How often the interval of each estimator holds the truth, and how wide it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from tests.scorer.estimate.worlds import Stretch, World, segment_rates, stretch

from ragvigil.scorer.estimate import (
    Estimate,
    Refusal,
    anchored_level,
    audited_level,
    change_since,
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


class Covered(NamedTuple):
    """What many repetitions found."""

    coverage: float
    width: float
    bias: float


class _Look(NamedTuple):
    """One interval and the truth it is about."""

    estimate: Estimate
    truth: float


def cover(estimator: str, world: World, *, judged: int, reps: int, seed: int) -> Covered:
    """Repeat one estimator in one world."""
    random = np.random.default_rng([seed, judged, round(1000 * world.faithful)])
    looks = [ESTIMATORS[estimator](world, judged, random) for _ in range(reps)]
    held = [look.estimate.lower <= look.truth <= look.estimate.upper for look in looks]
    widths = [look.estimate.upper - look.estimate.lower for look in looks]
    errors = [look.estimate.raw - look.truth for look in looks]
    return Covered(float(np.mean(held)), float(np.mean(widths)), float(np.mean(errors)))


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


def _judged(world: World, judged: int, random: np.random.Generator) -> _Look:
    return _Look(shown(judged_rate(stretch(world, random, judged).window)), world.passed)


def _by_segment(world: World, judged: int, random: np.random.Generator) -> _Look:
    world = replace(world, segments=max(world.segments, 12))
    return _Look(shown(judged_rate(stretch(world, random, judged, design="segment").window)), world.passed)


def _suspicious(world: World, judged: int, random: np.random.Generator) -> _Look:
    return _Look(shown(judged_rate(stretch(world, random, judged, design="suspicious").window)), world.passed)


def _portable(world: World, judged: int, random: np.random.Generator) -> _Look:
    p = judged_rate(stretch(world, random, judged).window)
    return _Look(shown(portable_level(p, world.gold(random))), world.faithful)


def _audited(world: World, judged: int, random: np.random.Generator) -> _Look:
    return _Look(audit(stretch(world, random, judged), random), world.faithful)


def _anchor(world: World, random: np.random.Generator) -> tuple[World, Estimate]:
    """The world of the anchor week, 95 % faithful, and its judged rate on 14,000 verdicts."""
    before = replace(world, faithful=_ANCHOR_FAITHFUL)
    n = _ANCHOR_JUDGED
    passed = float(random.binomial(n, before.passed))
    found = rate(Sums(n, float(n), passed, float(n), passed, passed))
    assert found is not None
    return before, found


def _changed(world: World, judged: int, random: np.random.Generator) -> _Look:
    _, anchor = _anchor(world, random)
    now = judged_rate(stretch(world, random, judged).window)
    moved = change_since(anchor, now, world.gold(random))
    return _Look(shown(moved), world.faithful - _ANCHOR_FAITHFUL)


def _anchored(world: World, judged: int, random: np.random.Generator) -> _Look:
    before, anchor = _anchor(world, random)
    audited = audit(stretch(replace(before, clustered=False), random, 2_000), random)
    now = judged_rate(stretch(world, random, judged).window)
    return _Look(
        shown(anchored_level(audited, change_since(anchor, now, world.gold(random)))), world.faithful
    )


def _within(world: World, judged: int, random: np.random.Generator) -> _Look:
    world = replace(world, segments=world.segments if world.segments > 1 else 12)
    before = replace(world, faithful=_ANCHOR_FAITHFUL)
    share, rates = segment_rates(world)
    anchor = stretch(before, random, 7 * judged, design="segment").window
    now = stretch(world, random, judged, design="segment", mix=share[::-1]).window
    moved = mix_change(anchor, now)
    truth = float(share @ (rates - segment_rates(before)[1]))
    return _Look(shown(quality_change(moved, world.gold(random))), truth)


ESTIMATORS: dict[str, Callable[[World, int, np.random.Generator], _Look]] = {
    "judged": _judged,
    "by segment": _by_segment,
    "suspicious": _suspicious,
    "portable": _portable,
    "audited": _audited,
    "change": _changed,
    "anchored": _anchored,
    "within": _within,
}
