"""What has been paged for and is not over, and whom a fall belongs to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Series
from ragvigil.scorer.detect.sequential.batch import Booleans, Floats, sum_by
from ragvigil.scorer.detect.sequential.evidence import (
    Verdicts,
    back_factors,
    suspect_back_factors,
    suspect_stake,
)
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.reference import Reference

MEMORY_DAYS = 0.5
LATEST_DAYS = 2.0 / 24.0
"""Memory of what a page shows that came within hours."""
OVER = 0.35
"""Share of the fall that may be left when an incident is over."""
LASTING = 0.7
"""Share of the fall that lasts where it lasts: half of it is OVER, where the evidence for an end changes its sign."""
SURELY_OVER = 8.0
"""Nats for an end against a fall that lasts, from which on an incident is over however young it is."""
LEAST_VERDICTS = 300.0
"""Of half a day, below which nobody knows so soon how large a fall surely was, and a mute has to pass."""
SURELY = 1.645
"""Standard errors less than what verdicts showed that a fall surely was."""
LEAST_SHOWN = 0.3
"""Share of the bets' guess that a fall is taken for at least, where verdicts showed less: one batch guesses wildly."""
ROSE = 3.5
"""Standard errors by which the suspicion of other segments' answers has risen when the fall is theirs too."""
LEAST_BESIDE = 0.02
"""Share of the traffic beside several candidates below which they are all of it."""
BEYOND = 4.0
"""Standard errors by which a segment fell beyond all traffic, when that is known to have fallen, to deserve a page."""
LEAST_BEYOND = 0.10
"""The same as a share of faithful answers."""
LONGEST_DAYS = 14.0
"""After this, an open incident is what is normal now."""


@dataclass(slots=True)
class Recent:
    """Fading sums per slot, over half a day unless said otherwise: what fell, and where."""

    excess: Floats
    noise: Floats
    traces: Floats
    gain: Floats
    gain_noise: Floats
    weight: Floats

    @staticmethod
    def fresh(slots: int) -> Recent:
        """Nothing seen yet."""
        return Recent(*(np.zeros(slots) for _ in range(6)))

    @staticmethod
    def of(verdicts: Verdicts, reference: Reference) -> Recent:
        """One batch, beside what is normal; where that is not known, nothing is."""
        flags, passed = reference.flags, reference.passed
        slots = flags.size
        suspects, plain = reference.slots(Series.SUSPECTS), reference.slots(Series.VERDICTS)
        weight = sum_by(verdicts.slot, verdicts.weight, slots)
        gain = passed * weight - sum_by(verdicts.slot, verdicts.passed, slots)
        excess = sum_by(verdicts.slot, verdicts.excess, slots) - flags * verdicts.traces
        by_suspects = (excess, verdicts.noise, verdicts.traces)
        by_all = (gain, passed * (1.0 - passed) * weight, weight)
        return Recent(*(part * suspects for part in by_suspects), *(part * plain for part in by_all))

    def update(self, batch: Recent, days: float, memory_days: float = MEMORY_DAYS) -> None:
        """Take one batch."""
        keep = float(np.exp(-days / memory_days))
        for one in fields(self):
            setattr(self, one.name, keep * getattr(self, one.name) + getattr(batch, one.name))

    def forget(self, slots: Booleans) -> None:
        """Forget what was seen in these slots."""
        for one in fields(self):
            setattr(self, one.name, np.where(slots, 0.0, getattr(self, one.name)))

    def falls(self, suspects: bool, instruments: Instruments) -> Floats:
        """(slots,) fall of the faithful share that the verdicts show, by one family of evidence."""
        size = self.traces if suspects else self.weight
        return self.blame(suspects)[0] / np.maximum(size, 1.0) / instruments.response(suspects)

    def verdicts(self, stream: int) -> float:
        """Those of a stream: a slot, or behind the last all of them."""
        return float(self.weight.sum() if stream == self.weight.size else self.weight[stream])

    def error(self, suspects: bool, stream: int, instruments: Instruments) -> float:
        """Standard error of the fall of a stream: a slot, or behind the last all of them."""
        noise, size = self.blame(suspects)[1], self.traces if suspects else self.weight
        inside = (np.arange(size.size) == stream) | (stream == size.size)
        error = float(np.sqrt(noise[inside].sum())) / max(float(size[inside].sum()), 1.0)
        return error / instruments.response(suspects)

    def blame(self, suspects: bool) -> tuple[Floats, Floats]:
        """((slots,) what each contributes, (slots,) its variance)."""
        return (self.excess, self.noise) if suspects else (self.gain, self.gain_noise)


