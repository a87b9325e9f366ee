"""The difference of two rates with an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ragvigil.scorer.estimate.result import Estimate
from ragvigil.scorer.estimate.wilson import wilson


@dataclass(frozen=True, slots=True)
class Difference:
    """now - before, with its interval; in [-1, 1], negative for a fall."""

    value: float
    lower: float
    upper: float
    confidence: float


def difference(before: Estimate, now: Estimate, *, confidence: float) -> Difference:
    """How far the rate moved: Newcombe's hybrid score interval for independent proportions.

    Newcombe 1998, Stat Med 17:873, method 10: the distances from each rate to its own Wilson limits are
    joined as in Pythagoras, so that the interval stays within [-1, 1] and has width at 0 and 1.

    >>> from ragvigil.scorer.monitoring import Sums
    >>> from ragvigil.scorer.estimate import rate
    >>> before, now = (rate(Sums(n, n, k, n, k, k)) for n, k in ((70, 56), (80, 48)))
    >>> moved = difference(before, now, confidence=0.95)
    >>> round(moved.value, 4), round(moved.lower, 4), round(moved.upper, 4)
    (-0.2, -0.3339, -0.0524)
    """
    before_lower, before_upper = wilson(before.value, before.n_effective, confidence=confidence)
    now_lower, now_upper = wilson(now.value, now.n_effective, confidence=confidence)
    value = now.value - before.value
    down = math.hypot(now.value - now_lower, before_upper - before.value)
    up = math.hypot(now_upper - now.value, before.value - before_lower)
    return Difference(value, max(-1.0, value - down), min(1.0, value + up), confidence)
