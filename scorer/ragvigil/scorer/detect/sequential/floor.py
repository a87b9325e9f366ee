"""The level itself, for those who have an SLO: low is low, whatever a baseline has got used to."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.decaying_rate import DecayingRate
from ragvigil.scorer.detect.sequential.settings import DAY
from ragvigil.scorer.estimate import Calibration, Estimate


@dataclass(slots=True)
class LevelFloor:
    """The level of the last day, since when its upper bound has been too low, and whether that was told.

    It is the level anchored at the learning days as well: by one set of labels, the anchor's level plus the change
    since, (p_0 + t - 1) / J + (p - p_0) / J, is (p + t - 1) / J, and drawn together so are their errors.
    """

    day: DecayingRate = field(default_factory=lambda: DecayingRate(1.0))
    below_since: float | None = None
    told: bool = False
    """Whether a page about the level is not over yet; the next one needs a level that was back in between."""

    def update(self, chance: Floats, passed: Floats, days: float, lost: Floats) -> None:
        """Take the verdicts of one batch, and the chances of those that never came."""
        self.day.update(chance, passed, days, lost)

    def level(self, calibration: Calibration) -> Estimate | None:
        """The faithful share of the last day; None where it is unknown."""
        return self.day.level(calibration)

    def breached(self, slo: float, now: float, calibration: Calibration) -> Estimate | None:
        """The level once its interval has been below `slo` for a day; else None."""
        found = self.level(calibration)
        if found is None or found.upper >= slo:
            self.below_since = None
            return None
        if self.below_since is None:
            self.below_since = now
        return found if now - self.below_since >= DAY else None

    def forget(self) -> None:
        """Start the level over: the judge is another one. What was told stays told."""
        self.day, self.below_since = DecayingRate(1.0), None
