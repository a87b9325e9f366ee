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


class Series(IntEnum):
    """What learns its own normal, from when it is first seen."""

    TRAFFIC = 0
    CHEAP = 1
    VERDICTS = 2
    SUSPECTS = 3
    """Verdicts weighted by the cheap score: both have to be there."""
    CITATIONS = 4
    RETRIEVALS = 5


SERIES_OF: dict[Sum, Series] = {
    Sum.TRACES: Series.TRAFFIC,
    **dict.fromkeys((Sum.CHEAP_COUNT, Sum.CHEAP, Sum.CHEAP_CLUSTERED), Series.CHEAP),
    **dict.fromkeys((Sum.JUDGED, Sum.WEIGHT, Sum.PASSED), Series.VERDICTS),
    **dict.fromkeys((Sum.FLAGS, Sum.FLAGS_SQUARED, Sum.FLAG_TRACES), Series.SUSPECTS),
    **dict.fromkeys((Sum.CITATIONS, Sum.BAD_CITATIONS), Series.CITATIONS),
    **dict.fromkeys((Sum.RETRIEVALS, Sum.EMPTY), Series.RETRIEVALS),
}
"""Whose row of sums it is."""
_ROWS = [int(SERIES_OF[row]) for row in Sum]
_VERDICT_ROWS = [row for row in Sum if SERIES_OF[row] in (Series.VERDICTS, Series.SUSPECTS)]


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

    def seen(self) -> Booleans:
        """(Series, slots) what was there and may be learned from."""
        judged = bool(self.sums[Sum.JUDGED].sum() > 0.0)
        traffic = self.sums[Sum.TRACES] > 0.0
        there = np.stack(
            [
                traffic,
                self.sums[Sum.CHEAP_COUNT] > 0.0,
                traffic & judged,
                (self.sums[Sum.FLAG_TRACES] > 0.0) & judged,
                self.sums[Sum.CITATIONS] > 0.0,
                self.sums[Sum.RETRIEVALS] > 0.0,
            ]
        )
        return there & ~self.frozen


@dataclass(slots=True)
class Baseline:
    """Sums per day and segment; whoever reads them asks for a `Reference`."""

    days: list[Day] = field(default_factory=list[Day])
    """Ascending."""

    def add(self, number: int, sums: Floats, flags: Floats, frozen: Booleans) -> bool:
        """Add one batch to its day; a day that is too old to be kept is passed over.

        Returns whether something was there that had not been on that day.
        """
        for day in self.days:
            if day.number == number:
                before = day.seen()
                day.sums = day.sums + sums
                day.flags = day.flags + flags
                day.frozen = day.frozen | frozen
                return bool((day.seen() != before).any())
        at = sum(day.number < number for day in self.days)
        if at == 0 and len(self.days) >= KEPT_DAYS:
            return False
        self.days.insert(at, Day(number, sums, flags, frozen))
        if len(self.days) > KEPT_DAYS:
            self._merge_oldest()
        return True

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

    def forget(self, slots: Booleans) -> None:
        """Nothing of these slots was ever seen."""
        for day in self.days:
            day.sums = np.where(slots, 0.0, day.sums)
            day.frozen = day.frozen & ~slots

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

    def forget_verdicts(self) -> None:
        """The judge is another one, and nobody knows by how much: what it said is no measure of what it says now."""
        for day in self.days:
            day.sums[_VERDICT_ROWS] = 0.0
            day.flags = np.zeros_like(day.flags)

    def total(self, counts: list[Booleans]) -> tuple[Floats, Floats]:
        """(sums, flags) over what `counts` of each day, (Series, slots): see `counting`."""
        slots = self.days[0].frozen.size
        sums = np.zeros((len(Sum), slots))
        flags = np.zeros((2, BINS))
        known = np.any([learned[Series.SUSPECTS] for learned in counts], axis=0).sum()
        for day, learned in zip(self.days, counts, strict=True):
            unfrozen = learned & ~day.frozen
            sums += day.sums * unfrozen[_ROWS]
            flags += day.flags * float(unfrozen[Series.SUSPECTS].sum() / max(known, 1))
        return sums, flags

    def counting(self, first: Floats, today: int, settings: MonitorSettings) -> list[Booleans]:
        """(Series, slots) of each day: whether it counts, for series that began on day `first` (Series, slots)."""
        return [self.is_counted(day.number, first, today, settings) for day in self.days]

    @staticmethod
    def is_counted(day: int, first: Floats, today: int, settings: MonitorSettings) -> Booleans:
        """(Series, slots) whether the day of this number counts: those of learning, and those older than the lag."""
        young = (day < first + settings.learning_days) & np.isfinite(first)
        return young | (day <= today - settings.lag_days)

    def since(self, learning_days: float) -> tuple[Floats, Floats]:
        """(Series, slots) the day on which each series began and the last one it was there; inf and -inf for never.

        A series that is away for more than half of `learning_days` before it has learned begins anew.
        """
        shape = (len(Series), self.days[0].frozen.size if self.days else 0)
        first, last = np.full(shape, np.inf), np.full(shape, -np.inf)
        for day in self.days:
            seen = day.seen()
            known = np.isfinite(first)
            away = known & (day.number - last > 1.0 + 0.5 * learning_days)
            young = known & (last + 1.0 - np.where(known, first, 0.0) < learning_days)
            first = np.where(seen & (~known | (away & young)), float(day.number), first)
            last = np.where(seen, float(day.number), last)
        return first, last
