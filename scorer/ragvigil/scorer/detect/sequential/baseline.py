"""What is normal: daily sums of each segment, learned late, frozen while an incident is open."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats
from ragvigil.scorer.detect.sequential.settings import MonitorSettings

KEPT_DAYS = 60
BINS = 12
"""Of the cheap score, for the share of flags at each."""


class Sum(IntEnum):
    """Rows of a day's sums."""

    TRACES = 0
    CHEAP_COUNT = 1
    CHEAP = 2
    CHEAP_CLUSTERED = 3
    """Squares of each conversation's summed residual."""
    JUDGED = 4
    WEIGHT = 5
    PASSED = 6
    """Weighted."""
    FLAGS = 7
    """Weighted by suspicion and 1/pi, false flags taken off: see `evidence`."""
    FLAGS_SQUARED = 8
    CITATIONS = 9
    BAD_CITATIONS = 10
    RETRIEVALS = 11
    EMPTY = 12
    FLAG_TRACES = 13
    """Traces of the batches whose verdicts are in FLAGS."""


@dataclass(slots=True)
class Day:
    """Sums of one day."""

    number: int
    sums: Floats
    """(Sum, slots)."""
    flags: Floats
    """(2, BINS): weight, and weighted flags beyond the model's, at each level of suspicion."""
    frozen: Booleans
    """(slots,) not to be learned from."""


@dataclass(slots=True)
class Baseline:
    """Sums per day and segment; whoever reads them asks for a `Reference`."""

    days: list[Day] = field(default_factory=list[Day])
    """Ascending."""

    def add(self, number: int, sums: Floats, flags: Floats, frozen: Booleans) -> None:
        """Add one batch to its day; a day that is too old to be kept is passed over."""
        for day in self.days:
            if day.number == number:
                day.sums = day.sums + sums
                day.flags = day.flags + flags
                day.frozen = day.frozen | frozen
                return
        at = sum(day.number < number for day in self.days)
        if at == 0 and len(self.days) >= KEPT_DAYS:
            return
        self.days.insert(at, Day(number, sums, flags, frozen))
        if len(self.days) > KEPT_DAYS:
            self._merge_oldest()

    def _merge_oldest(self) -> None:
        """Fold the oldest day into the next at 90 %, so that long ago fades and the baseline is never empty."""
        old, day = self.days[0], self.days[1]
        day.sums = 0.9 * (old.sums * ~old.frozen + day.sums * ~day.frozen)
        day.flags = 0.9 * (old.flags + day.flags)
        day.frozen = old.frozen & day.frozen
        del self.days[0]

    def freeze(self, since: int, slots: Booleans) -> None:
        """Leave out the days from number `since` on for these slots."""
        for day in self.days:
            if day.number >= since:
                day.frozen = day.frozen | slots

    def move_passed(self, change: float, weight_faithful: float) -> None:
        """The judge now passes `change` more of the same answers: restate all that it said."""
        for day in self.days:
            sums = day.sums
            sums[Sum.PASSED] = np.clip(sums[Sum.PASSED] + change * sums[Sum.WEIGHT], 0.0, sums[Sum.WEIGHT])
            sums[Sum.FLAGS] -= change * weight_faithful * sums[Sum.FLAG_TRACES]

    def move_cheap(self, slots: Booleans, change: float, flags: Floats) -> None:
        """The suspicion of the same answers is now `change` higher: restate what was seen.

        `flags` (slots,) is by how much the mean weighted true flag is higher, because the unfaithful ones are more
        suspicious, too.
        """
        for day in self.days:
            sums = day.sums
            sums[Sum.CHEAP] += np.where(slots, change * sums[Sum.CHEAP_COUNT], 0.0)
            sums[Sum.FLAGS] += np.where(slots, flags * sums[Sum.FLAG_TRACES], 0.0)

    def total(self, first: int, today: int, settings: MonitorSettings) -> tuple[Floats, Floats]:
        """(sums, flags) over the days that count: learning days and those older than the lag, unfrozen."""
        sums = np.zeros((len(Sum), settings.slots))
        flags = np.zeros((2, BINS))
        for day in self.counting(first, today, settings):
            sums += day.sums * ~day.frozen
            flags += day.flags * (1.0 - float(day.frozen.mean()))
        return sums, flags

    def counting(self, first: int, today: int, settings: MonitorSettings) -> list[Day]:
        """The days that count: those of learning, and those older than the lag."""
        return [day for day in self.days if self.is_counted(day.number, first, today, settings)]

    @staticmethod
    def is_counted(day: int, first: int, today: int, settings: MonitorSettings) -> bool:
        """Whether the day of this number counts."""
        return day < first + settings.learning_days or day <= today - settings.lag_days
