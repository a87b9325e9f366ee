"""A burst: more verdicts for one stream while a suspicion is cleared up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats

SIZES = np.array([0.35, 0.7, 1.2])
"""Bets on the fall, relative to what the cheap score shows, which is too much just when it trips."""
FUTILE = -3.0
"""Log of the stake at which the judge has disagreed."""


@dataclass(slots=True)
class Burst:
    """Opened by the cheap score (`suspects`: verdicts where it suspects) or by the judge's own (everywhere)."""

    stream: int
    suspects: bool
    opened: float
    """Seconds."""
    fall: float
    """Fall of the faithful share that the cheap score shows."""
    log: Floats
    """(3,) log stake of each of SIZES."""
    spent: float = 0.0
    """Verdicts beyond the base."""
    excess: float = 0.0
    """Sum of u less its normal mean, over the batches after the first."""
    noise: float = 0.0
    """Its variance."""
    traces: float = 0.0
    fresh: bool = True
    """Whether the batch that opened it is the current one."""

    def level(self) -> float:
        """Log of the mean stake."""
        return float(np.logaddexp.reduce(self.log) - np.log(self.log.size))

    def judged_fall(self, signal: float) -> tuple[float, float]:
        """(fall of the faithful share that the judge saw, its standard error); `signal` is u per unit of fall."""
        scale = max(self.traces, 1.0) * signal
        return self.excess / scale, float(np.sqrt(self.noise + 1e-9)) / scale
