"""Batches of simulated traces with their hidden truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Batch, GoldSet
from ragvigil.scorer.simulate.fault import Fault, nearest_to_a_twentieth, worst_small
from ragvigil.scorer.simulate.instruments import Bell, Hidden, Instruments, asked
from ragvigil.scorer.simulate.scenario import DAY, Scenario
from ragvigil.scorer.simulate.world import Floats, Service, World, draw_service


class Traffic:
    """The traffic of one service under one scenario; the same seed gives the same traces."""

    def __init__(
        self,
        world: World,
        scenario: Scenario,
        seed: int,
        *,
        days: int,
        change: float,
        instruments: Instruments | None = None,
    ) -> None:
        """`change` is when the scenario's fault begins, seconds from the start; `instruments` None: the world's."""
        self.world, self.scenario, self.change = world, scenario, change
        self._random = np.random.default_rng([seed, 1])
        self.service: Service = draw_service(world, np.random.default_rng([seed, 2]), days)
        self._instruments: Instruments = instruments or Bell(world, self.service)
        self.fault_segment = nearest_to_a_twentieth(self.service.shares)
        self._growing = worst_small(self.service.shares, self.service.unfaithful)
        self._conversations = 0

    def gold(self) -> GoldSet:
        """Human labels with verdicts: so many of each kind as the world says, over all segments."""
        faithful, unfaithful = self.world.gold_faithful, self.world.gold_unfaithful
        truth = np.arange(faithful + unfaithful) < faithful
        drawn = self._random.choice(self.world.segments, truth.size, p=self.service.shares)
        cheap, shared = self._instruments.cheap(truth, truth, self._random)
        hidden = Hidden(
            truth, self._instruments.leniency(shared, self._random), np.asarray(drawn, dtype=np.int64)
        )
        return GoldSet(truth.astype(np.float64), self.verdicts(hidden, -1.0), cheap)

    def active(self, time: float) -> bool:
        """Whether the fault is there at `time`."""
        return self._fault.active(time)

    def batch(self, start: float, end: float) -> tuple[Batch, Hidden]:
        """The traces of [start, end), before anything is judged, and their truth."""
        world, scenario, random = self.world, self.scenario, self._random
        counts = self._counts(start, end)
        segment = np.repeat(np.arange(world.segments), counts)
        size = segment.size
        opens = random.random(size) < 1.0 / world.turns
        opens[np.r_[0, np.cumsum(counts)[:-1]][counts > 0]] = True
        nth = np.cumsum(opens) - 1
        conversation = nth + 1 + self._conversations
        self._conversations += int(opens.sum())
        time = random.uniform(start, end, size)
        added = self._fault.added(segment, time)
        rate_of = self._base(segment, int(start // DAY)) + added
        first = np.flatnonzero(opens)
        concentration = 1.0 / world.cluster - 1.0
        mean = np.clip(rate_of[first], 1e-6, 1.0 - 1e-6)
        chance = random.beta(mean * concentration, (1.0 - mean) * concentration)[nth]
        faithful = random.random(size) >= chance
        looks_faithful = faithful | (scenario.blind & (random.random(size) * rate_of < added))
        affected = self._fault.affected(time)
        cheap, shared = self._instruments.cheap(faithful, looks_faithful, random)
        cheap = self._fault.lowered(cheap, time)
        bad_citation = self._happens(world.bad_citations + affected * scenario.bad_citations, nth)
        empty = self._happens(world.empty_retrievals + affected * scenario.empty_retrievals, nth)
        documents = np.where(empty, 0, random.integers(3, 9, size))
        batch = Batch(
            start,
            end,
            time,
            segment,
            conversation,
            cheap,
            ~bad_citation,
            documents,
            judge_version=self._fault.judge_version(start),
        )
        return batch, Hidden(faithful, self._instruments.leniency(shared, random), segment)

    def verdicts(self, hidden: Hidden, time: float, *, again: bool = False) -> npt.NDArray[np.int64]:
        """What the judge says at `time`; asked `again`, it flips a few."""
        passed = self._instruments.passed(hidden, self._fault.sensitivity_drop(time))
        return asked(passed, self.world.flip, self._random, again=again)

    @property
    def _fault(self) -> Fault:
        return Fault(self.scenario, self.change, self.fault_segment)

    def _happens(
        self, rate: npt.NDArray[np.floating[Any]], conversation: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_]:
        """(n,) what happens to a trace with probability `rate`, or, so often as the world says, to a conversation."""
        random, whole = self._random, self.world.whole_conversations
        alone = random.random(rate.size)
        if whole == 0.0 or not rate.size:
            return alone < rate
        conversations = int(conversation[-1]) + 1
        shared = random.random(conversations)[conversation]
        return np.where((random.random(conversations) < whole)[conversation], shared, alone) < rate

    def _counts(self, start: float, end: float) -> npt.NDArray[np.int64]:
        """(segments,) traces of [start, end)."""
        world, scenario, shares = self.world, self.scenario, self.service.shares
        active = self.active(start)
        if active and scenario.mix_shift:
            shares = shares * (1.0 - scenario.mix_shift)
            shares[self._growing] += scenario.mix_shift
        volume = scenario.volume if active else 1.0
        rate = world.traces_per_day * _cycle(world, (start + end) / 2.0) * volume
        return self._random.poisson(rate * (end - start) / DAY * shares)

    def _base(self, segment: npt.NDArray[np.int64], day: int) -> Floats:
        """(n,) probability of an unfaithful answer, all being well."""
        service = self.service
        wobble = service.wobble[min(day, len(service.wobble) - 1)]
        odds = service.unfaithful / (1.0 - service.unfaithful) * np.exp(wobble)
        base: Floats = (odds / (1.0 + odds))[segment]
        return base


def _cycle(world: World, time: float) -> float:
    """Traffic relative to its weekly mean; the first day is a Monday."""
    day = int(time // DAY) % 7
    week = (5.0 + 2.0 * world.weekend) / 7.0
    level = (world.weekend if day >= 5 else 1.0) / week
    return float(level * (1.0 - world.daily_cycle * np.cos(2.0 * np.pi * (time % DAY) / DAY)))
