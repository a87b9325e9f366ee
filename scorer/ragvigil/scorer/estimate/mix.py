"""Raw change, change within segments, and change of mix: only the second is about quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ragvigil.scorer.estimate.interval import clusters_of, variance_of
from ragvigil.scorer.estimate.judged import effective
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, too_few
from ragvigil.scorer.estimate.wilson import normal_quantile
from ragvigil.scorer.estimate.window import Floats, Integers, Window, sums

_LENT = 3.0
"""Verdicts of the common rate that each segment is lent for its variance."""
_SKEWED = 0.5
"""Part of the correction for skewness: all of it is for a variance that is not lent anything."""


class Spread(NamedTuple):
    """How uncertain a part is."""

    error: float
    """Standard error."""
    shift: float
    """How far the middle of the interval lies above the value."""


@dataclass(frozen=True, slots=True)
class MixChange:
    """A change of the judged rate in three parts: raw = within + mix. Page on within only."""

    raw: Estimate
    within: Estimate
    """At the anchor's mix: Σ a_h0 (p_h1 - p_h0)."""
    mix: Estimate
    """What the change of mix alone did: Σ (a_h1 - a_h0) p_h1."""
    within_spread: Spread


@dataclass(frozen=True, slots=True)
class _Side:
    """One window by segment."""

    share: Floats
    rate: Floats
    lent: Floats
    """The rate of each segment with what it is lent."""
    skew: Floats
    """Third cumulant of each rate."""
    segment: Integers
    """Of every record."""
    rows: Integers
    """The records with a verdict."""
    effect: Floats
    """Influence of each verdict on the rate of its segment."""
    traffic: Floats
    """The part of all traffic for which each record stands."""
    conversation: Integers
    """Of every record."""
    clusters: int
    """Conversations with a verdict."""


def mix_change(anchor: Window, now: Window, *, confidence: float = 0.95) -> MixChange | Refusal:
    """Split the change of the judged rate from `anchor` to `now`; segment codes must mean the same in both.

    Kitagawa 1955 (J Am Stat Assoc 50:1168), as Σ a_h0 (p_h1 - p_h0) + Σ (a_h1 - a_h0) p_h1. Segments with fewer
    than two verdicts on either side are taken together. Intervals are normal on the cluster-robust error, with
    variances as in `_lent`, and moved by half of the correction for skewness of Hall (1992, J R Stat Soc B 54:221):
    a lower rate has the larger error, so unmoved ones miss on one side only.
    """
    for side in (anchor, now):
        n = int(side.known.sum())
        if n < FEWEST:
            return too_few(n, side.n_traces)
    code = _common(anchor, now)
    before, after = _side(anchor, code), _side(now, code)
    within = float(before.share @ (after.rate - before.rate))
    mix = float((after.share - before.share) @ after.rate)
    none = np.zeros(len(before.rate))
    parts = {
        "within": ((before, -before.share, none), (after, before.share, none)),
        "mix": ((before, none, -after.lent), (after, after.share - before.share, after.lent)),
        "raw": ((before, -before.share, -before.lent), (after, after.share, after.lent)),
    }
    least = 0.5 / max(anchor.n_traces, now.n_traces, 1)  # one segment has no mix to change, and still a width
    spread = {name: _spread(sides, confidence, least) for name, sides in parts.items()}

    def shown(name: str, value: float) -> Estimate:
        error, shift = spread[name]
        half = normal_quantile(confidence) * error
        lower, upper = max(-1.0, min(value, value + shift - half)), min(1.0, max(value, value + shift + half))
        n, size = int(now.known.sum()), effective(0.5, error**2, 0.0)
        return Estimate(value, lower, upper, n, now.n_traces, size, confidence, f"mix-{name}")

    return MixChange(shown("raw", within + mix), shown("within", within), shown("mix", mix), spread["within"])


