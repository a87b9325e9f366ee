"""The port behind which the traffic is: invented, drawn from recorded answers, or replayed from a store."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Batch, GoldSet
from ragvigil.scorer.simulate.instruments import Hidden
from ragvigil.scorer.simulate.scenario import Scenario
from ragvigil.scorer.simulate.world import World


class Supply(Protocol):
    """Traffic of one service, batch by batch in order of time; a deep copy goes on as the original would."""

    scenario: Scenario
    """Whose fault begins at the change; may be another one until then."""

    @property
    def fault_segment(self) -> int:
        """Code of the segment that a fault of one segment is in."""
        ...

    def gold(self) -> GoldSet:
        """Human labels with verdicts."""
        ...

    def active(self, time: float) -> bool:
        """Whether the fault is there at `time`, seconds."""
        ...

    def batch(self, start: float, end: float) -> tuple[Batch, Hidden]:
        """The traces of [start, end), before anything is judged, and their truth."""
        ...

    def verdicts(self, hidden: Hidden, time: float, *, again: bool = False) -> npt.NDArray[np.int64]:
        """What the judge says at `time`, 1 or 0; asked `again`, it flips a few."""
        ...


class Opens(Protocol):
    """Opens the traffic of the service that a seed stands for: the same arguments give the same traces."""

    def __call__(self, world: World, scenario: Scenario, seed: int, *, days: int, change: float) -> Supply:
        """Traffic of so many `days`; the fault begins at `change`, seconds."""
        ...
