"""Error-budget burn for those who want it: how fast an SLO's errors are used up, on two windows at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.decaying_rate import DecayingRate
from ragvigil.scorer.estimate import Calibration, Estimate


@dataclass(slots=True)
class ErrorBudget:
    """The level of six hours and of three days: both must burn too fast, or the page is late or about yesterday.

    A budget of 5 to 8 % burns at most 12 to 20 times as fast as it may, and 95 -> 88 % only 1.5 times: the factors
    of the SRE workbook (14.4, 6, 1) mean little here. So the limit is the caller's, and the whole interval of the
    burn has to lie beyond it.
    """

    short: DecayingRate = field(default_factory=lambda: DecayingRate(0.25))
    long: DecayingRate = field(default_factory=lambda: DecayingRate(3.0))

    def update(self, chance: Floats, passed: Floats, days: float, lost: Floats) -> None:
        """Take the verdicts of one batch, and the chances of those that never came."""
        self.short.update(chance, passed, days, lost)
        self.long.update(chance, passed, days, lost)

    def burning(
        self, slo: float, limit: float, calibration: Calibration
    ) -> tuple[Estimate, float, float] | None:
        """(level and burn of the short window, burn of the long one), both surely beyond `limit`; else None."""
        short, long = self.short.level(calibration), self.long.level(calibration)
        if short is None or long is None or (1.0 - max(short.upper, long.upper)) <= limit * (1.0 - slo):
            return None
        return short, (1.0 - short.value) / (1.0 - slo), (1.0 - long.value) / (1.0 - slo)

    def back(self, slo: float, limit: float, calibration: Calibration) -> bool:
        """Whether the short window burns no faster than the limit, as far as it has verdicts enough to tell."""
        short = self.short.level(calibration)
        return short is None or 1.0 - short.value <= limit * (1.0 - slo)
