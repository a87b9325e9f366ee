"""How much quality differs from day to day while nothing is wrong: over-dispersion beyond the noise of sampling."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Day, Sum
from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.gold import Instruments

USUAL = 0.1
"""Standard deviation on the logit scale that is assumed where the cheap score says little."""
LARGEST = 0.3
"""More is not the weather of a service, but a fault of one of the days."""


def logit_spread(days: list[Day], noise: Floats, unfaithful: Floats, instruments: Instruments) -> float:
    """Day-to-day standard deviation of the unfaithful share on the logit scale, over all segments.

    By moments of differences between consecutive days, so that a step or a slow trend hardly counts:
    E (m_2 - m_1)^2 = 2 w^2 + their sampling variance. Differences are weighted by what each can tell and cut at
    three standard deviations. `noise` (slots,) is the variance of a trace's suspicion, `unfaithful` (slots,) the
    usual share.
    """
    usual = 2.0 * USUAL**2
    told, weights = usual * 2500.0, 2500.0
    scale = max(instruments.separation, 1e-3) * unfaithful * (1.0 - unfaithful)
    if not instruments.cheap_informative:
        return USUAL
    for before, after in pairwise(days):
        n_0, n_1 = before.sums[Sum.CHEAP_COUNT], after.sums[Sum.CHEAP_COUNT]
        usable = (n_0 > 0.0) & (n_1 > 0.0) & ~before.frozen & ~after.frozen
        if after.number != before.number + 1 or not usable.any():
            continue
        n_0, n_1 = np.maximum(n_0, 1.0), np.maximum(n_1, 1.0)
        moved = (after.sums[Sum.CHEAP] / n_1 - before.sums[Sum.CHEAP] / n_0) / scale
        sampling = noise * (1.0 / n_0 + 1.0 / n_1) / scale**2
        squared = np.minimum(moved**2, 9.0 * (sampling + usual))
        weight = np.where(usable, 0.5 / (sampling + usual) ** 2, 0.0)
        told += float(weight @ (squared - sampling))
        weights += float(weight.sum())
    return float(np.clip(np.sqrt(max(told / weights, 0.0) / 2.0), 0.02, LARGEST))