@dataclass(slots=True)
class Incidents:
    """Open incidents per stream (slots, then overall)."""

    fall: Floats
    """Fall of the faithful share; 0 where there is no incident."""
    since: Floats
    suspects: Booleans
    """Which family of evidence showed it."""
    shown: Floats = field(default_factory=lambda: np.zeros(0))
    """Largest fall that verdicts of half a day showed since."""

    surely: Floats = field(default_factory=lambda: np.zeros(0))
    """The same, less 1.6 standard errors."""
    well: Floats = field(default_factory=lambda: np.zeros(0))
    """Nats for its end."""

    def __post_init__(self) -> None:
        """A state that was saved without them knows nothing of them."""
        for name in ("shown", "surely", "well"):
            if getattr(self, name).shape != self.fall.shape:
                setattr(self, name, np.zeros(self.fall.shape))

    @staticmethod
    def none(streams: int) -> Incidents:
        """All is well."""
        return Incidents(np.zeros(streams), np.zeros(streams), np.zeros(streams, np.bool_))

    @property
    def open(self) -> Booleans:
        """(streams,)."""
        return self.fall > 0.0

    def forget(self, streams: Booleans) -> None:
        """There has never been one of these streams."""
        for one in fields(self):
            values = getattr(self, one.name)
            setattr(self, one.name, np.where(streams, np.zeros_like(values), values))

    def begin(self, stream: int, fall: float, now: float, suspects: bool) -> None:
        """A page went out for this stream."""
        self.fall[stream], self.since[stream], self.suspects[stream] = max(fall, 0.01), now, suspects
        self.shown[stream] = self.surely[stream] = self.well[stream] = 0.0

    def heal(self, verdicts: Verdicts, reference: Reference, instruments: Instruments, noise: Floats) -> None:
        """Weigh one batch for the end of each open incident: bets against LASTING of the fall, as a CUSUM.

        Each factor is an e-value while that much lasts (`evidence.back_factors`), so it ends falsely once in
        exp(SURELY_OVER) batches at most (Shin, Ramdas & Rinaldo, arXiv 2203.03532).
        """
        slots = self.fall.size - 1
        for stream in np.flatnonzero(self.open):
            suspects = bool(self.suspects[stream])
            inside = (np.arange(slots) == stream) | (stream == slots)
            inside &= reference.slots(Series.SUSPECTS if suspects else Series.VERDICTS)
            lasts = LASTING * min(float(self.surely[stream]), float(self.fall[stream]))
            if lasts <= 0.0:
                continue
            if suspects:
                shift = lasts * instruments.signal
                stake = suspect_stake(np.full((slots, 1), shift), noise)[:, 0]
                flags = reference.flags + shift
                factors = suspect_back_factors(verdicts, flags, stake, slots)
            else:
                shift = lasts * instruments.youden
                factors = back_factors(verdicts, reference.passed - shift, shift, slots)
            self.well[stream] = max(0.0, self.well[stream] + float(factors[inside].sum()))

    def _fell(self, stream: int) -> float:
        """The fall that an open incident is held against."""
        guess = float(self.fall[stream])
        return min(max(float(self.shown[stream]), LEAST_SHOWN * guess), guess)

    def end(self, recent: Recent, now: float, mute_days: float, instruments: Instruments) -> Booleans:
        """Close what is over; returns (streams,) what was closed.

        That is when verdicts since the page say so surely, or when a mute has passed and most of the fall is gone.
        """
        closed = np.zeros(self.fall.size, np.bool_)
        for stream in np.flatnonzero(self.open):
            days = (now - self.since[stream]) / 86400.0
            suspects = bool(self.suspects[stream])
            falls = recent.falls(suspects, instruments)
            size = recent.traces if suspects else recent.weight
            overall = stream == self.fall.size - 1
            unseen = not (size.sum() if overall else size[stream]) > 0.0
            fall = float(falls @ size) / max(float(size.sum()), 1.0) if overall else float(falls[stream])
            self.shown[stream] = max(self.shown[stream], fall)
            young = days < mute_days
            if young and recent.verdicts(int(stream)) >= LEAST_VERDICTS:
                error = recent.error(suspects, int(stream), instruments)
                self.surely[stream] = max(self.surely[stream], fall - SURELY * error)
            gone = not unseen and fall < OVER * self._fell(int(stream))
            closed[stream] = days > LONGEST_DAYS or (self.well[stream] > SURELY_OVER if young else gone)
        self.fall = np.where(closed, 0.0, self.fall)
        return closed


