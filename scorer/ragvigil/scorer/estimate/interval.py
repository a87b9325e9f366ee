"""Intervals for weighted proportions, by Monte Carlo from a confidence distribution; numpy is enough."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.estimate.wilson import checked, normal_quantile
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

DRAWS = 10_000
"""At the 2.5 % quantile this leaves a Monte Carlo error of 3 % of a standard error."""
SEED = 20_260_301
"""Intervals are the same for the same data (design invariant 9)."""


def draws(rate: float, variance: float, step: float, random: np.random.Generator) -> Floats:
    """Draws from a confidence distribution of a proportion that is a weighted sum of rare events; in [0, 1].

    `rate` is the estimate, `variance` its estimated variance, `step` how much one more event would add (1 / n
    for equal weights). Half the draws come from the Beta with the moments (rate, variance), half from the one
    with one event more (rate + step, variance + step²): the mid-P interval of Fay & Kim 2017 (Biom J 59:549)
    for directly standardised rates, with Betas for their Gammas because a proportion ends at 1. It has width
    when no event was seen, and covers weighted rare events where Wilson on an effective size does not.
    """
    if rate > 0.5:
        return 1.0 - draws(1.0 - rate, variance, step, random)
    fewer = _beta(rate, variance, random)
    more = _beta(min(rate + step, 0.5 + 0.5 * rate), variance + step * step, random)
    return np.concatenate([fewer, more])


def _beta(mean: float, variance: float, random: np.random.Generator) -> Floats:
    if mean <= 0.0:
        return np.zeros(DRAWS // 2)
    size = max(mean * (1.0 - mean) / max(variance, 1e-12) - 1.0, 1.0)
    return random.beta(mean * size, (1.0 - mean) * size, DRAWS // 2)


def quantiles(sample: Floats, confidence: float, *, lowest: float, highest: float) -> tuple[float, float]:
    """The two-sided interval of a sample of draws, cut to [lowest, highest], which it never shrinks to a point."""
    tail = 0.5 - checked(confidence) / 2.0
    lower, upper = np.quantile(sample, [tail, 1.0 - tail])
    lower, upper = float(np.clip(lower, lowest, highest)), float(np.clip(upper, lowest, highest))
    if lower < upper:
        return lower, upper
    least = float(sample.max() - sample.min()) or 1e-6
    return (lower - least, upper) if lower >= highest else (lower, upper + least)


def variance_of(influence: Floats, conversation: Integers, clusters: int, confidence: float) -> float:
    """The variance of an estimate from the influence of each record, records of a conversation taken together.

    Cluster-robust (Cameron, Gelbach & Miller 2008): C / (C-1) Σ_c (Σ_{i in c} influence)², never less than for
    independent records, for few conversations leave its estimate noisy; times (t / z)² with `clusters` - 1
    degrees of freedom, because an interval is going to use normal quantiles on it.
    """
    alone = float(influence @ influence)
    sums = np.bincount(conversation, weights=influence)
    together = float(sums @ sums) * clusters / max(clusters - 1, 1)
    z = normal_quantile(confidence)
    return max(alone, together) * (student_quantile(confidence, max(clusters - 1, 1)) / z) ** 2


def clusters_of(conversation: Integers, member: Booleans) -> int:
    """How many conversations the members are of."""
    return int(np.count_nonzero(np.bincount(conversation[member])))


def student_quantile(confidence: float, freedom: int) -> float:
    """Student's t quantile, two-sided: the Cornish-Fisher series (Abramowitz & Stegun 26.7.5), to .1 % from 5 on.

    >>> round(student_quantile(0.95, 10), 3), round(student_quantile(0.95, 40), 3)
    (2.228, 2.021)
    """
    z = normal_quantile(confidence)
    first = (z**3 + z) / 4.0
    second = (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0
    third = (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0
    return z + first / freedom + second / freedom**2 + third / freedom**3
