"""What the judge is known to have changed by, while past verdicts and what is normal still are of its old self."""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.scorer.detect.sequential.clock import NEVER
from ragvigil.scorer.detect.sequential.settings import DAY

OUTLIVED = 14 * DAY
"""Seconds after a move in which old verdicts may still be among the past ones, and in what is normal."""


@dataclass(slots=True)
class Moves:
    """Moves of the pass rate on the same answers that were measured and told."""

    least: float = 0.0
    """Lowest change from any past judge to the one of today; not above 0, for some verdicts are its own."""
    most: float = 0.0
    variance: float = 0.0
    """Of what was measured."""
    at: float = NEVER
    """When the last one was told, seconds."""

    def add(self, change: float, error: float, now: float) -> None:
        """The judge moved by `change`: every past judge is that much further away."""
        least, most = self.known(now)
        self.least, self.most = min(0.0, least + change), max(0.0, most + change)
        self.variance, self.at = self.error(now) ** 2 + error**2, now

    def known(self, now: float) -> tuple[float, float]:
        """(least, most) change that past traces judged again show by it: it depends on whose verdicts they have."""
        return (self.least, self.most) if now - self.at <= OUTLIVED else (0.0, 0.0)

    def error(self, now: float) -> float:
        """Standard error of the pass rate that was normal, and was moved along."""
        return self.variance**0.5 if now - self.at <= OUTLIVED else 0.0
