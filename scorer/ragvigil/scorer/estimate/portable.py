"""The level in mode P (portable): a gold set from anywhere gives s and t, Rogan & Gladen correct the judged rate."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ragvigil.scorer.estimate.calibration import Calibration
from ragvigil.scorer.estimate.interval import DRAWS, SEED, quantiles
from ragvigil.scorer.estimate.result import Estimate, Refusal, widened
from ragvigil.scorer.estimate.wilson import normal_quantile
from ragvigil.scorer.estimate.window import Floats

_SMALLEST_J = 0.05


def portable_level(
    judged: Estimate | Refusal, calibration: Calibration, *, segment: int | None = None
) -> Estimate | Refusal:
    """π = (p + t - 1) / (s + t - 1) with the uncertainty of p, s and t (Rogan & Gladen 1978).

    By Monte Carlo from Jeffreys' Betas; draws with J < .05 are dropped. Refused when the judge is not informative
    (lower 95 % limit of J below .2), and for one `segment` unless the gold set is of that segment: s that is .05
    lower there moves the level by 6 points, which no pooled gold set shows. (Changes of a segment need none.)
    Where verdicts never came the interval holds the levels with all of them failed and passed.

    >>> from ragvigil.scorer.estimate import Calibration, judged_rate, window
    >>> p = judged_rate(window(verdict=[1] * 1623 + [0] * 377, n_traces=20_000))
    >>> level = portable_level(p, Calibration(119, 21, 55, 5))
    >>> round(level.value, 3), level.calibrated, level.method
    (0.95, True, 'rogan-gladen')
    """
    if isinstance(judged, Refusal):
        return judged
    refused = calibration.refusal(judged.n_judged, judged.n_traces) or _wrong_segment(
        judged, calibration, segment
    )
    if refused is not None:
        return refused
    found = _level(judged, calibration)
    if judged.bounds is None:
        return found
    return widened(
        found, *(_level(end, calibration) for end in (judged.bounds.lowest, judged.bounds.highest))
    )


def _level(judged: Estimate, calibration: Calibration) -> Estimate:
    p = rate_draws(judged, np.random.default_rng(SEED))
    s, t = calibration.draws()
    usable = s + t - 1.0 >= _SMALLEST_J
    sample = (p[usable] + t[usable] - 1.0) / (s[usable] + t[usable] - 1.0)
    raw = (judged.raw + calibration.specificity - 1.0) / calibration.informativeness
    limits = quantiles(sample, judged.confidence, lowest=0.0, highest=1.0)
    found = corrected(judged, raw, limits, calibration, "rogan-gladen")
    if float(np.quantile(sample, 0.5 - judged.confidence / 2.0)) < 1.0:
        return found
    note = "the judge passes more answers than its labels allow (they understate its sensitivity): calibrate again"
    return replace(found, caveats=(*found.caveats, note))


def closed_form(judged: Estimate, calibration: Calibration) -> tuple[float, float]:
    """Lang & Reiczigel's interval of the same level (Prev Vet Med 2014;113:13): no draws, within .02 of the other.

    Lee et al. (arXiv 2511.21140) use the same for LLM judges.
    """
    lower, upper = _closed(judged, calibration)
    if judged.bounds is None:
        return lower, upper
    ends = (_closed(end, calibration) for end in (judged.bounds.lowest, judged.bounds.highest))
    (lowest, _), (_, highest) = ends
    return min(lower, lowest), max(upper, highest)


def _closed(judged: Estimate, calibration: Calibration) -> tuple[float, float]:
    z = normal_quantile(judged.confidence)
    m1, m0, n = calibration.faithful + 2.0, calibration.unfaithful + 2.0, judged.n_effective + z * z
    p = (judged.n_effective * judged.raw + z * z / 2.0) / n
    s, t = (calibration.faithful_passed + 1.0) / m1, (calibration.unfaithful_failed + 1.0) / m0
    j = s + t - 1.0
    level = (p + t - 1.0) / j
    from_s, from_t = level * s * (1.0 - s) / m1, (1.0 - level) * t * (1.0 - t) / m0
    shift = 2.0 * z * z * (from_s - from_t)
    error = math.sqrt(p * (1.0 - p) / n + level * from_s + (1.0 - level) * from_t) / j
    return max(0.0, level + shift - z * error), min(1.0, level + shift + z * error)


def rate_draws(judged: Estimate, random: np.random.Generator) -> Floats:
    """Draws of a judged rate: Jeffreys' Beta on its effective size."""
    p, n = judged.value, judged.n_effective
    return random.beta(n * p + 0.5, n * (1.0 - p) + 0.5, DRAWS)


def corrected(
    judged: Estimate, raw: float, limits: tuple[float, float], calibration: Calibration, method: str
) -> Estimate:
    """The level as an Estimate: cut to [0, 1] for display, uncut for arithmetic."""
    value = min(1.0, max(0.0, raw))
    caveats = judged.caveats + calibration.caveats()
    return Estimate(
        value,
        min(limits[0], value),
        max(limits[1], value),
        judged.n_judged,
        judged.n_traces,
        judged.n_effective,
        judged.confidence,
        method,
        calibrated=True,
        uncut=None if raw == value else raw,
        caveats=caveats,
    )


def _wrong_segment(judged: Estimate, calibration: Calibration, segment: int | None) -> Refusal | None:
    if segment is None or calibration.segment == segment:
        return None
    detail = "the level of one segment needs labels of that segment; its change since an anchor does not"
    return Refusal("needs_segment_audit", detail, judged.n_judged, judged.n_traces)
