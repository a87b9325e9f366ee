"""The level itself, for those who have an SLO: low is low, whatever a baseline has got used to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.settings import DAY

LABELS = (140.0, 60.0)


@dataclass(slots=True)
class LevelFloor:
    """A decaying day of weighted verdicts, and since when the level's upper bound has been below the SLO."""

    weight: float = 0.0
    squared: float = 0.0
    passed: float = 0.0
    below_since: float | None = None

    def update(self, weight: float, squared: float, passed: float, days: float) -> None:
        """Take one batch: sums of 1/pi, 1/pi^2 and V/pi over its verdicts."""
        keep = float(np.exp(-days))
        self.weight = keep * self.weight + weight
        self.squared = keep**2 * self.squared + squared
        self.passed = keep * self.passed + passed

    def upper(
        self, instruments: Instruments, labels: tuple[float, float] = LABELS
    ) -> tuple[float, float] | None:
        """(faithful share, its upper 95 % bound) by Rogan & Gladen 1978 with the labels' uncertainty; None if thin.

        `labels` are the faithful and unfaithful items behind the error rates.
        """
        if self.squared <= 0.0 or (n := self.weight**2 / self.squared) < 20.0:
            return None
        p = self.passed / self.weight
        s, t, youden = instruments.sensitivity, instruments.specificity, max(instruments.youden, 0.05)
        level = (p + t - 1.0) / youden
        variance = (p * (1.0 - p) + 1.0 / n) / n
        variance += level**2 * s * (1.0 - s) / labels[0] + (1.0 - level) ** 2 * t * (1.0 - t) / labels[1]
        return level, float(min(1.0, level + 1.96 * np.sqrt(variance) / youden))

    def breached(self, slo: float, now: float, instruments: Instruments) -> tuple[float, float] | None:
        """(level, upper bound) once it has been below `slo` for a day, and then starts over; else None."""
        found = self.upper(instruments)
        if found is None or found[1] >= slo:
            self.below_since = None
            return None
        if self.below_since is None:
            self.below_since = now
        if now - self.below_since < DAY:
            return None
        self.below_since = now
        return found
