"""How the budget is shared among segments: the square root of their size, with a floor. Pure and vectorised."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLOOR = 0.01
"""Every record has at least this probability, else nothing about its segment is known."""
EXPONENT = 0.5
"""Sample sizes grow with this power of a segment's size: 1 is proportional, 0 is the same number for each."""


def allocate(
    traffic: ArrayLike, *, budget: float, exponent: float = EXPONENT, floor: float = FLOOR
) -> NDArray[np.float64]:
    """Inclusion probabilities in [0, 1], one for each segment, that together spend `budget`.

    `traffic` holds records (or records per second, or shares) of each segment, finite and not negative;
    `budget` is the share of all records to judge. A segment of share q gets a sample in proportion to q to
    the power of `exponent` (Bankier 1988, Am Stat 42:174), so small segments are judged more often and large
    ones less; what a segment cannot use because its probability would leave [floor, 1] goes to the others, so
    that Σ q · p = budget whenever floor <= budget. A floor above the budget gives way to it. A segment without
    traffic gets what the smallest with traffic gets. Raises ValueError for what is no traffic or no budget.

    >>> [round(p, 4) for p in allocate([8000, 2000], budget=0.1, exponent=1.0).tolist()]
    [0.1, 0.1]
    >>> [round(p, 4) for p in allocate([8100, 900], budget=0.1).tolist()]
    [0.0833, 0.25]
    """
    counts = np.asarray(traffic, dtype=np.float64)
    if counts.ndim != 1 or not np.all(np.isfinite(counts)) or np.any(counts < 0.0):
        raise ValueError("traffic must be one row of finite numbers that are not negative")
    if not 0.0 <= budget <= 1.0 or not 0.0 <= floor <= 1.0:
        raise ValueError(f"budget and floor must lie in [0, 1], not {budget} and {floor}")
    total = float(counts.sum())
    if total <= 0.0:
        return np.full(counts.shape, budget)
    share = np.where(counts > 0.0, counts, counts[counts > 0.0].min()) / total
    present = counts > 0.0
    lowest = min(floor, budget)
    if np.all(share == share[0]):
        return np.full(counts.shape, budget)
    wanted = share ** (exponent - 1.0)
    scale = _scale(wanted, np.where(present, share, 0.0), budget, lowest)
    return np.clip(scale * wanted, lowest, 1.0)


def _scale(wanted: NDArray[np.float64], share: NDArray[np.float64], budget: float, lowest: float) -> float:
    """The factor at which Σ share · clip(factor · wanted, lowest, 1) = budget: its sum grows with the factor."""
    low, high = 0.0, 1.0 / float(wanted.min())
    for _ in range(60):
        middle = 0.5 * (low + high)
        if float(share @ np.clip(middle * wanted, lowest, 1.0)) < budget:
            low = middle
        else:
            high = middle
    return high
