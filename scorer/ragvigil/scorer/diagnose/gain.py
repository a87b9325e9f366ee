"""How much likelier a fall makes what was seen.

The scan statistic of Kulldorff 1997 (Commun Stat 26:1481): with C < 0 the sum of residuals of a set, V their variance
and b = E[-e³] / E[e²] how far single failures reach, the gain is V/b² h(b|C|/V) nats, h(u) = (1+u) ln(1+u) - u. That is
his Poisson form where failures are rare and C² / 2V where residuals are symmetric (Bennett 1962). A set that holds more
than the guilty one dilutes the fall, a smaller one misses a part of it; both gain less.
"""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.diagnose.views import View
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

_SYMMETRIC = 1e-9


def nats(fall: Floats, variance: Floats, reach: float) -> Floats:
    """The gain of sums of residuals (those above 0 count as 0), element by element.

    >>> nats(np.array([-2.0]), np.array([4.0]), 0.0).tolist()
    [0.5]
    """
    fall, variance = np.minimum(fall, 0.0), np.maximum(variance, 1e-12)
    if reach <= _SYMMETRIC:
        return 0.5 * fall**2 / variance
    u = -reach * fall / variance
    return variance / reach**2 * ((1.0 + u) * np.log1p(u) - u)


def gain_curve(views: tuple[View, ...], mask: Booleans, time: Floats, moments: Floats) -> Floats:
    """Nats that a fall of the masked records since each of K ascending moments gains; 0 where they did not fall."""
    gain, effect = np.zeros(len(moments)), np.zeros(len(moments))
    for view in views:
        rows = mask[view.rows]
        step = np.searchsorted(moments, time[view.rows[rows]], side="right") - 1
        kept = step >= 0
        columns = (view.residual, view.variance, view.weight)
        sums, variance, weight = (_late(step[kept], one[rows][kept], len(moments)) for one in columns)
        gain += nats(sums, variance, view.reach)
        effect += sums / np.maximum(weight, 1e-12)
    return np.where(effect < 0.0, gain, 0.0)


def _late(step: Integers, values: Floats, size: int) -> Floats:
    sums: Floats = np.bincount(step, weights=values, minlength=size).astype(np.float64)
    return np.cumsum(sums[::-1])[::-1]
