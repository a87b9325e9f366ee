"""Batches of simulated traces with their hidden truth."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Batch, GoldSet
from ragvigil.scorer.simulate.scenario import DAY, Scenario
from ragvigil.scorer.simulate.world import Floats, Service, Shape, World, draw_service

_CHEAP_MEAN, _CHEAP_SPREAD = 0.76, 0.16


@dataclass(frozen=True, slots=True)
class Hidden:
    """What only the simulation knows about the traces of a batch."""

    faithful: npt.NDArray[np.bool_]
    leniency: Floats
    """Standard normal; the judge passes an answer above a threshold that depends on its truth and segment."""
    segment: npt.NDArray[np.int64]

    def take(self, chosen: npt.NDArray[np.bool_] | npt.NDArray[np.int64]) -> Hidden:
        """The traces that were chosen."""
        return Hidden(self.faithful[chosen], self.leniency[chosen], self.segment[chosen])

    @staticmethod
    def join(parts: list[Hidden]) -> Hidden:
        """All parts in one."""
        return Hidden(
            np.concatenate([part.faithful for part in parts]),
            np.concatenate([part.leniency for part in parts]),
            np.concatenate([part.segment for part in parts]),
        )


class Traffic:
    """The traffic of one service under one scenario; the same seed gives the same traces."""

    def __init__(self, world: World, scenario: Scenario, seed: int, *, days: int, change: float) -> None:
        """`change` is when the scenario's fault begins, seconds from the start."""
        self.world, self.scenario, self.change = world, scenario, change
        self._random = np.random.default_rng([seed, 1])
        self.service: Service = draw_service(world, np.random.default_rng([seed, 2]), days)
        self.fault_segment = int(np.argmin(np.abs(self.service.shares - 0.05)))
        small = np.flatnonzero(self.service.shares < 0.5 / world.segments)
        worst = small if small.size else np.arange(world.segments)
        self._growing = int(worst[np.argmax(self.service.unfaithful[worst])])
        self._conversations = 0

    def gold(self) -> GoldSet:
        """Human labels with verdicts: so many of each kind as the world says, over all segments."""
        faithful, unfaithful = self.world.gold_faithful, self.world.gold_unfaithful
        truth = np.arange(faithful + unfaithful) < faithful
        drawn = self._random.choice(self.world.segments, truth.size, p=self.service.shares)
        segment = np.asarray(drawn, dtype=np.int64)
        cheap, noise = self._cheap(truth, np.zeros(truth.size))
        hidden = Hidden(truth, self._leniency(noise), segment)
        return GoldSet(truth.astype(np.float64), self.verdicts(hidden, -1.0), cheap)

    def active(self, time: float) -> bool:
        """Whether the fault is there at `time`."""
        return self.change <= time < self.change + self.scenario.lasts_days * DAY

    def batch(self, start: float, end: float) -> tuple[Batch, Hidden]:
        """The traces of [start, end), before anything is judged, and their truth."""
        world, scenario, service, random = self.world, self.scenario, self.service, self._random
        active = self.active(start)
        middle = (start + end) / 2.0
        shares = service.shares
        if active and scenario.mix_shift:
            shares = shares * (1.0 - scenario.mix_shift)
            shares[self._growing] += scenario.mix_shift
        rate = world.traces_per_day * _cycle(world, middle) * (scenario.volume if active else 1.0)
        counts = random.poisson(rate * (end - start) / DAY * shares)
        segment = np.repeat(np.arange(world.segments), counts)
        size = segment.size
        opens = random.random(size) < 1.0 / world.turns
        opens[np.r_[0, np.cumsum(counts)[:-1]][counts > 0]] = True
        conversation = np.cumsum(opens) + self._conversations
        self._conversations += int(opens.sum())
        time = random.uniform(start, end, size)
        base, extra = self._unfaithful(segment, time, int(start // DAY))
        rate_of = base + extra
        first = np.flatnonzero(opens)
        concentration = 1.0 / world.cluster - 1.0
        mean = np.clip(rate_of[first], 1e-6, 1.0 - 1e-6)
        chance = random.beta(mean * concentration, (1.0 - mean) * concentration)[np.cumsum(opens) - 1]
        faithful = random.random(size) >= chance
        looks_faithful = faithful | (scenario.blind & (random.random(size) * rate_of < extra))
        drop = np.where(self._affected(time), scenario.cheap_drop, 0.0)
        cheap, noise = self._cheap(looks_faithful, drop)
        affected = self._affected(time)
        bad_citation = random.random(size) < world.bad_citations + affected * scenario.bad_citations
        empty = random.random(size) < world.empty_retrievals + affected * scenario.empty_retrievals
        documents = np.where(empty, 0, random.integers(3, 9, size))
        version = "judge-2" if active and scenario.version_change else "judge-1"
        batch = Batch(
            start, end, time, segment, conversation, cheap, ~bad_citation, documents, judge_version=version
        )
        return batch, Hidden(faithful, self._leniency(noise), segment)

    def verdicts(self, hidden: Hidden, time: float, *, again: bool = False) -> npt.NDArray[np.int64]:
        """What the judge says at `time`; asked `again`, it flips a few."""
        world = self.world
        drop = self.scenario.sensitivity_drop if self.active(time) else 0.0
        strict = np.array([NormalDist().inv_cdf(1.0 - s + drop) for s in self.service.sensitivity])
        lax = NormalDist().inv_cdf(world.specificity)
        passed = hidden.leniency > np.where(hidden.faithful, strict[hidden.segment], lax)
        if again:
            passed ^= self._random.random(passed.size) < world.flip
        return passed.astype(np.int64)

    def _affected(self, time: Floats) -> npt.NDArray[np.bool_]:
        return (time >= self.change) & (time < self.change + self.scenario.lasts_days * DAY)

    def _unfaithful(self, segment: npt.NDArray[np.int64], time: Floats, day: int) -> tuple[Floats, Floats]:
        """(base, added) probability of an unfaithful answer, per trace."""
        scenario, service = self.scenario, self.service
        wobble = service.wobble[min(day, len(service.wobble) - 1)]
        odds = service.unfaithful / (1.0 - service.unfaithful) * np.exp(wobble)
        base = (odds / (1.0 + odds))[segment]
        grown = (
            (time - self.change) / (scenario.ramp_days * DAY) if scenario.ramp_days else np.ones(time.size)
        )
        extra = np.where(self._affected(time), scenario.faithful_drop * np.clip(grown, 0.0, 1.0), 0.0)
        if scenario.one_segment:
            extra = np.where(segment == self.fault_segment, extra, 0.0)
        return base, extra

    def _cheap(self, looks_faithful: npt.NDArray[np.bool_], drop: Floats) -> tuple[Floats, Floats]:
        """(cheap score, its noise in standard deviations)."""
        noise = self._random.normal(size=looks_faithful.size)
        shift = np.where(looks_faithful, 0.0, self.world.cheap_gap)
        return np.clip(shaped(noise - shift, self.world.cheap_shape) - drop, 0.0, 1.0), noise

    def _leniency(self, noise: Floats) -> Floats:
        shared = self.world.shared_noise
        own = self._random.normal(size=noise.size)
        leniency: Floats = shared * noise + (1.0 - shared**2) ** 0.5 * own
        return leniency


def shaped(score: Floats, shape: Shape) -> Floats:
    """The cheap score in [0, 1] for a standard normal one.

    >>> [float(shaped(np.zeros(1), shape).round(2)[0]) for shape in ("bell", "uniform", "binary", "skewed")]
    [0.76, 0.5, 0.99, 0.92]
    """
    if shape == "bell":
        return np.clip(_CHEAP_MEAN + _CHEAP_SPREAD * score, 0.0, 1.0)
    logistic = 1.0 / (1.0 + np.exp(-np.clip(1.702 * score, -30.0, 30.0)))
    if shape == "uniform":
        return logistic
    if shape == "binary":
        return 1.0 / (1.0 + np.exp(-np.clip(6.0 * (score + 0.8), -30.0, 30.0)))
    if shape == "skewed":
        return logistic**0.12
    return 0.6 + 0.4 * logistic


def _cycle(world: World, time: float) -> float:
    """Traffic relative to its weekly mean; the first day is a Monday."""
    day = int(time // DAY) % 7
    week = (5.0 + 2.0 * world.weekend) / 7.0
    level = (world.weekend if day >= 5 else 1.0) / week
    return float(level * (1.0 - world.daily_cycle * np.cos(2.0 * np.pi * (time % DAY) / DAY)))
