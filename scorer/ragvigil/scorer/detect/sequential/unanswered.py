"""Verdicts that never come, or that nobody can read: how many usually do not, and how many more are too many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MEMORY_DAYS = 7.0
CLEARLY = 1.5
"""Times the usual share, beyond which more is missing than usual."""
MOST = 0.2
"""Share that can become usual; beyond it what the others would have said matters more than what is known."""
ENOUGH = 100.0
"""Calls below which nobody knows what is usual."""
SURELY = 3.0
"""Standard deviations of a count."""


@dataclass(slots=True)
class Unanswered:
    """What share of the judge's calls usually brings no verdict, over about a week."""

    calls: float = 0.0
    lost: float = 0.0

    @property
    def share(self) -> float:
        """0 to MOST."""
        return min(self.lost / max(self.calls, 1.0), MOST)

    def limit(self, share: float) -> float:
        """The share of missing verdicts above which something is wrong; never below `share`.

        Where a week misses more than can be usual, nothing is: a small service's hours alone would not tell.
        """
        if self.lost > most_by_chance(MOST, self.calls):
            return share
        usual = MOST if self.calls < ENOUGH else min(CLEARLY * self.share, MOST)
        return max(share, usual)

    def add(self, calls: float, lost: float, days: float, lately: tuple[float, float]) -> None:
        """Take one batch, unless what was lost `lately` (calls, lost) is an outage and nothing usual."""
        if lately[1] > most_by_chance(MOST, lately[0]):
            return
        keep = float(np.exp(-days / MEMORY_DAYS))
        self.calls, self.lost = keep * self.calls + calls, keep * self.lost + lost


def most_by_chance(share: float, calls: float) -> float:
    """How many of `calls` may be missing by chance where `share` of them are on average."""
    expected = share * calls
    return float(expected + SURELY * np.sqrt(expected))