def _common(anchor: Window, now: Window) -> Integers:
    """Segment → its place; those with fewer than two verdicts on either side share the last place."""
    size = 1 + max(int(anchor.segment.max()), int(now.segment.max()))
    counts = [np.bincount(side.segment, weights=side.known, minlength=size) for side in (anchor, now)]
    enough = np.minimum(*counts) >= 2
    place = np.full(size, int(enough.sum()))
    place[enough] = np.arange(int(enough.sum()))
    rest = [float(count[~enough].sum()) for count in counts]
    if enough.any() and min(rest) < 2:
        place[~enough] = place[int(np.argmax(np.where(enough, np.minimum(*counts), -1.0)))]
    return place


def _side(data: Window, place: Integers) -> _Side:
    segment, known = place[data.segment], data.known
    size = int(place.max()) + 1
    rows = np.flatnonzero(known)
    own, verdict, weight = segment[rows], data.verdict[rows], 1.0 / data.inclusion[rows]
    totals = sums(own, weight, size)
    totals_safe = np.where(totals > 0.0, totals, 1.0)
    share = np.bincount(segment, minlength=size) / data.size if data.complete else totals / totals.sum()
    rate = sums(own, weight * verdict, size) / totals_safe
    counts = np.maximum(np.bincount(own, minlength=size), 1.0)
    portion = weight / totals_safe[own]
    spread = rate * (1.0 - rate)
    lent, target = _lent(rate, counts)
    stretch = np.sqrt(np.where(spread > 0.0, target / np.where(spread > 0.0, spread, 1.0), 0.0))
    sign = np.where(rows % 2 == 0, 1.0, -1.0)  # conversations must not add up what is no residual
    flat = np.where(spread[own] <= 0.0, sign * np.sqrt(target)[own], 0.0)
    effect = portion * ((verdict - rate[own]) * stretch[own] + flat)
    skew = sums(own, portion**3, size) * lent * (1.0 - lent) * (1.0 - 2.0 * lent)
    traffic = np.full(data.size, 1.0 / data.size)
    if not data.complete:
        traffic = np.zeros(data.size)
        traffic[rows] = weight / totals.sum()
    return _Side(
        share,
        rate,
        lent,
        skew,
        segment,
        rows,
        effect,
        traffic,
        data.conversation,
        clusters_of(data.conversation, known),
    )


def _lent(rate: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """(rate, variance of one verdict) of each segment from `rate` in `counts` verdicts and some of the common rate.

    With x of n and m lent at the rate q, r = (x + m q) / (n + m) has E r(1 - r) = p (1 - p) (1 - n / (n + m)²) where
    p = q; m = 0 is the n - 1 of a sample variance. Lent, because a segment without a failure would have no error, and
    one with few verdicts a small one just when its rate came out too high.
    """
    common = (float(rate @ counts) + 0.5) / (float(counts.sum()) + 1.0)
    lent: Floats = (rate * counts + _LENT * common) / (counts + _LENT)
    return lent, lent * (1.0 - lent) / (1.0 - counts / (counts + _LENT) ** 2)


def _spread(sides: tuple[tuple[_Side, Floats, Floats], ...], confidence: float, least: float) -> Spread:
    """Error and shift of a sum that is linear in the rates and shares of segments; `sides`: (side, by rate, by share).

    Hall's correction is κ3 / se² (2 z² + 1) / 6, with the third cumulant κ3 of the rates.
    """
    variance = third = 0.0
    for side, by_rate, by_share in sides:
        influence = side.traffic * (by_share[side.segment] - float(by_share @ side.share))
        influence[side.rows] += by_rate[side.segment[side.rows]] * side.effect
        variance += variance_of(influence, side.conversation, side.clusters, confidence)
        third += float(by_rate**3 @ side.skew)
    variance = max(variance, least * least)
    z = normal_quantile(confidence)
    return Spread(float(np.sqrt(variance)), _SKEWED * third / variance * (2.0 * z * z + 1.0) / 6.0)
