"""Raw change, change within segments, and change of mix: only the second is about quality."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ragvigil.scorer.estimate.interval import SEED, clusters_of, draws, quantiles, variance_of
from ragvigil.scorer.estimate.judged import effective
from ragvigil.scorer.estimate.places import left_out, of_one, places
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, never_came, too_few, widened
from ragvigil.scorer.estimate.wilson import normal_quantile
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers, Window, same_codes, sums

_LENT = 3.0
"""Verdicts of the common rate that each segment is lent for its variance."""
_SKEWED = 0.5
"""Part of the correction for skewness: all of it is for a variance that is not lent anything."""


class WeightedRate(NamedTuple):
    """A weighted mean of the rates of segments in one window."""

    value: float
    variance: float
    step: float
    """What one more failure would take away."""


@dataclass(frozen=True, slots=True)
class MixChange:
    """A change of the judged rate in three parts: raw = within + mix. Page on within only."""

    raw: Estimate
    within: Estimate
    """At the anchor's mix of the segments that both windows have: Σ a_h0 (p_h1 - p_h0). A caveat says which share of
    the anchor's traffic it leaves out."""
    mix: Estimate
    """What the change of mix alone did, with all that segments did by coming or going: Σ (a_h1 - a_h0) p_h1."""
    sides: tuple[WeightedRate, WeightedRate]
    """Of `within`: the anchor and now, both at the anchor's mix."""
    bounds: tuple[MixChange, MixChange] | None = None
    """The lowest and highest `raw` and `within` of verdicts that never came, as in `Estimate.bounds`."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One window by segment."""

    compared: Booleans
    """Whether both windows have it."""
    share: Floats
    rate: Floats
    lent: Floats
    """The rate of each segment with what it is lent."""
    segment: Integers
    """Of every record."""
    rows: Integers
    """The records with a verdict."""
    portion: Floats
    """The part of the rate of its segment that each verdict makes up."""
    effect: Floats
    """Influence of each verdict on the rate of its segment."""
    traffic: Floats
    """The part of all traffic for which each record stands."""
    conversation: Integers
    """Of every record."""
    clusters: int
    """Conversations with a verdict."""


def mix_change(anchor: Window, now: Window, *, confidence: float = 0.95) -> MixChange | Refusal:
    """Split the change of the judged rate from `anchor` to `now`, by segments of the same code or name.

    Kitagawa 1955 (J Am Stat Assoc 50:1168), as Σ a_h0 (p_h1 - p_h0) + Σ (a_h1 - a_h0) p_h1. A segment without a
    record in one window has no change of its own: it is left out of `within`, whose a_h0 add up to 1 without it,
    and all that it did is mix. So is one with fewer than five verdicts in one window and five times as many, for its
    size, in the other: a handful of answers says nothing of it, and among others it would be a change of their mix.
    A caveat says how much is left out. Segments with fewer than two verdicts are taken together, those of one window
    only apart from those of both. The intervals of `raw` and `within` are of two independent weighted rates
    (`moved_draws`); that of `mix` is normal on the cluster-robust error and moved by half of the correction for
    skewness of Hall (1992, J R Stat Soc B 54:221). Variances are those of `_lent`. A Refusal below 20 verdicts in
    the segments that both windows have; ValueError when one window numbers its segments and the other names them.
    Where verdicts never came, each interval holds what they may have been: all failed or all passed on either side,
    for `mix` whichever of the two moves it furthest in their segment.
    """
    for side in (anchor, now):
        n = int(side.known.sum())
        if n < FEWEST:
            return too_few(n, side.n_traces)
    anchor, now = same_codes(anchor, now)
    in_both: Booleans = ~np.logical_or(*of_one(anchor, now))
    for side in (anchor, now):
        n = int(in_both[side.segment[side.known]].sum())
        if n < FEWEST:
            return too_few(n, side.n_traces, what="verdicts in segments that both windows have")
    found = _split(anchor, now, confidence)
    if not (anchor.missing.any() or now.missing.any()):
        return found
    lowest = _split(_filled(anchor, 1), _filled(now, 0), confidence)
    highest = _split(_filled(anchor, 0), _filled(now, 1), confidence)
    return _widened(found, lowest, highest, _mix_bounds(anchor, now, confidence), _notes(anchor, now))


