"""The Hájek estimate of a rate from weighted sums, with an interval."""

from __future__ import annotations

import math

from ragvigil.scorer.estimate.result import FEWEST, Estimate
from ragvigil.scorer.estimate.wilson import wilson
from ragvigil.scorer.monitoring import Sums

_SMALLEST_EFFECTIVE = 5.0


def rate(sums: Sums, *, confidence: float = 0.95) -> Estimate | None:
    """The weighted mean with its interval; None below 20 observations.

    With weights w = 1 / inclusion probability, p = Σwx / Σw (Hájek 1971) and, linearised,
    se² = Σw²(x - p)² / (Σw)². The interval is Wilson's on n_eff = p(1 - p) / se², Kish's (Σw)² / Σw² where
    the variance is 0. n_eff stays within [5, n]: a sample that lacks the rare heavy failure has a tiny se,
    and the number of observations is what it can be trusted for.

    >>> rate(Sums(n=19, w=190, wx=190, w2=1900, w2x=1900, w2x2=1900)) is None
    True
    >>> ten_percent = Sums(n=200, w=2000, wx=1900, w2=20_000, w2x=19_000, w2x2=19_000)
    >>> one = rate(ten_percent)
    >>> one.value, round(one.lower, 3), round(one.upper, 3), one.n_judged, one.n_traces
    (0.95, 0.91, 0.973, 200, 2000)
    """
    if sums.n < FEWEST or not math.isfinite(sums.w) or sums.w <= 0.0 or not math.isfinite(sums.wx):
        return None
    value = min(1.0, max(0.0, sums.wx / sums.w))
    n_effective = _effective(sums, value)
    lower, upper = wilson(value, n_effective, confidence=confidence)
    return Estimate(value, lower, upper, sums.n, round(sums.w), n_effective, confidence)


def _effective(sums: Sums, value: float) -> float:
    squares = sums.w2x2 - 2.0 * value * sums.w2x + value * value * sums.w2
    variance = squares / (sums.w * sums.w)
    spread = value * (1.0 - value)
    # Sums that were corrected by subtraction may leave rounding dust where the variance is exactly 0.
    if variance <= 1e-12 * max(spread, 1e-6):
        size = sums.w * sums.w / sums.w2 if sums.w2 > 0.0 else float(sums.n)
    else:
        size = spread / variance
    return min(float(sums.n), max(_SMALLEST_EFFECTIVE, size))
