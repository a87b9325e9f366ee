"""Citations and empty retrievals: no sampling, no judge, so a page within a batch or two."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats, Integers, sum_by
from ragvigil.scorer.detect.sequential.betting import per_slot
from ragvigil.scorer.detect.sequential.clock import NEVER
from ragvigil.scorer.detect.sequential.incidents import LONGEST_DAYS

BEYOND = 4.0
"""Nats above the ceiling that are kept, so that a stream is calm soon after what happened to it is over."""


@dataclass(slots=True)
class CheckCusum:
    """CUSUM (Page 1954) of bets on a rise from p to 2 p + .05, per slot and overall (last).

    One bet a conversation: where retrieval is empty for a whole conversation, its turns say one thing. The factor
    1 + lam * sum (bad - p) has mean 1 whatever the turns have to do with each other, and is Bernoulli's likelihood
    ratio for a conversation of one turn.
    """

    log: Floats
    """(slots + 1,) nats."""
    slot_step: Floats
    """(slots,) last batch's own steps: who is to blame."""
    alarmed_days: Floats
    """(slots + 1,) how long the alarm has lasted; 0 without one."""
    left: Floats = field(default_factory=lambda: np.zeros(0))
    """(slots + 1,) moment at which `log` last left 0."""
    began: Floats = field(default_factory=lambda: np.zeros(0))
    """(slots + 1,) when the last alarm's rise began."""

    def __post_init__(self) -> None:
        """A state that was saved without them knows nothing of when."""
        if self.left.shape != self.log.shape:
            self.left, self.began = np.zeros(self.log.shape), np.full(self.log.shape, NEVER)

    @staticmethod
    def fresh(slots: int) -> CheckCusum:
        """Nothing seen yet."""
        return CheckCusum(np.zeros(slots + 1), np.zeros(slots), np.zeros(slots + 1))

    def update(
        self,
        bad: Floats,
        slot: Integers,
        conversation: Integers,
        normal: Floats,
        ceiling: float,
        *,
        days: float,
        now: float,
    ) -> None:
        """Take one batch of `days` until `now`: whether each trace is bad.

        `normal` (slots,) is the usual rate, its uncertainty on top.
        """
        step = _steps(bad, slot, conversation, normal)
        self.slot_step = step[:-1]
        self.log = np.clip(self.log + step, 0.0, ceiling + BEYOND)
        self.left = np.where(self.log > 0.0, self.left, now)
        self.began = np.where(self.alarms(ceiling), self.left, self.began)
        self.alarmed_days = np.where(self.alarms(ceiling), self.alarmed_days + days, 0.0)

    def forget(self, streams: Booleans) -> None:
        """Know nothing of these streams (slots, then overall)."""
        for name, fresh in (("log", 0.0), ("alarmed_days", 0.0), ("left", 0.0), ("began", NEVER)):
            setattr(self, name, np.where(streams, fresh, getattr(self, name)))
        self.slot_step = np.where(streams[:-1], 0.0, self.slot_step)

    def calm(self, ceiling: float) -> Booleans:
        """(slots + 1,) which streams have shown that they are well again: by half of the ceiling at least."""
        return self.log <= 0.5 * ceiling

    def alarms(self, ceiling: float) -> Booleans:
        """(slots + 1,) which streams are beyond doubt."""
        return self.log > ceiling

    def explains(self, earliest: Floats, latest: Floats) -> Booleans:
        """(slots + 1,) which falls that began between those moments began with an alarm of theirs or of all traffic."""
        own = (earliest <= self.began) & (self.began <= latest)
        overall = (earliest <= self.began[-1]) & (self.began[-1] <= latest)
        explained: Booleans = own | overall
        return explained

    def disturbed(self) -> Booleans:
        """(slots,) not to be learned from: in alarm, or all traffic is, for less than what is normal by then."""
        lately = (self.alarmed_days > 0.0) & (self.alarmed_days < LONGEST_DAYS)
        disturbed: Booleans = lately[:-1] | lately[-1]
        return disturbed


def _steps(bad: Floats, slot: Integers, conversation: Integers, normal: Floats) -> Floats:
    """(slots + 1,) nats of a batch; a conversation that visits several slots is one bet of all traffic.

    Conversations are codes from 0 on, as in `Traces`.
    """
    slots = normal.size
    worse = np.minimum(2.0 * normal + 0.05, 0.97)
    stake = (worse - normal) / (normal * (1.0 - normal))
    _, first, own = np.unique(conversation * slots + slot, return_index=True, return_inverse=True)
    gain, loss = bad - normal[slot], normal[slot]
    each = per_slot(
        slot[first], sum_by(own, gain, first.size), sum_by(own, loss, first.size), stake[:, None], slots
    )
    size = int(conversation.max(initial=-1)) + 1
    won = sum_by(conversation, stake[slot] * gain, size)
    lost = sum_by(conversation, stake[slot] * loss, size)
    total = per_slot(np.zeros(size, np.int64), won, lost, np.ones((1, 1)), 1)
    return np.append(each[:, 0], total[0, 0])
