"""When and where the fault of a scenario is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.simulate.instruments import Booleans
from ragvigil.scorer.simulate.scenario import DAY, Scenario
from ragvigil.scorer.simulate.world import Floats


@dataclass(frozen=True, slots=True)
class Fault:
    """A scenario's fault that begins at `change`, seconds."""

    scenario: Scenario
    change: float
    segment: int
    """Where it is, if it is in one segment only."""

    def active(self, time: float) -> bool:
        """Whether it is there at `time`."""
        return self.change <= time < self.change + self.scenario.lasts_days * DAY

    def affected(self, time: Floats) -> Booleans:
        """The same for each of (n,) moments."""
        return (time >= self.change) & (time < self.change + self.scenario.lasts_days * DAY)

    def added(self, segment: npt.NDArray[np.int64], time: Floats) -> Floats:
        """(n,) share of answers that are unfaithful because of it."""
        scenario = self.scenario
        ramp = scenario.ramp_days
        grown = (time - self.change) / (ramp * DAY) if ramp else np.ones(time.size)
        added = np.where(self.affected(time), scenario.faithful_drop * np.clip(grown, 0.0, 1.0), 0.0)
        return np.where(segment == self.segment, added, 0.0) if scenario.one_segment else added

    def lowered(self, cheap: Floats, time: Floats) -> Floats:
        """(n,) cheap scores of answers at (n,) moments, as a drift of the cheap score leaves them."""
        return np.clip(cheap - np.where(self.affected(time), self.scenario.cheap_drop, 0.0), 0.0, 1.0)

    def sensitivity_drop(self, time: float) -> float:
        """By how much the judge passes fewer faithful answers at `time`."""
        return self.scenario.sensitivity_drop if self.active(time) else 0.0

    def judge_version(self, time: float) -> str:
        """What the judge says that it is at `time`."""
        return "judge-2" if self.active(time) and self.scenario.version_change else "judge-1"


def nearest_to_a_twentieth(shares: Floats) -> int:
    """The segment whose share of the traffic is nearest to 5 %."""
    return int(np.argmin(np.abs(shares - 0.05)))


def worst_small(shares: Floats, bad: Floats) -> int:
    """Of the segments with less than half of an even share the one where most is bad; of all, if none is so small.

    >>> worst_small(np.array([0.6, 0.3, 0.06, 0.04]), np.array([0.5, 0.1, 0.1, 0.2]))
    3
    """
    small = np.flatnonzero(shares < 0.5 / shares.size)
    worst = small if small.size else np.arange(shares.size)
    return int(worst[np.argmax(bad[worst])])
