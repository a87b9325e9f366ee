"""The difference of two rates with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from ragvigil.scorer.estimate.result import Estimate, both_ends
from ragvigil.scorer.estimate.wilson import wilson


@dataclass(frozen=True, slots=True)
class Difference:
    """now - before, with its interval; in [-1, 1], negative for a fall."""

    value: float
    lower: float
    upper: float
    confidence: float
    bounds: tuple[Difference, Difference] | None = None
    """The lowest and the highest that verdicts that never came leave possible; None where all did. The interval holds
    both."""


def difference(before: Estimate, now: Estimate, *, confidence: float) -> Difference:
    """How far the rate moved: Newcombe's hybrid score interval for independent proportions.

    Newcombe 1998, Stat Med 17:873, method 10: the distances from each rate to its own Wilson limits are
    joined as in Pythagoras, so that the interval stays within [-1, 1] and has width at 0 and 1. Where verdicts never
    came, on either side, it holds the differences with all of them failed and passed.

    >>> from ragvigil.scorer.monitoring import Sums
    >>> from ragvigil.scorer.estimate import rate
    >>> before, now = (rate(Sums(n, n, k, n, k, k)) for n, k in ((70, 56), (80, 48)))
    >>> moved = difference(before, now, confidence=0.95)
    >>> round(moved.value, 4), round(moved.lower, 4), round(moved.upper, 4)
    (-0.2, -0.3339, -0.0524)
    """
    found = _between(before, now, confidence)
    if before.bounds is None and now.bounds is None:
        return found
    (least, most), (lowest, highest) = both_ends(before), both_ends(now)
    ends = _between(most, lowest, confidence), _between(least, highest, confidence)
    return replace(
        found,
        lower=min(found.lower, ends[0].lower),
        upper=max(found.upper, ends[1].upper),
        bounds=ends,
    )


def _between(before: Estimate, now: Estimate, confidence: float) -> Difference:
    return moved(
        (before.value, *wilson(before.value, before.n_effective, confidence=confidence)),
        (now.value, *wilson(now.value, now.n_effective, confidence=confidence)),
        confidence=confidence,
    )


def moved(
    before: tuple[float, float, float],
    now: tuple[float, float, float],
    *,
    confidence: float,
    correlation: float = 0.0,
) -> Difference:
    """How far a level moved, from (value, lower, upper) of each: MOVER, as Newcombe joins Wilson's limits.

    Zou & Donner 2008, Stat Med 27:1693, for any intervals of that confidence around estimates with that `correlation`.
    Where estimates that are said to be independent share an error, as two levels corrected by the same labels do, it is
    wider than it must be.

    >>> fall = moved((0.95, 0.944, 0.955), (0.78, 0.677, 0.856), confidence=0.95)
    >>> round(fall.value, 3), round(fall.lower, 3), round(fall.upper, 3)
    (-0.17, -0.273, -0.094)
    """
    value = now[0] - before[0]
    down = _joined(now[0] - now[1], before[2] - before[0], correlation)
    up = _joined(now[2] - now[0], before[0] - before[1], correlation)
    return Difference(value, max(-1.0, value - down), min(1.0, value + up), confidence)


def _joined(one: float, other: float, correlation: float) -> float:
    """The third side of a triangle: the root of one² + other² - 2 correlation one other."""
    apart = math.sqrt(max(0.0, 1.0 - correlation * correlation))
    return math.hypot(one - correlation * other, apart * other)
