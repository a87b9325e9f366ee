"""A weighted pass rate that forgets: the sums behind an estimate, fading over some days."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.estimate import Calibration, Estimate, portable_level, rate
from ragvigil.scorer.monitoring import Sums


@dataclass(slots=True)
class DecayingRate:
    """Sums over verdicts V with weight w = 1/pi, each fading with `memory` days."""

    memory: float
    n: float = 0.0
    w: float = 0.0
    wx: float = 0.0
    w2: float = 0.0
    w2x: float = 0.0

    def update(self, chance: Floats, passed: Floats, days: float) -> None:
        """Take the verdicts of one batch that covers `days`; `chance` in (0, 1] is how they were chosen."""
        keep = float(np.exp(-days / self.memory))
        weight = 1.0 / np.maximum(chance, 1e-3)
        news = (chance.size, weight.sum(), weight @ passed, weight @ weight, (weight**2) @ passed)
        for name, new in zip(("n", "w", "wx", "w2", "w2x"), news, strict=True):
            setattr(self, name, keep * getattr(self, name) + float(new))

    def judged(self) -> Estimate | None:
        """The pass rate; None below 20 verdicts."""
        return rate(Sums(n=round(self.n), w=self.w, wx=self.wx, w2=self.w2, w2x=self.w2x, w2x2=self.w2x))

    def level(self, calibration: Calibration) -> Estimate | None:
        """The faithful share, corrected for the judge's errors; None where there is no number."""
        judged = self.judged()
        found = None if judged is None else portable_level(judged, calibration)
        return found if isinstance(found, Estimate) else None
