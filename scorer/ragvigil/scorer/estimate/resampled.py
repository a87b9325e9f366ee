"""Means of what was measured on units such as queries, with bootstrap intervals that have width everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragvigil.scorer.estimate.interval import SEED, student_quantile
from ragvigil.scorer.estimate.result import FEWEST, FEWEST_CONVERSATIONS, Estimate
from ragvigil.scorer.estimate.wilson import checked, normal_quantile
from ragvigil.scorer.estimate.window import Floats, Integers

_RESAMPLES = 2_000
_AT_ONCE = 4_000_000
"""Weights that are drawn in one turn: 32 MB."""


def resampled(
    values: Floats, unit: Integers, ends: Sequence[tuple[float, float]], *, confidence: float = 0.95
) -> list[Estimate] | None:
    """The mean of each column of `values` [n, m], with its interval; None below 20 rows, or 10 units of several rows.

    `unit` [n] says which rows belong together, such as the queries of a conversation: they are drawn together. `ends`
    are the lowest and the highest that each column can be. It is the Bayesian bootstrap (Rubin 1981, Ann Stat 9:130)
    over the units, with half an observation more at either end: for values of 0 and 1 that is Jeffreys' interval, where
    the ordinary bootstrap has no width if all are alike, and with 20 of mean .95 holds the truth in 66 samples of 100.
    Draws are spread by sqrt((G+1)/(G-1)) t / z for G units, since the bootstrap of few is too narrow.

    >>> perfect, half = resampled(
    ...     np.column_stack([np.ones(40), np.arange(40) % 2]), np.arange(40), [(0.0, 1.0)] * 2
    ... )
    >>> perfect.value, round(perfect.lower, 2), perfect.upper, perfect.n_judged
    (1.0, 0.94, 1.0, 40)
    >>> half.value, round(half.lower, 1), round(half.upper, 1)
    (0.5, 0.3, 0.7)
    """
    rows = len(values)
    groups = np.unique(unit, return_inverse=True)[1]
    units = int(groups.max(initial=-1)) + 1
    if rows < FEWEST or units < min(rows, FEWEST_CONVERSATIONS):
        return None
    sums: Floats = np.column_stack([np.bincount(groups, weights=column) for column in values.T]).astype(
        np.float64
    )
    limits = np.array(ends, dtype=np.float64)
    sizes: Floats = np.bincount(groups).astype(np.float64)
    found = _means(sums, sizes, limits)
    freedom = max(units - 1, 1)
    wider = (
        np.sqrt((units + 1) / freedom) * student_quantile(confidence, freedom) / normal_quantile(confidence)
    )
    centre = found.mean(axis=0)
    tail = 0.5 - checked(confidence) / 2.0
    lower, upper = np.quantile(centre + wider * (found - centre), [tail, 1.0 - tail], axis=0)
    means = values.mean(axis=0)
    return [
        Estimate(
            float(mean),
            float(max(least, min(low, mean))),
            float(min(most, max(high, mean))),
            rows,
            rows,
            float(units),
            confidence,
            "bayesian-bootstrap",
        )
        for mean, low, high, (least, most) in zip(means, lower, upper, limits, strict=True)
    ]


def _means(sums: Floats, sizes: Floats, limits: Floats) -> Floats:
    """The mean of each column in each resample: one exponential weight a unit, and a Gamma(1/2) one at either end."""
    random = np.random.default_rng(SEED)
    units = len(sizes)
    turn = max(1, min(_RESAMPLES, _AT_ONCE // units))
    found: list[Floats] = []
    for first in range(0, _RESAMPLES, turn):
        count = min(turn, _RESAMPLES - first)
        weight = random.standard_exponential((count, units))
        at_ends = random.standard_gamma(0.5, (count, 2))
        size = weight @ sizes + at_ends.sum(axis=1)
        found.append((weight @ sums + at_ends @ limits.T) / size[:, None])
    return np.concatenate(found)
