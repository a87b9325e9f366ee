"""Bursts: when they open, whom they judge, when they end."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats, Integers
from ragvigil.scorer.detect.sequential.budget import raise_chances
from ragvigil.scorer.detect.sequential.burst import FUTILE, SIZES, Burst
from ragvigil.scorer.detect.sequential.evidence import Suspicion
from ragvigil.scorer.detect.sequential.faithfulness import Faithfulness, fall_sizes
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.settings import MonitorSettings
from ragvigil.scorer.detect.sequential.tripwire import Tripwire

OVERALL_SOONER = 2.5
"""Nats by which the judge's own evidence opens a burst sooner on all traffic: it is one stream, segments are many."""
SEGMENT_SOONER = 0.7
"""Nats by which the tripwire of a segment opens a burst sooner than that of all traffic, which costs far more."""
EASED = -1.0
"""Nats below the opening of such a burst at which it is closed."""
SURE = 2.5
"""Nats above its opening at which such a burst may use all that is saved."""
KEPT = 800.0
"""Calls that such a burst leaves to the tripwire's while it has just opened."""
FOLLOWED = 0.5
"""Part of a rise of the cheap score's suspicion that becomes normal when the judge disagrees with it."""


def opens(series: Faithfulness, wire: Tripwire, now: float, settings: MonitorSettings) -> Booleans:
    """(streams,) which streams a tripwire in this state opens a burst on."""
    busy = np.zeros(settings.streams, np.bool_)
    for burst in series.bursts:
        busy[burst.stream] |= burst.suspects
    free = ~busy & series.running() & (series.cooldown <= now)
    limits = np.full(settings.streams, settings.trip - SEGMENT_SOONER)
    limits[-1] = settings.trip
    return (wire.level() > limits) & free


def wish(
    series: Faithfulness,
    base: Floats,
    slot: Integers,
    suspicion: Suspicion,
    opening: Booleans,
    settings: MonitorSettings,
    credit: float,
    surplus: float,
) -> Floats:
    """Inclusion probabilities with the bursts in them, at most `credit` calls above `base`.

    What `surplus` the bursts leave goes to the suspects of all traffic.

    A burst by the cheap score also turns half of its stream's base towards the suspects, so that it works
    when nothing is saved. All traffic is served first; the segments share at most half of what is left.
    """
    overall = settings.slots
    doubts = 6.0 * suspicion.plain / np.sqrt(suspicion.noise)
    if not series.bursts and not opening.any():
        return raise_chances(base, doubts, surplus)
    sure = sureness(series, settings)
    wanted = [
        (
            b.stream,
            b.suspects,
            (1.0 if b.suspects else 0.4 + sure[b.stream]) * _cap(b.stream, settings) - b.spent,
        )
        for b in series.bursts
    ]
    wanted += [(int(stream), True, _cap(int(stream), settings)) for stream in np.flatnonzero(opening)]
    wanted.sort(key=lambda burst: (burst[0] != overall, not burst[1]))
    chance = base
    for stream, suspects, left in wanted:
        inside = series.inside(stream)[slot]
        freed, kept = 0.0, 0.0
        if suspects:
            turned = np.where(inside, np.minimum(chance, 0.5 * base), chance)
            freed, chance = float((chance - turned).sum()), turned
        else:
            kept = (1.0 - sure[stream]) * min(KEPT, 0.5 * credit)
        calls = freed + max(0.0, min(left, (credit - kept) * (1.0 if stream == overall else 0.5)))
        raised = raise_chances(chance, np.where(inside, doubts if suspects else 1.0, 0.0), calls)
        spent = float((raised - chance).sum()) - freed
        credit, surplus, chance = credit - spent, surplus - spent, raised
    return raise_chances(chance, doubts, surplus)


def open_bursts(series: Faithfulness, opening: Booleans, now: float, instruments: Instruments) -> None:
    """Open a burst where the tripwire did."""
    falls = series.tripwire.mean_rise() / max(instruments.separation, 1e-3)
    for stream in np.flatnonzero(opening):
        fall = float(np.clip(falls[stream], 0.02 if stream == opening.size - 1 else 0.04, 0.40))
        series.bursts.append(Burst(int(stream), True, now, fall, np.zeros(SIZES.size)))


def tend_bursts(
    series: Faithfulness, now: float, settings: MonitorSettings, instruments: Instruments
) -> list[tuple[int, float]]:
    """Close the bursts that are over, open those that the judge's own evidence asks for.

    Returns (stream, change of normal suspicion) for each burst in which the judge disagreed.
    """
    disagreed: list[tuple[int, float]] = []
    kept: list[Burst] = []
    over = series.plain.level() - _limits(settings)
    signal = instruments.signal
    for burst in series.bursts:
        fresh, burst.fresh = burst.fresh, False
        old = now - burst.opened > settings.burst_hours * 3600.0
        if not burst.suspects:
            if not old and over[burst.stream] > EASED:
                kept.append(burst)
            continue
        if fresh or (not old and burst.level() > FUTILE):
            kept.append(burst)
            continue
        shown = float(series.tripwire.mean_rise()[burst.stream]) / max(instruments.separation, 1e-3)
        judged, error = burst.judged_fall(signal)
        unexplained = max(0.0, shown - max(0.0, judged + 2.0 * error))
        disagreed.append((burst.stream, FOLLOWED * unexplained * instruments.separation))
        series.cooldown[burst.stream] = now + settings.cooldown_hours * 3600.0
        streams = np.arange(series.cooldown.size) == burst.stream
        series.tripwire.restart(streams)
    series.bursts = kept
    _open_on_evidence(series, now, settings)
    return disagreed


def _limits(settings: MonitorSettings) -> Floats:
    """(streams,) log of the e-detector at which the judge's own evidence opens a burst."""
    limits = np.full(settings.streams, settings.suspicion)
    limits[-1] -= OVERALL_SOONER
    return limits


def sureness(series: Faithfulness, settings: MonitorSettings) -> Floats:
    """(streams,) 0 to 1: how far the judge's own evidence is beyond what opens a burst; more of it buys more."""
    sure: Floats = np.clip((series.plain.level() - _limits(settings)) / SURE, 0.0, 1.0)
    return sure


def _open_on_evidence(series: Faithfulness, now: float, settings: MonitorSettings) -> None:
    """Open bursts where verdicts alone are suspicious."""
    levels, free = series.plain.level(), series.running()
    watched = {burst.stream for burst in series.bursts if not burst.suspects}
    for stream in np.flatnonzero((levels > _limits(settings)) & free):
        if int(stream) not in watched:
            series.bursts.append(Burst(int(stream), False, now, 0.05, np.zeros(SIZES.size), fresh=False))
    levels = series.suspect.level()
    watched = {burst.stream for burst in series.bursts if burst.suspects}
    sizes = series.suspect.size(fall_sizes(settings.slots))
    for stream in np.flatnonzero((levels > settings.suspicion - 1.0) & free & (series.cooldown <= now)):
        if int(stream) not in watched:
            fall = float(sizes[stream])
            series.bursts.append(Burst(int(stream), True, now, fall, np.zeros(SIZES.size), fresh=False))


def _cap(stream: int, settings: MonitorSettings) -> float:
    """Most calls that a burst on this stream adds."""
    return settings.burst_cap * (1.0 if stream == settings.slots else 0.25)
