"""Judge drift from re-judged traces: how far verdicts on the same inputs moved, beyond the judge's own flicker."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.interval import student_quantile
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, too_few
from ragvigil.scorer.estimate.window import Booleans, Integers, whole_numbers


@dataclass(frozen=True, slots=True)
class Replay:
    """What re-judging past traces shows."""

    drift: Estimate
    """Mean of new - old verdict, in [-1, 1]."""
    flips: float
    """Share of traces whose verdict changed."""
    flicker: float | None
    """Share that changes between two runs of the same judge on the same day; None when nobody ran it twice."""


def replay(
    old: ArrayLike, new: ArrayLike, again: ArrayLike | None = None, *, confidence: float = 0.95
) -> Replay | Refusal:
    """Compare verdicts (1, 0, or -1 for none) of the same traces; `again` is a second run of the new judge.

    Paired, so only discordant pairs count: se² = (b + c + 1) / n² with half a pair added to either kind
    (Agresti & Min 2005, Stat Med 24:729). Flicker moves verdicts both ways: it widens the interval and does not
    move the drift, but a flip rate above flicker is what a changed judge looks like even when its rate stayed.

    >>> replay([1] * 30, [1] * 24 + [0] * 6).drift.value
    -0.2
    """
    before, after = whole_numbers("old", old), whole_numbers("new", new)
    if before.shape != after.shape or before.ndim != 1:
        raise ValueError("old and new must be two rows of one length")
    both = (before >= 0) & (after >= 0)
    n = int(both.sum())
    if n < FEWEST:
        return too_few(n, len(before), what="verdicts given twice")
    moved = (after - before)[both]
    worse, better = int((moved < 0).sum()), int((moved > 0).sum())
    value = (better - worse) / n
    variance = (worse + better + 1.0) / n**2 - (better - worse) ** 2 / n**3
    half = student_quantile(confidence, n - 1) * math.sqrt(variance)
    drift = Estimate(
        value,
        max(-1.0, value - half),
        min(1.0, value + half),
        n,
        n,
        float(n),
        confidence,
        "paired-replay",
    )
    return Replay(drift, (worse + better) / n, None if again is None else _flicker(after, again))


def _flicker(new: Integers, again: ArrayLike) -> float | None:
    second = whole_numbers("again", again)
    if second.shape != new.shape:
        raise ValueError("again must be as long as new")
    both: Booleans = (new >= 0) & (second >= 0)
    return float(np.count_nonzero((new != second) & both)) / int(both.sum()) if both.any() else None
