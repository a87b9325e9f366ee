"""What every part of a monitor works with: settings, instruments, memory, and today's reference."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Baseline, Series, Sum
from ragvigil.scorer.detect.sequential.batch import Booleans, Floats
from ragvigil.scorer.detect.sequential.error_budget import ErrorBudget
from ragvigil.scorer.detect.sequential.gold import GoldSet, calibration_of, learn_instruments
from ragvigil.scorer.detect.sequential.memory import Memory
from ragvigil.scorer.detect.sequential.reference import Reference, refer
from ragvigil.scorer.detect.sequential.settings import DAY, MonitorSettings

LEAST_SEEN = 20.0
"""Traces, or verdicts, of a series in all segments together, below which nothing is normal yet."""
ENOUGH_OF = [Sum.TRACES, Sum.CHEAP_COUNT, Sum.JUDGED, Sum.FLAG_TRACES, Sum.CITATIONS, Sum.RETRIEVALS]
"""The count of each series."""


class Core:
    """Settings and instruments, which stay, and the memory, which does not."""

    def __init__(self, settings: MonitorSettings, gold: GoldSet, memory: Memory) -> None:
        """Learn the instruments from the gold set."""
        self.settings, self.memory = settings, memory
        self.instruments, self.calibration = learn_instruments(gold), calibration_of(gold)
        self.offset = 0.0
        """Of the judge of the batch at hand: see `versions.offset_of`."""
        self.beyond = 0.0
        """Share of the calls of about the last hour without a verdict, beyond the usual."""
        self._reference: Reference | None = None
        self._reference_day = -1
        self._first = np.full((len(Series), settings.slots), np.inf)
        """Days on which the series of the reference began."""

    def learning(self) -> bool:
        """Whether it is still too early for any alert."""
        return self.memory.clock.days <= self.settings.learning_days + 1e-9

    def today(self) -> int:
        """Number of the day."""
        return int(self.memory.clock.now // DAY)

    def counts(self, day: int) -> bool:
        """Whether the day of this number is part of what is normal, so that a reference made earlier is out of date."""
        return bool(Baseline.is_counted(day, self._first, self.today(), self.settings).any())

    def refer(self) -> Reference | None:
        """The reference of today; None before anything was learned."""
        memory = self.memory
        if not memory.baseline.days or memory.clock.first is None:
            return None
        if self._reference is None or self._reference_day != self.today():
            first, last = memory.baseline.since(self.settings.learning_days)
            self._first = first
            counts = memory.baseline.counting(first, self.today(), self.settings)
            sums, flags = memory.baseline.total(counts)
            days = [
                day
                for day, count in zip(memory.baseline.days, counts, strict=True)
                if count[Series.CHEAP].any()
            ]
            found = refer(sums, flags, days, self.instruments, self._learned(first, last, sums))
            midnight = self.today() * DAY  # what is sure is so for a day, however often it is asked for
            moved = memory.moves.error(midnight)
            drifted = memory.disagreement.drifted(midnight) * self.instruments.signal
            self._reference = found.unsure(moved, self.instruments.weight_faithful).unsure_of_flags(drifted)
            self._reference_day = self.today()
        return self._reference

    def _learned(self, first: Floats, last: Floats, sums: Floats) -> Booleans:
        """(Series, slots) whether a series that began on day `first` and was last there on `last` knows its normal.

        What began with the monitor has learned when it has (`learning`).
        """
        span = self.settings.learning_days
        old = self.today() >= first + span
        old |= first <= (self.memory.clock.first or 0.0) // DAY
        there = last + 1.0 - np.where(np.isfinite(first), first, 0.0) >= 0.5 * span
        enough = sums[ENOUGH_OF].sum(axis=1) >= LEAST_SEEN
        learned: Booleans = old & there & enough[:, None]
        return learned

    def forget_levels(self) -> None:
        """The judge is another one: the level, and what errors have used up, start over."""
        self.memory.floor.forget()
        self.memory.errors = ErrorBudget()

    def forget_reference(self) -> None:
        """The baseline was restated, or learned something that counts."""
        self._reference = None