def fell_beyond(stream: int, recent: Recent, suspects: bool, active: Booleans, scale: float) -> bool:
    """Whether a slot fell clearly more than the other `active` ones; `scale` is what a fall of 1 makes of its rate."""
    excess, noise = recent.blame(suspects)
    size = np.maximum(recent.traces if suspects else recent.weight, 1.0)
    rest = active & (np.arange(size.size) != stream)
    if not size[rest].sum() > rest.sum():
        return False  # it is all traffic
    whole = max(float(size[rest].sum()), 1.0)
    more = float(excess[stream] / size[stream] - excess[rest].sum() / whole)
    error = float(np.sqrt(noise[stream] / size[stream] ** 2 + noise[rest].sum() / whole**2 + 1e-12))
    return more > max(BEYOND * error, LEAST_BEYOND * scale)


def whose(
    streams: Booleans,
    recent: Recent,
    suspects: bool,
    active: Booleans,
    others_rose: Callable[[Booleans], float],
) -> list[int]:
    """Streams to name for candidates (slots, then overall): one cause gets one page.

    All traffic is named when it is a candidate and no segment alone explains it, when the segments beside the
    candidates fell as well, or when nothing is beside several; else the segments. `others_rose` gives the standard
    errors by which the cheap score's suspicion of all traffic beside some slots rose: where nearly nothing but that of
    a burst's stream is judged, it sees the others first. Only `active` slots are looked at: what has been paged for
    already explains nothing new.
    """
    overall = streams.size - 1
    excess, noise = (np.where(active, sums, 0.0) for sums in recent.blame(suspects))
    named = np.flatnonzero(streams[:overall])
    if streams[overall]:
        first = np.arange(overall) == int(np.argmax(excess))
        alone = excess[~first].sum() < 2.0 * np.sqrt(noise[~first].sum() + 1e-9)
        most = excess[first].sum() > 0.6 * max(excess.sum(), 1e-9)
        only = bool(alone and most) and others_rose(first) < ROSE
        return [int(np.argmax(excess))] if only else [overall]
    rest = ~streams[:overall]
    beside = recent.traces[rest & active].sum() / max(float(recent.traces[active].sum()), 1.0)
    if named.size > 1 and beside < LEAST_BESIDE:
        return [overall]
    fell = float(excess[rest].sum() / np.sqrt(noise[rest].sum() + 1e-9))
    if fell > 2.3 or (fell > 0.5 and others_rose(streams[:overall]) > ROSE):
        return [overall]
    return [int(stream) for stream in named]
