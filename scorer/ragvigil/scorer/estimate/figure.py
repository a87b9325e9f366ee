"""Numbers as a report shows them: weighted means with intervals by conversation, and quantiles."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ragvigil.scorer.estimate import FEWEST, wilson
from ragvigil.scorer.estimate.interval import variance_of
from ragvigil.scorer.estimate.result import never_came
from ragvigil.scorer.estimate.wilson import normal_quantile
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

CONFIDENCE = 0.95
Unit = Literal["share", "number", "seconds", "usd"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as a report shows it."""

    name: str
    value: float | None
    """None with fewer than 20 observations."""
    lower: float | None
    upper: float | None
    """95 % interval."""
    n: int
    unit: Unit = "share"
    note: str = ""
    bounds: tuple[float, float] | None = None
    """What it would be had all verdicts that never came failed, and had all passed; None where all came."""


def mean(
    name: str,
    values: Floats,
    conversation: Integers,
    *,
    weight: Floats | None = None,
    unit: Unit = "share",
    note: str = "",
) -> Figure:
    """The weighted mean of the known values (NaN: unknown), with an interval that is robust to conversations.

    Shares have Wilson's interval on the effective number of observations, other means a normal one. Where conversations
    do not differ nobody can see how alike the answers within one are: each then counts as one observation.

    >>> figure = mean("x", np.tile([1.0, 0.0], 50), np.arange(100))
    >>> figure.value, round(figure.lower, 2), round(figure.upper, 2), figure.n
    (0.5, 0.4, 0.6, 100)
    >>> [round(mean("x", np.zeros(200), np.arange(200) // each).upper or 0, 2) for each in (1, 2, 200)]
    [0.02, 0.04, 0.43]
    """
    known = np.isfinite(values)
    n = int(known.sum())
    if n < FEWEST:
        return Figure(name, None, None, None, n, unit, note or _why_none(n))
    own, heavy = values[known], np.ones(n) if weight is None else weight[known]
    portion = heavy / heavy.sum()
    value = float(portion @ own)
    groups = np.unique(conversation[known], return_inverse=True)[1]
    influence = portion * (own - value)
    variance = variance_of(influence, groups, max(2, int(groups.max()) + 1), CONFIDENCE)
    if unit != "share":
        half = normal_quantile(CONFIDENCE) * float(np.sqrt(variance))
        return Figure(name, value, max(0.0, value - half), value + half, n, unit, note)
    value = min(1.0, max(0.0, value))
    spread = value * (1.0 - value)
    together = np.bincount(groups, weights=portion)
    kish = 1.0 / float(together @ together)
    size = min(float(n), max(5.0, spread / variance if variance > 1e-12 and spread > 0.0 else kish))
    lower, upper = wilson(value, size, confidence=CONFIDENCE)
    return Figure(name, value, lower, upper, n, unit, note)


def mean_with_lost(
    name: str,
    values: Floats,
    lost: Booleans,
    conversation: Integers,
    *,
    weight: Floats | None = None,
    note: str = "",
) -> Figure:
    """The mean of known shares; its interval holds it with those that are `lost` at 0 and at 1.

    >>> figure = mean_with_lost("x", np.ones(100), np.arange(100) < 20, np.arange(100))
    >>> figure.value, round(figure.lower, 2), figure.upper, figure.n, figure.bounds
    (1.0, 0.71, 1.0, 80, (0.8, 1.0))
    """
    known = np.where(lost, np.nan, values)
    found = mean(name, known, conversation, weight=weight, note=note)
    if found.value is None or not lost.any():
        return found
    ends = [
        mean(name, np.where(lost, fate, values), conversation, weight=weight, note=note)
        for fate in (0.0, 1.0)
    ]
    three = (found, *ends)
    told = never_came(int(lost.sum()), int((np.isfinite(known) | lost).sum()))
    return replace(
        found,
        lower=min(one.lower or 0.0 for one in three),
        upper=max(1.0 if one.upper is None else one.upper for one in three),
        note="; ".join(filter(None, (note, told))),
        bounds=(ends[0].value or 0.0, ends[1].value or 0.0),
    )


def quantile(name: str, values: Floats, at: float, *, unit: Unit) -> Figure:
    """A quantile with the distribution-free interval of order statistics (David & Nagaraja 2003, section 7.1).

    >>> figure = quantile("x", np.arange(1.0, 101.0), 0.5, unit="seconds")
    >>> figure.value, figure.lower, figure.upper
    (50.5, 40.0, 61.0)
    """
    own = np.sort(values[np.isfinite(values)])
    n = len(own)
    if n < FEWEST:
        return Figure(name, None, None, None, n, unit, _why_none(n))
    low, high = _places(n, at)
    value = float(np.quantile(own, at))
    lower = float(own[max(low, 1) - 1])
    upper = float(own[min(high, n) - 1])
    note = "interval cut at the highest seen" if high > n else ""
    return Figure(name, value, lower, upper, n, unit, note)


def quantile_needs(at: float) -> int:
    """Observations from which on the interval of a quantile ends below the highest seen: its upper end is known.

    >>> quantile_needs(0.5), quantile_needs(0.95)
    (20, 110)
    """
    return next(n for n in itertools.count(FEWEST) if _places(n, at)[1] <= n)


def _places(n: int, at: float) -> tuple[int, int]:
    """The order statistics that are the ends, from 1; over n or under 1 where there is no such one."""
    half = normal_quantile(CONFIDENCE) * float(np.sqrt(n * at * (1.0 - at)))
    return int(np.floor(n * at - half)), int(np.ceil(n * at + half)) + 1


def _why_none(n: int) -> str:
    return "too few" if n else "not measured"