def _split(anchor: Window, now: Window, confidence: float) -> MixChange:
    before, after = _both_sides(anchor, now)
    none, (standard, kept) = np.zeros(len(before.rate)), _standard(before, after)
    note = left_out(kept, float(after.share[~before.compared].sum()))
    raw = (
        _weighted(before, before.share, before.lent, confidence),
        _weighted(after, after.share, after.lent, confidence),
    )
    within = (
        _weighted(before, standard, none, confidence),
        _weighted(after, standard, none, confidence),
    )

    def shown(name: str, value: float, lower: float, upper: float, variance: float) -> Estimate:
        n, size = int(now.known.sum()), effective(0.5, variance, 0.0)
        return Estimate(
            value,
            min(lower, value),
            max(upper, value),
            n,
            now.n_traces,
            size,
            confidence,
            f"mix-{name}",
            caveats=() if name == "raw" else note,
        )

    def moved(name: str, sides: tuple[WeightedRate, WeightedRate]) -> Estimate:
        limits = quantiles(moved_draws(*sides), confidence, lowest=-1.0, highest=1.0)
        return shown(name, sides[1].value - sides[0].value, *limits, sides[0].variance + sides[1].variance)

    value, lower, upper, variance = _of_mix(before, after, confidence)
    return MixChange(
        moved("raw", raw), moved("within", within), shown("mix", value, lower, upper, variance), within
    )


def _filled(data: Window, fate: Booleans | int) -> Window:
    """The window where each verdict that never came passed or not: `fate`, one for all, or one of each record."""
    return replace(data, verdict=np.where(data.missing, fate, data.verdict))


def _mix_bounds(anchor: Window, now: Window, confidence: float) -> tuple[Estimate, Estimate]:
    """The lowest and the highest `mix`: it rises with a rate of `now` where that segment's share grew, else falls."""
    before, after = _both_sides(_filled(anchor, 0), _filled(now, 0))
    standard, _ = _standard(before, after)
    then, today = (standard > before.share)[before.segment], (after.share > standard)[after.segment]
    lowest = _split(_filled(anchor, ~then), _filled(now, ~today), confidence)
    highest = _split(_filled(anchor, then), _filled(now, today), confidence)
    return lowest.mix, highest.mix


def _notes(anchor: Window, now: Window) -> tuple[str, ...]:
    return tuple(
        never_came(int(side.missing.sum()), int(side.judged.sum()), whose=whose)
        for side, whose in ((anchor, " of the anchor"), (now, ""))
        if side.missing.any()
    )


def _widened(
    found: MixChange,
    lowest: MixChange,
    highest: MixChange,
    of_mix: tuple[Estimate, Estimate],
    notes: tuple[str, ...],
) -> MixChange:
    raw, within, mix = (
        replace(one, caveats=(*one.caveats, *notes)) for one in (found.raw, found.within, found.mix)
    )
    return MixChange(
        widened(raw, lowest.raw, highest.raw),
        widened(within, lowest.within, highest.within),
        widened(mix, *of_mix),
        found.sides,
        (lowest, highest),
    )


def moved_draws(before: WeightedRate, now: WeightedRate) -> Floats:
    """Draws of `now` - `before`, each from its mid-P confidence distribution (`interval.draws`)."""
    random = np.random.default_rng(SEED)
    return random.permutation(draws(*now, random)) - draws(*before, random)


def _standard(before: _Side, after: _Side) -> tuple[Floats, float]:
    """(the anchor's shares of the places that both have, adding up to 1, the share of the anchor that they are)."""
    both = before.compared & (before.share > 0.0) & (after.share > 0.0)
    kept = 1.0 if both.all() else float(before.share[both].sum())
    return np.where(both, before.share / kept, 0.0), kept


