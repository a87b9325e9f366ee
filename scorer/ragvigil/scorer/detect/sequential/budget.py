"""Who is judged: an even base, and what is saved for bursts and canaries. Never more than the budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats, Integers, count_by

SAVED_DAYS = 3.0
SAVED_CALLS = 3000.0
PRUDENCE = 0.99
"""Part of the budget that is planned with, so that chance does not overdraw it."""
SAVED_ENOUGH = 0.75
"""Part of the most that may be saved from which on the rest is spent where the cheap score suspects."""
LEAST_CHANCE = 0.01
"""Every trace has it: what is never looked at can never be known."""


@dataclass(slots=True)
class Budget:
    """Calls that may be spent now, of `share` of all traffic."""

    share: float
    base_share: float
    credit: float = 0.0
    """Calls earned and not spent; the traffic so far times `share` less what was judged, capped."""
    traces_per_day: float = 0.0

    def allow(self, share: float, base_share: float) -> None:
        """Go by another budget from now on; what was saved stays, as far as so much may be saved."""
        self.share, self.base_share = share, base_share
        self.credit = min(self.credit, self.most)

    def earn(self, traces: int, days: float) -> None:
        """Traffic came: earn its share."""
        if days > 0.0:
            keep = np.exp(-days / 2.0)
            seen = traces / days
            first = self.traces_per_day == 0.0
            self.traces_per_day = float(seen if first else keep * self.traces_per_day + (1.0 - keep) * seen)
        self.credit = min(self.credit + PRUDENCE * self.share * traces, self.most)

    @property
    def most(self) -> float:
        """Calls that may be saved."""
        saved = self.share * (1.0 - self.base_share) * SAVED_DAYS * self.traces_per_day
        return max(SAVED_CALLS, saved)

    def surplus(self, traces: int, credit: float) -> float:
        """Calls of a batch of `traces` that need not be saved, when `credit` would be left after it."""
        spare = self.share * (1.0 - self.base_share) * traces
        return max(0.0, min(2.0 * spare, credit - SAVED_ENOUGH * self.most))

    def spend(self, calls: int) -> None:
        """Calls were made, canaries included; a debt is no larger than what may be saved."""
        self.credit = max(self.credit - calls, -self.most)

    def base(self, slot: Integers, shares: Floats) -> Floats:
        """Base inclusion probability per trace: square-root allocation over segments, even within each.

        Small segments are judged more than their share, large ones less; the expected total stays at the base
        part of the budget, and below it while there are debts.
        """
        if slot.size == 0:
            return np.zeros(0)
        rate = self.share * self.base_share * (0.6 if self.credit < 0.0 else 1.0)
        counts = count_by(slot, shares.size)
        mixed = (counts + 500.0 * shares) / (slot.size + 500.0)
        allocation = np.sqrt(np.maximum(mixed, 1e-9))
        allocation = allocation / allocation.sum()
        chance: Floats = np.clip(rate * allocation / np.maximum(mixed, 1e-9), min(LEAST_CHANCE, rate), 1.0)
        expected = float(counts @ chance)
        chance = chance * min(1.0, rate * slot.size / max(expected, 1e-9))
        return chance[slot]


def raise_chances(base: Floats, wish: Floats, calls: float) -> Floats:
    """Inclusion probabilities between `base` and min(1, `wish`), scaled so that at most `calls` are added."""
    wanted = np.maximum(base, np.minimum(1.0, wish))
    if calls <= 0.0:
        return base
    if float((wanted - base).sum()) <= calls:
        return wanted
    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2.0
        extra = float((np.maximum(base, np.minimum(1.0, middle * wish)) - base).sum())
        low, high = (middle, high) if extra <= calls else (low, middle)
    return np.maximum(base, np.minimum(1.0, low * wish))
