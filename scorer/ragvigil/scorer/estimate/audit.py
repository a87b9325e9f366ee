"""The level in mode A (audited, the default): people read ~200 judged production answers, chosen by stratum."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.interval import SEED, clusters_of, draws, quantiles, variance_of
from ragvigil.scorer.estimate.judged import effective
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, too_few, widened
from ragvigil.scorer.estimate.strata import BINS, MISSING, Strata, covered
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers, Window, sums, whole_numbers


def audited_level(
    data: Window, strata: Strata, truth: ArrayLike, *, confidence: float = 0.95
) -> Estimate | Refusal:
    """The share of faithful answers by double sampling; a Refusal below 20 labels.

    `truth` holds 1 (faithful), 0, or -1 (not labelled) for each record of the window; labels are a random draw
    within each stratum (`next_labels`), and of records with a stratum. π = Σ_g W_g (1 - bad_g) (Tenenbein 1970).
    W_g, the share of stratum g, comes from the judged sample; within each bin of the cheap score when that is
    known for all traffic, whose own bin shares are then used. The variance adds up the influence of each
    judged and each labelled record, by conversation; the interval is the mid-P one of `interval.draws`, where
    one more unfaithful answer counts as in the mean stratum. Never apply one window's strata to another's: after
    a fall of seven points such an interval covers 3 to 10 % (`anchored_level` is for that). Answers without a verdict
    are a stratum; when none of it is labelled, the interval holds them all unfaithful and all faithful.
    """
    truths = whole_numbers("truth", truth)
    if truths.shape != (data.size,) or np.any((truths < -1) | (truths > 1)):
        raise ValueError(f"truth must be {data.size} values of 1, 0 or -1 (not labelled)")
    member = strata.code >= 0
    labelled = (truths >= 0) & member
    labels = int(labelled.sum())
    if labels < FEWEST:
        return too_few(labels, data.n_traces, what="labels")
    found = _level(data, strata, truths, None, confidence)
    lost = strata.code == MISSING
    if not lost.any() or (lost & labelled).any():
        return found
    unfaithful, faithful = (_level(data, strata, truths, fate, confidence) for fate in (0, 1))
    note = (
        f"{int(lost.sum())} of {int(member.sum())} judged answers have neither verdict nor label; "
        "the interval holds them unfaithful and faithful"
    )
    return widened(replace(found, caveats=(*found.caveats, note)), unfaithful, faithful)


def _level(data: Window, strata: Strata, truths: Integers, fate: int | None, confidence: float) -> Estimate:
    """The level; with a `fate`, where all answers without a verdict are known to be faithful (1) or not (0)."""
    member = strata.code >= 0
    labelled = (truths >= 0) & member
    labels = int(labelled.sum())
    known = (strata.code == MISSING) & (fate is not None)
    code = covered(strata.code, labelled)
    weight = np.where(member, 1.0 / np.where(member, data.inclusion, 1.0), 0.0)
    bad = (truths == 0).astype(np.float64)
    portion = np.where(known, 0.0, _portion(data, strata, weight))
    share = sums(code, portion, int(code.max()) + 1)
    rate, from_labels, steps = _label_part(code, weight, labelled, bad, share)
    expected = np.where(known, 1.0 - (fate or 0), np.where(member, rate[code], 0.0))
    level, from_traffic = _traffic_part(data, strata, weight, expected)
    clusters = clusters_of(data.conversation, labelled)
    variance = variance_of(from_labels + from_traffic, data.conversation, clusters, confidence)
    step = float(steps.mean())
    sample = draws(level, variance, step, np.random.default_rng(SEED))
    lower, upper = quantiles(1.0 - sample, confidence, lowest=0.0, highest=1.0)
    value = 1.0 - level
    return Estimate(
        value,
        min(lower, value),
        max(upper, value),
        int(member.sum()),
        data.n_traces,
        effective(level, variance, step),
        confidence,
        "audited-strata-midp",
        calibrated=True,
        caveats=(f"{labels} human labels",),
    )


def _portion(data: Window, strata: Strata, weight: Floats) -> Floats:
    """The share of traffic for which each judged record stands: Hájek, within bins of the cheap score where known."""
    if not (data.complete and strata.bin is not None):
        even: Floats = weight / weight.sum()
        return even
    totals = sums(strata.bin, weight, BINS)
    counts = sums(strata.bin, np.ones(data.size), BINS)
    counts[totals <= 0.0] = 0.0
    safe = np.where(totals > 0.0, totals, 1.0)
    portion: Floats = weight / safe[strata.bin] * (counts / counts.sum())[strata.bin]
    return portion


def _label_part(
    code: Integers,
    weight: Floats,
    labelled: Booleans,
    bad: Floats,
    share: Floats,
) -> tuple[Floats, Floats, Floats]:
    """(bad rate of each stratum, influence of each label, weight of one label of each stratum)."""
    strata = len(share)
    own = np.where(labelled, weight, 0.0)
    totals = sums(code, own, strata)
    counts = sums(code, labelled.astype(np.float64), strata)
    safe = np.where(totals > 0.0, totals, 1.0)
    rate = sums(code, own * bad, strata) / safe
    spread = np.sqrt(counts / np.maximum(counts - 1.0, 1.0))
    influence = own * (bad - rate[code]) * (share / safe * spread)[code]
    used = counts > 0
    return rate, influence, share[used] / counts[used]


def _traffic_part(data: Window, strata: Strata, weight: Floats, expected: Floats) -> tuple[float, Floats]:
    """(unfaithful share, influence of each record through the shares of the strata)."""
    portion = _portion(data, strata, weight)
    level = float(portion @ expected)
    if not (data.complete and strata.bin is not None):
        return level, portion * (expected - level)
    totals = sums(strata.bin, portion, BINS)
    mean = sums(strata.bin, portion * expected, BINS) / np.where(totals > 0.0, totals, 1.0)
    beyond = np.where(totals[strata.bin] > 0.0, mean[strata.bin] - level, 0.0)
    return level, portion * (expected - mean[strata.bin]) + beyond / data.size
