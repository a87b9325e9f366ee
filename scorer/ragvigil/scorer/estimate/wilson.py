"""Wilson's score interval for a proportion."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist


def checked(confidence: float) -> float:
    """The confidence; raises ValueError unless it lies in (0, 1)."""
    if 0.0 < confidence < 1.0:
        return confidence
    raise ValueError(f"confidence must lie in (0, 1), not {confidence}; give 0.95 for 95 %")


@lru_cache(maxsize=64)
def normal_quantile(confidence: float) -> float:
    """The two-sided normal quantile: how many standard errors an interval of that confidence, in (0, 1), reaches.

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    return NormalDist().inv_cdf(0.5 + checked(confidence) / 2.0)


def wilson(value: float, n: float, *, confidence: float) -> tuple[float, float]:
    """(lower, upper) in [0, 1] of a proportion `value` seen in `n` observations; never of zero width.

    Wilson 1927, J Am Stat Assoc 22:209; recommended at every n by Brown, Cai & DasGupta 2001, Stat Sci
    16:101, where the textbook interval (value ± z·se) is not: at 20 of 20 that one has no width at all.

    >>> [round(limit, 3) for limit in wilson(1.0, 20, confidence=0.95)]
    [0.839, 1.0]
    """
    z = normal_quantile(confidence)
    shrink = 1.0 + z * z / n
    centre = (value + z * z / (2.0 * n)) / shrink
    half = z * math.sqrt(value * (1.0 - value) / n + z * z / (4.0 * n * n)) / shrink
    lower = 0.0 if value <= 0.0 else max(0.0, centre - half)
    upper = 1.0 if value >= 1.0 else min(1.0, centre + half)
    return min(lower, value), max(upper, value)


def observations_for(value: float, limit: float, *, confidence: float) -> int | None:
    """Observations of the proportion `value` from which on Wilson's interval lies beyond `limit`; None: never.

    The interval is the score test inverted, so it is where n (value - limit)² reaches z² limit (1 - limit).

    >>> observations_for(1.0, 0.95, confidence=0.95), observations_for(0.0, 0.02, confidence=0.95)
    (73, 189)
    """
    if value == limit:
        return None
    z = normal_quantile(confidence)
    return max(1, math.ceil(z * z * limit * (1.0 - limit) / (value - limit) ** 2 - 1e-9))
