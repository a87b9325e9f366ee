"""Whether a new judge may take an old one's place: both against people, on the same answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.hajek import rate
from ragvigil.scorer.estimate.interval import student_quantile
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, too_few
from ragvigil.scorer.estimate.window import Booleans, Floats, whole_numbers
from ragvigil.scorer.monitoring import Sums

LEAST_AGREEMENT = 0.80
LEAST_ITEMS = 100


@dataclass(frozen=True, slots=True)
class Promotion:
    """Two judges on the same labelled answers."""

    old: Estimate
    """Share on which the old judge says what people say."""
    new: Estimate
    difference: Estimate
    """new - old, paired, in [-1, 1]."""
    only_old: int
    """Answers on which only the old judge is right."""
    only_new: int
    p_value: float
    """Exact McNemar: how likely so lopsided a split is when both are right equally often; counts, unweighted."""

    @property
    def obstacles(self) -> tuple[str, ...]:
        """Why the new judge may not be promoted; () when it may."""
        found: list[str] = []
        if self.new.n_judged < LEAST_ITEMS:
            found.append(f"only {self.new.n_judged} labelled answers, at least {LEAST_ITEMS} are needed")
        if self.new.value < LEAST_AGREEMENT:
            found.append(
                f"agrees with people on {self.new.value:.1%}, at least {LEAST_AGREEMENT:.0%} is needed"
            )
        if self.difference.upper < 0.0:
            found.append(f"agrees less than the old judge, by {-self.difference.upper:.1%} at least")
        return tuple(found)


def promotion(
    truth: ArrayLike, old: ArrayLike, new: ArrayLike, inclusion: ArrayLike, *, confidence: float = 0.95
) -> Promotion | Refusal:
    """Compare verdicts (1 passed, 0 failed, -1 none) with `truth` (1, 0, or -1: not labelled; left out).

    A judge that gives no verdict does not agree. `inclusion` is the probability with which each answer was chosen
    from traffic; shares are Hájek's. The difference has the linearised variance of a ratio, with one more
    discordant answer of mean weight (for equal weights: Agresti & Min 2005, Stat Med 24:729), so that it has width
    when both judges never differ. A Refusal below 20 answers.

    >>> same = promotion([1] * 120, [1] * 120, [1] * 114 + [0] * 6, [0.5] * 120)
    >>> round(same.difference.value, 3), same.only_old, same.p_value
    (-0.05, 6, 0.03125)
    """
    truths, before, after = (
        whole_numbers(name, row) for name, row in (("truth", truth), ("old", old), ("new", new))
    )
    chance = np.asarray(inclusion, dtype=np.float64)
    if not truths.shape == before.shape == after.shape == chance.shape:
        raise ValueError("truth, old, new and inclusion must be rows of one length")
    known = truths >= 0
    n = int(known.sum())
    if n < FEWEST:
        return too_few(n, n, what="labelled answers")
    weight: Floats = 1.0 / chance[known]
    was, now = (row[known] == truths[known] for row in (before, after))
    first, second = (_agreement(right, weight, confidence) for right in (was, now))
    worse, better = int((was & ~now).sum()), int((now & ~was).sum())
    return Promotion(
        first, second, _difference(was, now, weight, confidence), worse, better, _mcnemar(worse, better)
    )


def _agreement(right: Booleans, weight: Floats, confidence: float) -> Estimate:
    sums = Sums(
        len(weight),
        float(weight.sum()),
        float(weight @ right),
        float(weight @ weight),
        float((weight**2) @ right),
        float((weight**2) @ right),
    )
    found = rate(sums, confidence=confidence)
    assert found is not None  # it has at least 20 answers with finite weights
    return found


def _difference(was: Booleans, now: Booleans, weight: Floats, confidence: float) -> Estimate:
    moved = now.astype(np.float64) - was.astype(np.float64)
    n, total = len(moved), float(weight.sum())
    value = float(weight @ moved) / total
    one_more = float((weight**2).mean())
    variance = (float((weight**2) @ (moved - value) ** 2) + one_more) / total**2
    half = student_quantile(confidence, n - 1) * math.sqrt(variance)
    return Estimate(
        value,
        max(-1.0, value - half),
        min(1.0, value + half),
        n,
        round(total),
        float(n),
        confidence,
        "paired-judges",
    )


def _mcnemar(one: int, other: int) -> float:
    """Two-sided exact binomial test of one against other; 1 when they never differ."""
    n = one + other
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(min(one, other) + 1)) / (1 << n))
