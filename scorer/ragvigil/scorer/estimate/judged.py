"""The judged pass rate: Hájek weights, strata, a control variate, conversations, and verdicts that never came."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ragvigil.scorer.estimate.interval import SEED, clusters_of, draws, quantiles, variance_of
from ragvigil.scorer.estimate.result import (
    FEWEST,
    FEWEST_CONVERSATIONS,
    Estimate,
    Refusal,
    never_came,
    too_few,
    widened,
)
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers, Window

FEWEST_FOR_CONTROL = 100
"""Verdicts below which the slope on the cheap score is not trusted: at 20 the interval covers .91."""


class Fit(NamedTuple):
    """A judged pass rate and how much each record moves it."""

    value: float
    influence: Floats
    """One per record of the window; their sum of squares is the variance for independent records."""
    step: float
    """What one more failure would take away."""


def judged_rate(data: Window, *, control: bool = True, confidence: float = 0.95) -> Estimate | Refusal:
    """The pass rate p of the judge over a stretch, uncorrected; a Refusal below 20 verdicts.

    Within each segment h the Hájek mean with weights 1 / inclusion; over segments Σ (N_h / N) p_h with the N_h
    of all traffic (segments with fewer than two verdicts are taken together). With a cheap score for all records and
    100 verdicts, a control variate (PPI++ for a mean, Angelopoulos et al. arXiv 2311.01453; the survey
    regression estimator): p_h + b (mean of all X - Hájek mean of X), b the pooled slope of verdict on X. The
    target is the rate of the process, not of these very records. Verdicts that were asked for and never came
    widen the interval to what it would be had all of them failed, or all passed.

    >>> from ragvigil.scorer.estimate import window
    >>> one = judged_rate(window(verdict=[1] * 190 + [0] * 10, n_traces=2000))
    >>> round(one.value, 2), round(one.lower, 2), round(one.upper, 2), one.n_judged, one.n_traces
    (0.95, 0.91, 0.97, 200, 2000)
    """
    n = int(data.known.sum())
    if n < FEWEST:
        return too_few(n, data.n_traces)
    found = _estimate(data, data.verdict, control, confidence)
    lost = int(data.missing.sum())
    if lost == 0:
        return found
    failed, passed = (
        _estimate(data, np.where(data.missing, fate, data.verdict), control, confidence) for fate in (0, 1)
    )
    note = never_came(lost, n + lost)
    return widened(replace(found, caveats=(*found.caveats, note)), failed, passed)


def _estimate(data: Window, verdict: Integers, control: bool, confidence: float) -> Estimate:
    known = data.judged & (verdict >= 0)
    n = int(known.sum())
    controlled = control and data.cheap is not None and data.complete and n >= FEWEST_FOR_CONTROL
    one = fit(data, verdict, control=controlled)
    clusters = clusters_of(data.conversation, known)
    variance = variance_of(one.influence, data.conversation, clusters, confidence)
    sample = draws(one.value, variance, one.step, np.random.default_rng(SEED))
    value = min(1.0, max(0.0, one.value))
    lower, upper = quantiles(sample, confidence, lowest=0.0, highest=1.0)
    return Estimate(
        value,
        min(lower, value),
        max(upper, value),
        n,
        data.n_traces,
        effective(one.value, variance, one.step),
        confidence,
        "hajek-control-midp" if controlled else "hajek-midp",
        caveats=_few_conversations(clusters),
        uncut=None if one.value == value else one.value,
    )


def _few_conversations(clusters: int) -> tuple[str, ...]:
    if clusters >= FEWEST_CONVERSATIONS:
        return ()
    return (f"verdicts of {clusters} conversations only: the interval is narrower than it should be",)


def effective(value: float, variance: float, step: float) -> float:
    """How many independent verdicts of equal weight would know as much; at least 5."""
    away = min(max(min(value, 1.0 - value), 0.0) + step / 2.0, 0.5)
    return max(5.0, away * (1.0 - away) / (variance + step * step / 2.0))


def fit(data: Window, verdict: Integers, *, control: bool) -> Fit:
    """The rate, and the influence of every record on it (its linearisation), for the rate of the process."""
    known = data.judged & (verdict >= 0)
    segment = pooled(data.segment, known)
    segments = int(segment.max()) + 1
    weight = np.where(known, 1.0 / np.where(known, data.inclusion, 1.0), 0.0)
    totals = np.bincount(segment, weights=weight, minlength=segments)
    share = np.bincount(segment, minlength=segments) / data.size if data.complete else totals / totals.sum()
    portion = (weight / totals[segment]) * share[segment]  # of the estimate, that each verdict makes up
    mean = np.bincount(segment, weights=portion * verdict, minlength=segments) / share
    counts = np.bincount(segment, weights=known, minlength=segments)
    residual = np.where(known, verdict - mean[segment], 0.0)
    level = mean
    if control and data.cheap is not None:
        slope, above = _control(data.cheap, segment, portion, share, residual)
        centred = data.cheap - (np.bincount(segment, weights=portion * data.cheap) / share)[segment]
        residual = residual - np.where(known, slope * centred, 0.0)
        level = mean + slope * above
        beyond = slope * (centred - above[segment])
    else:
        beyond = np.zeros(data.size)
    value = float(share @ level)
    spread = np.sqrt(counts / np.maximum(counts - 1.0, 1.0))[segment]  # n / (n - 1), in each segment
    influence = portion * residual * spread
    if data.complete:
        influence = influence + (level[segment] + beyond - value) / data.size
    else:
        influence = influence + portion * (level[segment] - value)
    step = float(portion @ portion)
    return Fit(value, influence, step)


def _control(
    cheap: Floats, segment: Integers, portion: Floats, share: Floats, residual: Floats
) -> tuple[float, Floats]:
    """The pooled slope of verdict on cheap score, and how far the mean of all X lies above the sample's, by segment."""
    sampled = np.bincount(segment, weights=portion * cheap) / share
    centred = cheap - sampled[segment]
    square = float(portion @ (centred * centred))
    slope = float(portion @ (centred * residual)) / square if square > 1e-12 else 0.0
    above = np.bincount(segment, weights=cheap) / np.bincount(segment) - sampled
    return slope, above


def pooled(segment: Integers, known: Booleans) -> Integers:
    """Segment codes 0 … H-1 without holes, where segments with fewer than two verdicts are taken together."""
    counts = np.bincount(segment, weights=known)
    present = np.bincount(segment) > 0
    thin = present & (counts < 2)
    code = np.full(len(counts), -1, dtype=np.int64)
    thick = np.flatnonzero(present & ~thin)
    code[thick] = np.arange(len(thick))
    if thin.any():
        enough = counts[thin].sum() >= 2 or len(thick) == 0
        code[thin] = len(thick) if enough else code[thick[np.argmax(counts[thick])]]
    return code[segment]
