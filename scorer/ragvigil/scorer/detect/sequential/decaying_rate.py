"""A weighted pass rate that forgets: the sums behind an estimate, fading over some days."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.estimate import Calibration, Estimate, portable_level, rate
from ragvigil.scorer.estimate.result import widened
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
    lost: float = 0.0
    """Verdicts that never came."""
    lost_w: float = 0.0
    lost_w2: float = 0.0

    def update(self, chance: Floats, passed: Floats, days: float, lost: Floats) -> None:
        """Take the verdicts of one batch that covers `days`; `chance` in (0, 1] is how they were chosen, `lost` how
        those were that never came."""
        keep = float(np.exp(-days / self.memory))
        weight, other = 1.0 / np.maximum(chance, 1e-3), 1.0 / np.maximum(lost, 1e-3)
        news: dict[str, float] = {
            "n": chance.size,
            "w": float(weight.sum()),
            "wx": float(weight @ passed),
            "w2": float(weight @ weight),
            "w2x": float((weight**2) @ passed),
            "lost": lost.size,
            "lost_w": float(other.sum()),
            "lost_w2": float(other @ other),
        }
        for name, new in news.items():
            setattr(self, name, keep * getattr(self, name) + new)

    def judged(self) -> Estimate | None:
        """The pass rate, with both fates of those that never came; None below 20 verdicts."""
        found = self._rate(self.n, 0.0, 0.0)
        if found is None or round(self.lost) < 1:
            return found
        lowest, highest = (self._rate(self.n + self.lost, 1.0, fate) for fate in (0.0, 1.0))
        return found if lowest is None or highest is None else widened(found, lowest, highest)

    def _rate(self, n: float, lost: float, fate: float) -> Estimate | None:
        """The rate when those `lost` are counted (1) and had that `fate`."""
        w, w2 = self.w + lost * self.lost_w, self.w2 + lost * self.lost_w2
        wx, w2x = self.wx + lost * fate * self.lost_w, self.w2x + lost * fate * self.lost_w2
        return rate(Sums(n=round(n), w=w, wx=wx, w2=w2, w2x=w2x, w2x2=w2x))

    def level(self, calibration: Calibration) -> Estimate | None:
        """The faithful share, corrected for the judge's errors; None where there is no number."""
        judged = self.judged()
        found = None if judged is None else portable_level(judged, calibration)
        return found if isinstance(found, Estimate) else None
