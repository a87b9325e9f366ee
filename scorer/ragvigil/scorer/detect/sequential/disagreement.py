"""When is a cheap score that moved alone worth a ticket: when it did so again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats
from ragvigil.scorer.detect.sequential.clock import NEVER

WEEK = 7 * 86400.0
ENOUGH = 3.0
"""Bursts within about a week in which the judge saw nothing; chance alone brings one."""
DRIFTED = 0.03
"""Share of unfaithful answers that the usual errors may look like under a cheap score that moved."""
OUTLIVED = 4 * WEEK
"""Seconds until what is normal has been seen with the score as it is now."""


@dataclass(slots=True)
class Disagreement:
    """Bursts that the judge did not confirm, per stream, fading over a week."""

    count: Floats
    """(streams,)."""
    moved: Floats
    """(streams,) sum of what the cheap score moved by without the judge, as a change of mean suspicion."""
    seen: Floats
    """(streams,) when the last one was, seconds."""
    told: float = NEVER
    """When the last ticket was written; one says it for all streams for a week."""

    @staticmethod
    def fresh(streams: int) -> Disagreement:
        """Nothing seen yet."""
        return Disagreement(np.zeros(streams), np.zeros(streams), np.full(streams, NEVER))

    def bar(self, now: float) -> Floats:
        """(streams,) nats that a burst has to show beyond the usual, the nth of those that came to nothing 2 ln n.

        Each burst may end in a false candidate. Spent as 1/n^2, the chance of many is not twice that of one, however
        often a cheap score that moved opens them.
        """
        keep = np.exp(-np.maximum(0.0, now - self.seen) / WEEK)
        nats: Floats = 2.0 * np.log1p(keep * self.count)
        return nats

    def forget(self, streams: Booleans) -> None:
        """There has been no burst on these streams."""
        self.count, self.moved = (np.where(streams, 0.0, values) for values in (self.count, self.moved))
        self.seen = np.where(streams, NEVER, self.seen)

    def drifted(self, now: float) -> float:
        """By what share of unfaithful answers the suspects' verdicts may be off, because the cheap score moved."""
        return DRIFTED if now - self.told <= OUTLIVED else 0.0

    def add(self, stream: int, change: float, now: float) -> bool:
        """Note a burst that ended so; whether it is time for a ticket about this stream."""
        keep = float(np.exp(-max(0.0, now - self.seen[stream]) / WEEK))
        self.count[stream] = keep * self.count[stream] + (1.0 if change > 0.0 else 0.0)
        self.moved[stream] = keep * self.moved[stream] + change
        self.seen[stream] = now
        if self.count[stream] < ENOUGH - 0.5 or now - self.told < WEEK:
            return False
        self.told = now
        return True
