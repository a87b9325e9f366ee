"""Change since an anchor, and the level now from an audit in the past. Alert on change, report level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ragvigil.scorer.estimate.calibration import Calibration
from ragvigil.scorer.estimate.interval import SEED, quantiles
from ragvigil.scorer.estimate.mix import MixChange, moved_draws
from ragvigil.scorer.estimate.portable import corrected, rate_draws
from ragvigil.scorer.estimate.result import Estimate, Refusal, never_came, under_both_fates, widened
from ragvigil.scorer.estimate.wilson import checked
from ragvigil.scorer.estimate.window import Floats

_SMALLEST_J = 0.05


def change_since(
    anchor: Estimate | Refusal, now: Estimate | Refusal, calibration: Calibration
) -> Estimate | Refusal:
    """How far the level moved since the anchor: (p_now - p_anchor) / J, in [-1, 1].

    Both are judged rates of the same judge; the errors of s and t almost cancel, so from 2,000 verdicts on this is
    known twice as well as the level. A fall of one mix of segments against another is not quality: give
    `mix_change` instead where the mix may have moved. Where verdicts never came, at the anchor or now, the interval
    holds the changes with all of them failed and passed on either side.
    """
    if isinstance(anchor, Refusal):
        return anchor
    if isinstance(now, Refusal):
        return now
    refused = calibration.refusal(now.n_judged, now.n_traces)
    if refused is not None:
        return refused

    def change(today: Estimate, then: Estimate) -> Estimate:
        random = np.random.default_rng(SEED)
        moved = rate_draws(today, random) - rate_draws(then, random)
        return _change(today, today.raw - then.raw, moved, calibration, "change-since-anchor")

    found = under_both_fates(change, now, anchor, falling=True)
    if anchor.bounds is None:
        return found
    asked = anchor.bounds.lowest.n_judged
    note = never_came(asked - anchor.n_judged, asked, whose=" of the anchor")
    return replace(found, caveats=(*found.caveats, note))


def quality_change(moved: MixChange | Refusal, calibration: Calibration) -> Estimate | Refusal:
    """How far quality moved at the anchor's mix of segments: the within part of `mix_change`, divided by J.

    Its interval holds what verdicts that never came may have been, as that of `mix_change` does.
    """
    if isinstance(moved, Refusal):
        return moved
    refused = calibration.refusal(moved.within.n_judged, moved.within.n_traces)
    if refused is not None:
        return refused
    found = _quality(moved, calibration)
    if moved.bounds is None:
        return found
    return widened(found, *(_quality(end, calibration) for end in moved.bounds))


def _quality(moved: MixChange, calibration: Calibration) -> Estimate:
    within, draws = moved.within, moved_draws(*moved.sides)
    return _change(within, within.raw, draws, calibration, "change-since-anchor-within")


def anchored_level(
    audited: Estimate | Refusal, change: Estimate | Refusal, *, confidence: float = 0.95
) -> Estimate | Refusal:
    """The level now: what the audit of the anchor found, plus the change since.

    The variances add up, for labels at the anchor and verdicts now are separate samples; each side of the interval
    is joined as in Pythagoras (MOVER, Zou & Donner 2008, Stat Med 27:1693), which keeps the audit's lopsided
    limits lopsided. Shares of faithful answers among flagged and passed ones are never carried forward. What verdicts
    that never came may have been is no error that adds up so: the interval holds the levels at both bounds.
    """
    if isinstance(audited, Refusal):
        return audited
    if isinstance(change, Refusal):
        return change

    checked(confidence)

    def moved(then: Estimate, since: Estimate) -> Estimate:
        return _moved(then, since, confidence)

    return under_both_fates(moved, audited, change)


def _moved(audited: Estimate, change: Estimate, confidence: float) -> Estimate:
    raw = audited.raw + change.raw
    down = float(np.hypot(audited.raw - audited.lower, change.raw - change.lower))
    up = float(np.hypot(audited.upper - audited.raw, change.upper - change.raw))
    value = min(1.0, max(0.0, raw))
    lower, upper = max(0.0, min(raw - down, 1.0)), min(1.0, max(raw + up, 0.0))
    return Estimate(
        value,
        min(lower, value),
        max(upper, value),
        change.n_judged,
        change.n_traces,
        change.n_effective,
        confidence,
        "anchored-level",
        calibrated=True,
        uncut=None if raw == value else raw,
        caveats=audited.caveats + change.caveats,
    )


def _change(
    now: Estimate,
    moved: float,
    draws: Floats,
    calibration: Calibration,
    method: str,
) -> Estimate:
    s, t = calibration.draws()
    usable = s + t - 1.0 >= _SMALLEST_J
    sample = draws[usable] / (s[usable] + t[usable] - 1.0)
    raw = moved / calibration.informativeness
    lower, upper = quantiles(sample, now.confidence, lowest=-1.0, highest=1.0)
    value = min(1.0, max(-1.0, raw))
    found = corrected(now, 0.5, (0.0, 1.0), calibration, method)
    return Estimate(
        value,
        min(lower, value),
        max(upper, value),
        now.n_judged,
        now.n_traces,
        now.n_effective,
        now.confidence,
        method,
        calibrated=True,
        uncut=None if raw == value else raw,
        caveats=found.caveats,
    )
