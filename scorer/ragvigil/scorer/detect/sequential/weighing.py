"""Weighing a batch of verdicts: every bet takes it."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Series
from ragvigil.scorer.detect.sequential.batch import Floats, sum_by
from ragvigil.scorer.detect.sequential.burst import SIZES, Burst
from ragvigil.scorer.detect.sequential.evidence import (
    Verdicts,
    plain_factors,
    suspect_factors,
    suspect_stake,
)
from ragvigil.scorer.detect.sequential.faithfulness import OVERALL_FALLS, SEGMENT_FALLS, Faithfulness
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.incidents import LATEST_DAYS, Recent
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.settings import MonitorSettings

PRIOR_NOISE = 300.0
"""Traces of usual noise that a batch's own is mixed with."""
OVERALL_LEAST = 0.007
"""Smallest fall that a burst on all traffic bets on: the smallest of `SIZES` when the cheap score shows two points.
Were it larger, two of the three bets would be one, and all of them lose while a slow fall is small."""
SEGMENT_LEAST = 0.015
"""The same on a segment, whose burst sees too little to tell less."""


def weigh(
    series: Faithfulness,
    verdicts: Verdicts,
    days: float,
    settings: MonitorSettings,
    instruments: Instruments,
    reference: Reference,
) -> None:
    """Take one batch of verdicts: update every bet."""
    slots = settings.slots
    youden, signal = instruments.youden, instruments.signal
    tolerance = settings.tolerance
    overall_fall = series.incidents.fall[-1] * 1.5 + (0.05 if series.incidents.open[-1] else 0.0)
    own_normal = tolerance + overall_fall + reference.day_spread
    all_normal = tolerance + reference.day_spread_overall
    q_own = reference.passed - own_normal * youden - reference.passed_error
    q_all = reference.passed - all_normal * youden - reference.passed_error_overall
    u_own = reference.flags + own_normal * signal + reference.flags_error
    u_all = reference.flags + all_normal * signal + reference.flags_error_overall
    own_falls, all_falls = np.tile(SEGMENT_FALLS, (slots, 1)), np.tile(OVERALL_FALLS, (slots, 1))
    noise, careful = _noise(series, verdicts, instruments.surprise)
    active, running = series.active(), series.running()
    some = np.append(verdicts.traffic > 0.0, True)
    own = plain_factors(verdicts, q_own, own_falls * youden, slots)
    total = plain_factors(verdicts, q_all, all_falls * youden, slots)
    total = total[active & reference.slots(Series.VERDICTS)].sum(axis=0)
    series.plain.update(np.vstack([own, total]), running & some & reference.streams(Series.VERDICTS))
    if instruments.cheap_informative:
        own = suspect_factors(verdicts, u_own, suspect_stake(own_falls * signal, careful), slots)
        total = suspect_factors(verdicts, u_all, suspect_stake(all_falls * signal, careful), slots)
        total = total[active & reference.slots(Series.SUSPECTS)].sum(axis=0)
        some = np.append(verdicts.traces > 0.0, True) & reference.streams(Series.SUSPECTS)
        series.suspect.update(np.vstack([own, total]), running & some)
    for burst in series.bursts:
        if burst.suspects:
            normal = np.full(slots, all_normal) if burst.stream == slots else own_normal
            _bet(series, burst, verdicts, noise, normal * signal, signal, settings, reference)
    batch = Recent.of(verdicts, reference)
    series.recent.update(batch, days)
    series.latest.update(batch, days, LATEST_DAYS)
    series.incidents.heal(verdicts, reference, instruments, careful)


def _noise(series: Faithfulness, verdicts: Verdicts, surprise: float) -> tuple[Floats, Floats]:
    """(slots, 2) `suspect_stake`'s noise at this batch's probabilities; and without what this batch decided.

    The second is for bets that also run on the batch whose cheap scores opened a burst: a stake that
    depended on those scores would favour the batches in which they were high.
    """
    traces = verdicts.traces
    bursting, fresh = np.zeros(traces.size, np.bool_), np.zeros(traces.size, np.bool_)
    for burst in series.bursts:
        (fresh if burst.fresh else bursting)[series.inside(burst.stream)] = True
    quiet = ~bursting & ~fresh
    if (count := traces[quiet].sum()) > 0.0:
        share = min(0.2, count / 20_000.0) if series.noise_base else 1.0
        base, full = verdicts.noise[quiet].sum() / count, verdicts.noise_unsampled[quiet].sum() / count
        series.noise_base += share * (float(base) - series.noise_base)
        series.noise_full += share * (float(full) - series.noise_full)
    prior = np.where(bursting | fresh, series.noise_full * 1.2, series.noise_base)
    noise = np.maximum((verdicts.noise + PRIOR_NOISE * prior) / (traces + PRIOR_NOISE), 1e-4)
    careful = np.where(fresh & ~bursting, max(series.noise_base, 1e-4), noise)
    full = max(series.noise_full, 1e-5)
    return _with_surprise(noise, full, surprise), _with_surprise(careful, full, surprise)


def _bet(
    series: Faithfulness,
    burst: Burst,
    verdicts: Verdicts,
    noise: Floats,
    tolerance: Floats,
    signal: float,
    settings: MonitorSettings,
    reference: Reference,
) -> None:
    """One batch of a burst's own bets."""
    slots = tolerance.size
    inside = series.inside(burst.stream) & reference.slots(Series.SUSPECTS)
    least = OVERALL_LEAST if burst.stream == slots else SEGMENT_LEAST
    shift = np.tile(np.clip(SIZES * burst.fall, least, 0.6) * signal, (slots, 1))
    stake = suspect_stake(shift, noise)
    if burst.fresh:
        against = tolerance[:, None]
    elif burst.stream == slots:
        against = (reference.flags + tolerance + reference.flags_error_overall)[:, None]
    else:
        against = (reference.flags + settings.tolerance * signal)[:, None] + _doubt(
            stake, burst.traces + 0.5 * verdicts.traces, reference, signal
        )
    factors = suspect_factors(verdicts, against, stake, slots, conditional=burst.fresh)
    burst.log = burst.log + factors[inside].sum(axis=0)
    if not burst.fresh:
        excess = sum_by(verdicts.slot, verdicts.excess, slots) - reference.flags * verdicts.traces
        burst.excess += float(excess[inside].sum())
        burst.noise += float(verdicts.noise[inside].sum())
        burst.traces += float(verdicts.traces[inside].sum())


def _doubt(stake: Floats, seen: Floats, reference: Reference, signal: float) -> Floats:
    """(slots, k) flags per trace by which a segment's normal may be off, after `seen` (slots,) traces of a burst.

    The error of a baseline and the day's own level are normal with variance v, and the same in all of the burst:
    averaged over, they cost stake^2 seen^2 v / 2 nats, of which this is the next trace's part. What is longer than
    that pays what the worst of all segments may be off by.
    """
    variance = reference.flags_variance + (reference.day_spread * signal) ** 2
    worst = reference.flags_error * np.sqrt(variance / reference.flags_variance)
    return np.minimum(stake * (seen * variance)[:, None], worst[:, None])


def _with_surprise(noise: Floats, full: float, surprise: float) -> Floats:
    """(slots, 2) noise, and what a rise of the mean by 1 adds: half of `surprise`, grown by 1/pi as the noise has.

    All of it is the stake that is best where each verdict moves the log little, none where all flags weigh alike.
    """
    return np.stack([noise, 0.5 * surprise * np.maximum(noise / full, 1.0)], axis=1)
