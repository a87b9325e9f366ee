"""The level itself, for those who have an SLO: low is low, whatever a baseline has got used to."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.decaying_rate import DecayingRate
from ragvigil.scorer.detect.sequential.settings import DAY
from ragvigil.scorer.estimate import Calibration, Estimate, anchored_level, change_since, portable_level


@dataclass(slots=True)
class LevelFloor:
    """The level of the last day, anchored at the learning days, and since when its upper bound has been too low."""

    anchor: DecayingRate = field(default_factory=lambda: DecayingRate(60.0))
    """The learning days."""
    day: DecayingRate = field(default_factory=lambda: DecayingRate(1.0))
    below_since: float | None = None

    def update(self, chance: Floats, passed: Floats, days: float, *, learning: bool) -> None:
        """Take the verdicts of one batch."""
        (self.anchor if learning else self.day).update(chance, passed, days)

    def level(self, calibration: Calibration) -> Estimate | None:
        """The anchor's level plus the change since, the larger of it and the day's own; None where it is unknown."""
        before, now = self.anchor.judged(), self.day.judged()
        if now is None:
            return None
        alone = portable_level(now, calibration)
        if before is None or not isinstance(alone, Estimate):
            return alone if isinstance(alone, Estimate) else None
        found = anchored_level(portable_level(before, calibration), change_since(before, now, calibration))
        return found if isinstance(found, Estimate) and found.upper > alone.upper else alone

    def breached(self, slo: float, now: float, calibration: Calibration) -> Estimate | None:
        """The level once its interval has been below `slo` for a day, and then starts over; else None."""
        found = self.level(calibration)
        if found is None or found.upper >= slo:
            self.below_since = None
            return None
        if self.below_since is None:
            self.below_since = now
        if now - self.below_since < DAY:
            return None
        self.below_since = now
        return found
