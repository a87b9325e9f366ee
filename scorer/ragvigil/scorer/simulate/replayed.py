"""A service's own traffic, repeated for as long as it takes, with planted faults."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Batch, GoldSet
from ragvigil.scorer.simulate.fault import Fault, nearest_to_a_twentieth, worst_small
from ragvigil.scorer.simulate.instruments import Booleans, Hidden, asked
from ragvigil.scorer.simulate.recorded import Recorded, recorded_leniency, still_passed
from ragvigil.scorer.simulate.repetition import repeated
from ragvigil.scorer.simulate.scenario import DAY, Scenario
from ragvigil.scorer.simulate.stretch import Integers, Stretch
from ragvigil.scorer.simulate.world import Floats, World

_STRANGERS = 1 << 50
"""Codes of conversations that a shift of the mix brings, beyond any of the stretch's."""


def world_of(stretch: Stretch, answers: Recorded, *, batch_seconds: float = 1800.0) -> World:
    """What the rules are told of a replayed service; all else comes from the stretch itself."""
    return World(
        traces_per_day=stretch.traces_per_day,
        batch_seconds=batch_seconds,
        segments=stretch.segments,
        gold_faithful=answers.faithful,
        gold_unfaithful=answers.unfaithful,
    )


class Replayed:
    """A stretch over and over, drawn anew by conversation each time; each seed is another draw.

    What chance, or a fault, there was in the stretch comes back with it, day for day. A planted fault replaces answers
    by `answers` that people labelled unfaithful; the truth of all others is not known, and counts as faithful.
    """

    def __init__(
        self,
        world: World,
        scenario: Scenario,
        seed: int,
        *,
        days: int,  # noqa: ARG002 - the port's name: a replay is as long as it is asked for
        change: float,
        stretch: Stretch,
        answers: Recorded,
    ) -> None:
        """`change` is when the fault begins, seconds from the start; `world` is `world_of` the stretch."""
        self.world, self.scenario, self.change = world, scenario, change
        self._stretch, self._answers, self._seed = stretch, answers, seed
        self._random = np.random.default_rng([seed, 1])
        shares = np.bincount(stretch.segment, minlength=stretch.segments) / stretch.segment.size
        self.fault_segment = nearest_to_a_twentieth(shares)
        self._growing = np.flatnonzero(stretch.segment == worst_small(shares, _failing(stretch)))
        self._repetition, self._number = repeated(stretch, seed, 0), 0
        self._strangers = _STRANGERS

    def gold(self) -> GoldSet:
        """As many answers as the world says, drawn from those recorded."""
        world, answers, random = self.world, self._answers, self._random
        truth = np.arange(world.gold_faithful + world.gold_unfaithful) < world.gold_faithful
        cheap, passed = answers.cheap(truth, truth, random)
        return GoldSet(truth.astype(np.float64), passed, cheap)

    def active(self, time: float) -> bool:
        """Whether the fault is there at `time`."""
        return self._fault.active(time)

    def batch(self, start: float, end: float) -> tuple[Batch, Hidden]:
        """The traces of [start, end), before anything is judged, and what is known of their truth."""
        stretch, scenario, random = self._stretch, self.scenario, self._random
        row, time, conversation = self._mixed(*self._repeated(start, end), start, end)
        segment, cheap = stretch.segment[row], stretch.cheap[row]
        affected = self._fault.affected(time)
        planted = np.isfinite(cheap) & (random.random(row.size) < self._fault.added(segment, time))
        looks, shared = self._answers.cheap(~planted, ~planted | scenario.blind, random)
        shared = np.where(planted, shared, np.maximum(stretch.passed[row], 0))
        cheap = np.where(planted, looks, cheap)
        cheap = self._fault.lowered(cheap, time)
        citation, documents = stretch.citation_ok[row], stretch.documents[row]
        bad = affected & (random.random(row.size) < scenario.bad_citations)
        empty = affected & (random.random(row.size) < scenario.empty_retrievals)
        batch = Batch(
            start,
            end,
            time,
            segment,
            conversation,
            cheap,
            np.where(bad & np.isfinite(citation), 0.0, citation),
            np.where(empty, 0.0, documents),
            judge_version=self._fault.judge_version(start),
        )
        return batch, Hidden(~planted, recorded_leniency(shared, random), segment)

    def verdicts(self, hidden: Hidden, time: float, *, again: bool = False) -> npt.NDArray[np.int64]:
        """What the judge said, or would have; asked `again`, it flips a few."""
        drop = self._fault.sensitivity_drop(time)
        passed: Booleans = still_passed(hidden, drop / self._stretch.pass_rate)
        return asked(passed, self.world.flip, self._random, again=again)

    @property
    def _fault(self) -> Fault:
        return Fault(self.scenario, self.change, self.fault_segment)

    def _repeated(self, start: float, end: float) -> tuple[Integers, Floats, Integers]:
        """(row of the stretch, time, conversation) of the traces in [start, end), all being well."""
        length = self._stretch.days * DAY
        parts: list[tuple[Integers, Floats, Integers]] = []
        for number in range(int(start // length), int(np.ceil(end / length))):
            if number != self._number:
                self._repetition, self._number = repeated(self._stretch, self._seed, number), number
            began = number * length
            row, time, conversation = self._repetition.between(start - began, end - began)
            parts.append((row, time + began, conversation))
        row, time, conversation = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return row.astype(np.int64), time, conversation.astype(np.int64)

    def _mixed(
        self, row: Integers, time: Floats, conversation: Integers, start: float, end: float
    ) -> tuple[Integers, Floats, Integers]:
        """The same traces after what the scenario does to their number."""
        scenario, random = self.scenario, self._random
        if not self.active(start) or (scenario.volume == 1.0 and not scenario.mix_shift):
            return row, time, conversation
        kept = random.random(row.size) < scenario.volume * (1.0 - scenario.mix_shift)
        come = int(random.poisson(scenario.mix_shift * row.size))
        strangers = self._strangers + np.arange(come)
        self._strangers += come
        return (
            np.r_[row[kept], random.choice(self._growing, come)],
            np.r_[time[kept], random.uniform(start, end, come)],
            np.r_[conversation[kept], strangers],
        )


def _failing(stretch: Stretch) -> Floats:
    """(segments,) share that the judge fails."""
    known = stretch.passed >= 0
    count = np.bincount(stretch.segment[known], minlength=stretch.segments)
    failed = np.bincount(stretch.segment[known], stretch.passed[known] == 0, stretch.segments)
    return failed / np.maximum(count, 1)
