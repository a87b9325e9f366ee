"""What a human-labelled set says of the judge: sensitivity s, specificity t, and whether it is informative."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.interval import DRAWS, SEED
from ragvigil.scorer.estimate.result import Refusal
from ragvigil.scorer.estimate.window import Booleans, Floats, whole_numbers

INFORMATIVE = 0.2
"""The judge is not informative when s + t - 1 may be below this (the lower 95 % limit)."""
_FEW_UNFAITHFUL = 10


@dataclass(frozen=True, slots=True)
class Calibration:
    """Counts of a labelled set (effective ones where labels are weighted): truth against verdict."""

    faithful_passed: float
    faithful_failed: float
    unfaithful_failed: float
    unfaithful_passed: float
    segment: int | None = None
    """The segment that the items come from; None for all of them pooled."""

    @classmethod
    def of(
        cls,
        truth: ArrayLike,
        verdict: ArrayLike,
        *,
        inclusion: ArrayLike | None = None,
        segment: int | None = None,
    ) -> Calibration:
        """Count a gold set: `truth` 1 faithful or 0, `verdict` 1 passed, 0, or -1 (none: the item is left out).

        `inclusion` is the probability with which each item was chosen, needed when verdict or difficulty played
        a part in choosing it: chosen by class alone (140 faithful, 60 unfaithful) needs none. Weighted classes
        count as many items as would know as much (Kish). Raises ValueError for what is no label.

        >>> Calibration.of([1, 1, 1, 0, 0], [1, 1, 0, 0, -1]).sensitivity
        0.6666666666666666
        """
        truths, verdicts = whole_numbers("truth", truth), whole_numbers("verdict", verdict)
        if truths.shape != verdicts.shape or truths.ndim != 1:
            raise ValueError("truth and verdict must be two rows of one length")
        if np.any((truths < 0) | (truths > 1)) or np.any((verdicts < -1) | (verdicts > 1)):
            raise ValueError("truth must be 0 or 1, verdict 0, 1 or -1 (no verdict)")
        chance = np.ones(len(truths)) if inclusion is None else np.asarray(inclusion, dtype=np.float64)
        if chance.shape != truths.shape or not np.all((chance > 0.0) & (chance <= 1.0)):
            raise ValueError("inclusion must lie in (0, 1] for every item")
        known = verdicts >= 0
        right_one = _counts(1.0 / chance[known & (truths == 1)], verdicts[known & (truths == 1)] == 1)
        right_zero = _counts(1.0 / chance[known & (truths == 0)], verdicts[known & (truths == 0)] == 0)
        return cls(*right_one, *right_zero, segment=segment)

    @property
    def faithful(self) -> float:
        """Faithful items."""
        return self.faithful_passed + self.faithful_failed

    @property
    def unfaithful(self) -> float:
        """Unfaithful items."""
        return self.unfaithful_failed + self.unfaithful_passed

    @property
    def sensitivity(self) -> float:
        """s = P(passed | faithful)."""
        return self.faithful_passed / self.faithful

    @property
    def specificity(self) -> float:
        """t = P(failed | unfaithful)."""
        return self.unfaithful_failed / self.unfaithful

    @property
    def informativeness(self) -> float:
        """J = s + t - 1 (Youden): 0 for a coin."""
        return self.sensitivity + self.specificity - 1.0

    def draws(self) -> tuple[Floats, Floats]:
        """Draws of (s, t) from Jeffreys' Betas, always the same ones; not to be written to."""
        return _draws(
            self.faithful_passed, self.faithful_failed, self.unfaithful_failed, self.unfaithful_passed
        )

    def refusal(self, n_judged: int, n_traces: int) -> Refusal | None:
        """Why this judge's verdicts cannot be corrected; None when they can."""
        if self.faithful <= 0.0 or self.unfaithful <= 0.0:
            missing = "faithful" if self.faithful <= 0.0 else "unfaithful"
            detail = f"the gold set has no {missing} item: label some of the answers that the judge flags"
            return Refusal("no_unfaithful_gold", detail, n_judged, n_traces)
        lowest = _lowest(
            self.faithful_passed, self.faithful_failed, self.unfaithful_failed, self.unfaithful_passed
        )
        if lowest >= INFORMATIVE:
            return None
        return not_informative(lowest, n_judged, n_traces)

    def caveats(self) -> tuple[str, ...]:
        """What a reader of a corrected number has to know."""
        return few_unfaithful(self.unfaithful)


def not_informative(lowest: float, n_judged: int, n_traces: int) -> Refusal:
    """Why nothing may be built on a judge whose s + t - 1 may be as low as `lowest`."""
    found = f"sensitivity + specificity - 1 may be {lowest:.2f}, at least {INFORMATIVE} is needed"
    return Refusal("judge_not_informative", f"judge not informative: {found}", n_judged, n_traces)


def few_unfaithful(count: float) -> tuple[str, ...]:
    """What to know of a specificity that rests on so many labels of unfaithful answers; nothing from ten on."""
    if count >= _FEW_UNFAITHFUL:
        return ()
    known = f"the labels tell as much as {count:.0f} unfaithful answers drawn plainly"
    return (f"{known}: specificity is hardly known, label flagged answers",)


@lru_cache(maxsize=256)
def _draws(
    faithful_passed: float, faithful_failed: float, unfaithful_failed: float, unfaithful_passed: float
) -> tuple[Floats, Floats]:
    random = np.random.default_rng([SEED, 1])
    s = random.beta(faithful_passed + 0.5, faithful_failed + 0.5, DRAWS)
    t = random.beta(unfaithful_failed + 0.5, unfaithful_passed + 0.5, DRAWS)
    for each in (s, t):
        each.setflags(write=False)
    return s, t


@lru_cache(maxsize=256)
def _lowest(
    faithful_passed: float, faithful_failed: float, unfaithful_failed: float, unfaithful_passed: float
) -> float:
    """Lower 95 % limit of J."""
    s, t = _draws(faithful_passed, faithful_failed, unfaithful_failed, unfaithful_passed)
    return float(np.quantile(s + t - 1.0, 0.025))


def _counts(weight: Floats, right: Booleans) -> tuple[float, float]:
    """(right, wrong) in items of equal weight that would know as much."""
    total = float(weight.sum())
    if total <= 0.0:
        return 0.0, 0.0
    size = total * total / float(weight @ weight)
    share = float(weight @ right) / total
    return size * share, size * (1.0 - share)
