"""The tripwire: bets on the cheap score of all traffic. It never pages; it buys verdicts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Series
from ragvigil.scorer.detect.sequential.batch import Booleans, Floats, Traces, count_by, sum_by
from ragvigil.scorer.detect.sequential.betting import per_slot
from ragvigil.scorer.detect.sequential.evidence import Suspicion
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.settings import MonitorSettings

SEGMENT_TRIPS = np.array([0.08, 0.20])
OVERALL_TRIPS = np.array([0.012, 0.045])
"""Rises of the unfaithful share that are bet on."""


@dataclass(frozen=True, slots=True)
class CheapNews:
    """What one batch's cheap scores say."""

    factors: Floats
    """(streams, k) log factors of the bets."""
    rise: Floats
    """(streams,) summed suspicion beyond normal."""
    traces: Floats
    """(streams,) with a score."""
    noise: Floats
    """(streams,) variance of `rise`."""


@dataclass(slots=True)
class Tripwire:
    """CUSUM (Page 1954) of bets on the mean suspicion, per stream and size of the rise."""

    log: Floats
    """(streams, k) nats."""
    rise: Floats
    """(streams, k) summed residual since `log` left 0."""
    traces: Floats
    """(streams, k) traffic since then."""
    noise: Floats
    """(streams, k) variance of `rise`."""

    @staticmethod
    def fresh(streams: int) -> Tripwire:
        """Nothing seen yet."""
        nothing = np.zeros((streams, SEGMENT_TRIPS.size))
        return Tripwire(nothing, nothing.copy(), nothing.copy(), nothing.copy())

    def after(self, news: CheapNews) -> Tripwire:
        """The state after a batch; this one is left as it is, so that planning can look ahead."""
        log = np.maximum(0.0, self.log + news.factors)
        alive = log > 0.0
        return Tripwire(
            log,
            np.where(alive, self.rise + news.rise[:, None], 0.0),
            np.where(alive, self.traces + news.traces[:, None], 0.0),
            np.where(alive, self.noise + news.noise[:, None], 0.0),
        )

    def level(self) -> Floats:
        """(streams,) nats."""
        level: Floats = self.log.max(axis=1)
        return level

    def mean_rise(self) -> Floats:
        """(streams,) rise of the mean since the leading CUSUM left 0."""
        best = self.log.argmax(axis=1)[:, None]
        rise = np.take_along_axis(self.rise, best, axis=1)[:, 0]
        traces = np.take_along_axis(self.traces, best, axis=1)[:, 0]
        mean: Floats = rise / np.maximum(traces, 1.0)
        return mean

    def others_rose(self, named: Booleans) -> float:
        """Standard errors by which the suspicion of all traffic beside the `named` (slots,) rose, lately."""
        best = int(self.log[-1].argmax())
        rise = self.rise[-1, best] - self.rise[:-1, best][named].sum()
        noise = self.noise[-1, best] - self.noise[:-1, best][named].sum()
        return float(rise / np.sqrt(max(noise, 1e-9))) if noise > 0.0 else 0.0

    def restart(self, streams: Booleans) -> None:
        """Forget what was seen on these streams."""
        for name in ("log", "rise", "traces", "noise"):
            setattr(self, name, np.where(streams[:, None], 0.0, getattr(self, name)))


def read_cheap(
    traces: Traces,
    suspicion: Suspicion,
    active: Booleans,
    settings: MonitorSettings,
    instruments: Instruments,
    reference: Reference,
) -> CheapNews:
    """Bets on a batch's suspicion x against its normal mean m: one factor 1 + lam * sum (x - m) a conversation.

    The same bounded bets as on verdicts, so that a cheap score of any shape, however skewed, trips by chance as
    rarely as the threshold says. `active` (slots,) is what overall is summed over.
    """
    slots, separation = settings.slots, instruments.separation
    first, conversation = traces.conversations(slots)
    own_slot = traces.slot[first]
    beyond = np.where(traces.known_cheap, suspicion.plain - reference.cheap[traces.slot], 0.0)
    together = sum_by(conversation, beyond, first.size)
    known = sum_by(conversation, traces.known_cheap, first.size)
    own = reference.cheap_error + (settings.tolerance + reference.day_spread) * separation
    overall = np.full(slots, (0.5 * settings.tolerance + reference.day_spread_overall) * separation)
    found: list[Floats] = []
    for allowance, sizes in ((own, SEGMENT_TRIPS), (overall, OVERALL_TRIPS)):
        stake = sizes * separation / reference.cheap_noise[:, None]
        gain = together - known * allowance[own_slot]
        loss = known * (reference.cheap + allowance)[own_slot]
        found.append(per_slot(own_slot, gain, loss, stake, slots))
    residual = sum_by(traces.slot, beyond, slots)
    count = count_by(traces.slot[traces.known_cheap], slots)
    spread = count * reference.cheap_noise
    net, total = residual - count * own, residual - count * overall
    known_slots = reference.slots(Series.CHEAP)
    active = active & known_slots
    own_factors = np.where(known_slots[:, None], found[0], -np.inf)
    return CheapNews(
        np.vstack([own_factors, found[1][active].sum(axis=0)]),
        np.append(net, total[active].sum()),
        np.append(count, count[active].sum()),
        np.append(spread, spread[active].sum()),
    )
