"""What every estimator returns: a number with all that must travel with it, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

FEWEST = 20
"""Observations below which no rate is shown: "not enough data"."""

FEWEST_CONVERSATIONS = 10
"""Below, the spread between conversations is hardly known: of two or three, intervals hold the truth in .85."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number as it is shown anywhere: never without its interval, its n and how it was made."""

    value: float
    """A rate in [0, 1], or a difference of rates in [-1, 1]; cut to that range."""
    lower: float
    upper: float
    n_judged: int
    """Observations."""
    n_traces: int
    """Records that they stand for: the sum of the weights, rounded."""
    n_effective: float
    """Observations of equal weight that would know as much."""
    confidence: float
    """Two-sided."""
    method: str = "hajek-wilson"
    calibrated: bool = False
    """Whether the judge's errors were corrected for with human labels; a rate of verdicts is not."""
    uncut: float | None = None
    """The value before it was cut to its range, where that differs: sums and differences need it."""
    caveats: tuple[str, ...] = ()
    """What a reader has to know besides, one sentence each."""
    bounds: Bounds | None = None
    """The same under both fates of verdicts that never came; None where all did. The interval holds both."""

    @property
    def raw(self) -> float:
        """The value for arithmetic: not cut to its range, so that averages of it are unbiased."""
        return self.value if self.uncut is None else self.uncut


@dataclass(frozen=True, slots=True)
class Bounds:
    """An estimate at the two extremes of what verdicts that never came may have been, with their intervals."""

    lowest: Estimate
    """All failed, for a rate."""
    highest: Estimate
    """All passed, for a rate."""


def widened(found: Estimate, lowest: Estimate, highest: Estimate, *, how: str = "missing") -> Estimate:
    """`found` with the union of the three intervals; `how` is added to its method."""
    return replace(
        found,
        lower=min(found.lower, lowest.lower),
        upper=max(found.upper, highest.upper),
        method=f"{found.method}+{how}",
        bounds=Bounds(lowest, highest),
    )


def under_both_fates(
    make: Callable[[Estimate, Estimate], Estimate],
    rising: Estimate,
    other: Estimate,
    *,
    falling: bool = False,
) -> Estimate:
    """`make(rising, other)`, widened by what it is at the bounds of both.

    It must rise with the first, and with the second rise, or fall where `falling`.
    """
    found = make(rising, other)
    if rising.bounds is None and other.bounds is None:
        return found
    ends, others = both_ends(rising), both_ends(other)
    if falling:
        others = others[::-1]
    return widened(found, make(ends[0], others[0]), make(ends[1], others[1]))


def both_ends(one: Estimate) -> tuple[Estimate, Estimate]:
    """(lowest, highest) of its bounds; twice the estimate itself where all verdicts came."""
    return (one, one) if one.bounds is None else (one.bounds.lowest, one.bounds.highest)


Reason = Literal[
    "not_enough_data",
    "judge_not_informative",
    "needs_segment_audit",
    "no_unfaithful_gold",
    "one_label_only",
    "no_labels",
]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a number is not shown; what is known of its sample is."""

    reason: Reason
    detail: str
    """One sentence: what is missing, and what helps."""
    n_judged: int
    n_traces: int


def never_came(lost: int, asked: int, *, whose: str = "") -> str:
    """The caveat of an estimate with bounds.

    >>> never_came(3, 60)
    '3 of 60 verdicts never came; the interval holds them failed and passed'
    """
    return f"{lost} of {asked} verdicts{whose} never came; the interval holds them failed and passed"


def at_both_fates(found: Estimate) -> str:
    """What the number is at its bounds, to be said after its caveats; empty where all verdicts came.

    >>> one = Estimate(0.9, 0.8, 0.95, 60, 600, 60.0, 0.95)
    >>> at_both_fates(widened(one, replace(one, value=0.86), replace(one, value=0.91)))
    ' (86.0% and 91.0%)'
    """
    if found.bounds is None:
        return ""
    return f" ({found.bounds.lowest.value:.1%} and {found.bounds.highest.value:.1%})"


def too_few(n_judged: int, n_traces: int, *, what: str = "verdicts") -> Refusal:
    """The refusal for a sample of fewer than 20.

    >>> too_few(7, 70).detail
    'not enough data: 7 verdicts of at least 20'
    """
    detail = f"not enough data: {n_judged} {what} of at least {FEWEST}"
    return Refusal("not_enough_data", detail, n_judged, n_traces)
