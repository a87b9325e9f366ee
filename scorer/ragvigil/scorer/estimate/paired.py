"""How far a mean moved between two measurements of the same things."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.estimate.figure import CONFIDENCE, mean
from ragvigil.scorer.estimate.newcombe import Difference, moved
from ragvigil.scorer.estimate.result import FEWEST
from ragvigil.scorer.estimate.window import Floats, Integers


def paired_difference(before: Floats, now: Floats, group: Integers) -> Difference:
    """now - before in [-1, 1] at 95 %, of values in [0, 1] in the same order; ValueError below 20 pairs.

    What was gained and what was lost are two means with Wilson's limits, of conversations (`group`) taken together,
    joined as in `newcombe.moved` with the correlation between them (Zou & Donner 2008, Stat Med 27:1693). Where few
    pairs differ, and all one way, Student's interval of the differences holds the truth in .92.

    >>> was, now = np.repeat([1.0, 0.0], [90, 10]), np.repeat([1.0, 0.0], [80, 20])
    >>> change = paired_difference(was, now, np.arange(100))
    >>> round(change.value, 2), round(change.lower, 3), round(change.upper, 3)
    (-0.1, -0.176, -0.041)
    """
    if len(before) < FEWEST:
        raise ValueError(f"{len(before)} pairs, at least {FEWEST} are needed")
    change = now - before
    gains, losses = np.maximum(change, 0.0), np.maximum(-change, 0.0)
    lost, gained = (_limits(one, group) for one in (losses, gains))
    return moved(lost, gained, confidence=CONFIDENCE, correlation=_correlation(gains, losses))


def _limits(values: Floats, group: Integers) -> tuple[float, float, float]:
    """(value, lower, upper) of a mean."""
    found = mean("", values, group)
    return found.value or 0.0, found.lower or 0.0, 1.0 if found.upper is None else found.upper


def _correlation(gains: Floats, losses: Floats) -> float:
    """Never above 0, for no pair is gain and loss at once; 0 where one of them never happens."""
    spread = float(gains.std() * losses.std())
    return (
        0.0 if spread == 0.0 else float(((gains - gains.mean()) * (losses - losses.mean())).mean()) / spread
    )