def _both_sides(anchor: Window, now: Window) -> tuple[_Side, _Side]:
    code, compared = places(anchor, now)
    return _side(anchor, code, compared), _side(now, code, compared)


def _side(data: Window, place: Integers, compared: Booleans) -> _Side:
    segment, known = place[data.segment], data.known
    size = len(compared)
    rows = np.flatnonzero(known)
    own, verdict, weight = segment[rows], data.verdict[rows], 1.0 / data.inclusion[rows]
    totals = sums(own, weight, size)
    totals_safe = np.where(totals > 0.0, totals, 1.0)
    share = np.bincount(segment, minlength=size) / data.size if data.complete else totals / totals.sum()
    rate = sums(own, weight * verdict, size) / totals_safe
    counts = np.bincount(own, minlength=size).astype(np.float64)
    portion = weight / totals_safe[own]
    spread = rate * (1.0 - rate)
    lent, target = _lent(rate, counts)
    stretch = np.sqrt(np.where(spread > 0.0, target / np.where(spread > 0.0, spread, 1.0), 0.0))
    sign = np.where(rows % 2 == 0, 1.0, -1.0)  # conversations must not add up what is no residual
    flat = np.where(spread[own] <= 0.0, sign * np.sqrt(target)[own], 0.0)
    effect = portion * ((verdict - rate[own]) * stretch[own] + flat)
    traffic = np.full(data.size, 1.0 / data.size)
    if not data.complete:
        traffic = np.zeros(data.size)
        traffic[rows] = weight / totals.sum()
    return _Side(
        compared,
        share,
        np.where(counts > 0.0, rate, lent),
        lent,
        segment,
        rows,
        portion,
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


def _weighted(side: _Side, by_rate: Floats, by_share: Floats, confidence: float) -> WeightedRate:
    portion = by_rate[side.segment[side.rows]] * side.portion
    variance = _variance(side, by_rate, by_share, confidence)
    return WeightedRate(float(by_rate @ side.rate), variance, float(portion @ portion))


def _of_mix(before: _Side, after: _Side, confidence: float) -> tuple[float, float, float, float]:
    """(value, lower, upper, variance) of what the change of mix did: Σ (a_h1 - b_h) p_h1 + Σ (b_h - a_h0) p_h0.

    b_h are the shares of `_standard`: the second sum is 0 when both windows have all segments.
    Hall's correction is κ3 / se² (2 z² + 1) / 6, with the third cumulant κ3 of the rates.
    """
    standard, kept = _standard(before, after)
    absent, moved = standard - before.share, after.share - standard
    value = float(moved @ after.rate) + float(absent @ before.rate)
    least = 0.5 / max(
        len(before.segment), len(after.segment)
    )  # one segment has no mix to change, and still a width
    fallen = float(standard @ (before.lent - after.lent)) / kept
    of_share = np.where(
        standard > 0.0, before.lent * (1.0 / kept - 1.0) - after.lent / kept, fallen - before.lent
    )
    variance = max(
        _variance(before, absent, of_share, confidence) + _variance(after, moved, after.lent, confidence),
        least * least,
    )
    cumulant = _third(after, moved) + _third(before, absent)
    z = normal_quantile(confidence)
    middle = value + _SKEWED * cumulant / variance * (2.0 * z * z + 1.0) / 6.0
    half = z * float(np.sqrt(variance))
    return value, max(-1.0, middle - half), min(1.0, middle + half), variance


def _third(side: _Side, by_rate: Floats) -> float:
    """The third cumulant of a sum that is linear in the rates of segments."""
    third = by_rate**3 * side.lent * (1.0 - side.lent) * (1.0 - 2.0 * side.lent)
    return float(third[side.segment[side.rows]] @ side.portion**3)


def _variance(side: _Side, by_rate: Floats, by_share: Floats, confidence: float) -> float:
    """Of a sum that is linear in the rates and shares of segments, by conversation."""
    influence = side.traffic * (by_share[side.segment] - float(by_share @ side.share))
    influence[side.rows] += by_rate[side.segment[side.rows]] * side.effect
    return variance_of(influence, side.conversation, side.clusters, confidence)
