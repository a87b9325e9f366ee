"""Citations and empty retrievals: no sampling, no judge, so a page within a batch or two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats

OVERALL = -1
"""Row of all traffic."""


@dataclass(slots=True)
class CheckCusum:
    """Bernoulli CUSUM (Page 1954) for a rise from p to 2 p + .05, per slot and overall (last)."""

    log: Floats
    """(slots + 1,) nats."""
    slot_step: Floats
    """(slots,) last batch's own steps: who is to blame."""

    @staticmethod
    def fresh(slots: int) -> CheckCusum:
        """Nothing seen yet."""
        return CheckCusum(np.zeros(slots + 1), np.zeros(slots))

    def update(self, bad: Floats, n: Floats, normal: Floats, ceiling: float) -> None:
        """Take one batch: bad of n per slot; `normal` (slots,) the usual rate, uncertainty on top."""
        worse = np.minimum(2.0 * normal + 0.05, 0.97)
        step = bad * np.log(worse / normal) + (n - bad) * np.log((1.0 - worse) / (1.0 - normal))
        self.slot_step = step
        self.log = np.clip(self.log + np.append(step, step.sum()), 0.0, 4.0 * ceiling)

    def alarms(self, ceiling: float) -> Booleans:
        """(slots + 1,) which streams are beyond doubt."""
        return self.log > ceiling

    def restart(self, streams: Booleans) -> None:
        """Forget what was seen on these streams."""
        self.log = np.where(streams, 0.0, self.log)
