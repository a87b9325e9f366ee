"""Citations and empty retrievals: no sampling, no judge, so a page within a batch or two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats
from ragvigil.scorer.detect.sequential.incidents import LONGEST_DAYS

BEYOND = 4.0
"""Nats above the ceiling that are kept, so that a stream is calm soon after what happened to it is over."""


@dataclass(slots=True)
class CheckCusum:
    """Bernoulli CUSUM (Page 1954) for a rise from p to 2 p + .05, per slot and overall (last)."""

    log: Floats
    """(slots + 1,) nats."""
    slot_step: Floats
    """(slots,) last batch's own steps: who is to blame."""
    alarmed_days: Floats
    """(slots + 1,) how long the alarm has lasted; 0 without one."""

    @staticmethod
    def fresh(slots: int) -> CheckCusum:
        """Nothing seen yet."""
        return CheckCusum(np.zeros(slots + 1), np.zeros(slots), np.zeros(slots + 1))

    def update(self, bad: Floats, n: Floats, normal: Floats, ceiling: float, days: float) -> None:
        """Take one batch of `days`: bad of n per slot; `normal` (slots,) the usual rate, uncertainty on top."""
        worse = np.minimum(2.0 * normal + 0.05, 0.97)
        step = bad * np.log(worse / normal) + (n - bad) * np.log((1.0 - worse) / (1.0 - normal))
        self.slot_step = step
        self.log = np.clip(self.log + np.append(step, step.sum()), 0.0, ceiling + BEYOND)
        self.alarmed_days = np.where(self.alarms(ceiling), self.alarmed_days + days, 0.0)

    def alarms(self, ceiling: float) -> Booleans:
        """(slots + 1,) which streams are beyond doubt."""
        return self.log > ceiling

    def disturbed(self) -> Booleans:
        """(slots,) not to be learned from: in alarm, or all traffic is, for less than what is normal by then."""
        lately = (self.alarmed_days > 0.0) & (self.alarmed_days < LONGEST_DAYS)
        disturbed: Booleans = lately[:-1] | lately[-1]
        return disturbed
