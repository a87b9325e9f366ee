"""Raw change, change within segments, and change of mix: only the second is about quality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate.interval import clusters_of, student_quantile, variance_of
from ragvigil.scorer.estimate.judged import effective
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, too_few
from ragvigil.scorer.estimate.window import Floats, Integers, Window, sums


@dataclass(frozen=True, slots=True)
class MixChange:
    """A change of the judged rate in three parts: raw = within + mix. Page on within only."""

    raw: Estimate
    within: Estimate
    """At the anchor's mix: Σ a_h0 (p_h1 - p_h0)."""
    mix: Estimate
    """What the change of mix alone did: Σ (a_h1 - a_h0) p_h1."""
    within_error: float
    """Standard error of `within`."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One window by segment."""

    share: Floats
    rate: Floats
    segment: Integers
    """Of every record."""
    rows: Integers
    """The records with a verdict."""
    effect: Floats
    """Influence of each verdict on the rate of its segment."""
    traffic: Floats | float
    """The part of all traffic for which each record stands."""
    clusters: int
    """Conversations with a verdict."""


def mix_change(anchor: Window, now: Window, *, confidence: float = 0.95) -> MixChange | Refusal:
    """Split the change of the judged rate from `anchor` to `now`; segment codes must mean the same in both.

    Kitagawa 1955 (J Am Stat Assoc 50:1168), as Σ a_h0 (p_h1 - p_h0) + Σ (a_h1 - a_h0) p_h1. Segments with fewer
    than two verdicts on either side are taken together. Intervals are Student's on the cluster-robust error,
    with half a verdict added to each segment's variance so that a segment without a failure has one.
    """
    for side in (anchor, now):
        n = int(side.known.sum())
        if n < FEWEST:
            return too_few(n, side.n_traces)
    code = _common(anchor, now)
    before, after = _side(anchor, code), _side(now, code)
    within = float(before.share @ (after.rate - before.rate))
    mix = float((after.share - before.share) @ after.rate)
    errors = {
        "within": _error(anchor, before, -before.share, None, now, after, before.share, None, confidence),
        "mix": _error(
            anchor, before, None, -after.rate, now, after, after.share - before.share, after.rate, confidence
        ),
        "raw": _error(
            anchor, before, -before.share, -before.rate, now, after, after.share, after.rate, confidence
        ),
    }

    def shown(name: str, value: float) -> Estimate:
        half = student_quantile(confidence, 10_000) * errors[name]
        lower, upper = max(-1.0, value - half), min(1.0, value + half)
        size = effective(0.5, errors[name] ** 2, 0.0)
        return Estimate(
            value, lower, upper, int(now.known.sum()), now.n_traces, size, confidence, f"mix-{name}"
        )

    return MixChange(shown("raw", within + mix), shown("within", within), shown("mix", mix), errors["within"])


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
    smooth = (rate * counts + 0.5) / (counts + 1.0)
    spread = rate * (1.0 - rate)
    target = smooth * (1.0 - smooth) * counts / np.maximum(counts - 1.0, 1.0)
    stretch = np.sqrt(np.where(spread > 0.0, target / np.where(spread > 0.0, spread, 1.0), 0.0))
    sign = np.where(rows % 2 == 0, 1.0, -1.0)  # conversations must not add up what is no residual
    flat = np.where(spread[own] <= 0.0, sign * np.sqrt(target)[own], 0.0)
    effect = portion * ((verdict - rate[own]) * stretch[own] + flat)
    traffic: Floats | float = 1.0 / data.size
    if not data.complete:
        traffic = np.zeros(data.size)
        traffic[rows] = weight / totals.sum()
    return _Side(share, rate, segment, rows, effect, traffic, clusters_of(data.conversation, known))


def _error(
    anchor: Window,
    before: _Side,
    by_rate_before: Floats | None,
    by_share_before: Floats | None,
    now: Window,
    after: _Side,
    by_rate_after: Floats,
    by_share_after: Floats | None,
    confidence: float,
) -> float:
    """Standard error of a sum of the two sides, linear in segment rates and segment shares."""
    total = 0.0
    for data, side, by_rate, by_share in (
        (anchor, before, by_rate_before, by_share_before),
        (now, after, by_rate_after, by_share_after),
    ):
        influence, rows = np.zeros(len(side.rows)), side.rows
        if by_rate is not None:
            influence = by_rate[side.segment[rows]] * side.effect
        conversation = data.conversation[rows]
        if by_share is not None:
            everywhere = side.traffic * (by_share[side.segment] - float(by_share @ side.share))
            everywhere[rows] += influence
            influence, conversation = everywhere, data.conversation
        total += variance_of(influence, conversation, side.clusters, confidence)
    least = 0.5 / max(anchor.n_traces, now.n_traces, 1)  # one segment has no mix to change, and still a width
    return max(float(np.sqrt(total)), least)
