"""What every part of a monitor works with: settings, instruments, memory, and today's reference."""

from __future__ import annotations

from ragvigil.scorer.detect.sequential.gold import GoldSet, calibration_of, learn_instruments
from ragvigil.scorer.detect.sequential.memory import Memory
from ragvigil.scorer.detect.sequential.reference import Reference, refer
from ragvigil.scorer.detect.sequential.settings import DAY, MonitorSettings


class Core:
    """Settings and instruments, which stay, and the memory, which does not."""

    def __init__(self, settings: MonitorSettings, gold: GoldSet, memory: Memory) -> None:
        """Learn the instruments from the gold set."""
        self.settings, self.memory = settings, memory
        self.instruments, self.calibration = learn_instruments(gold), calibration_of(gold)
        self._reference: Reference | None = None
        self._reference_day = -1

    def learning(self) -> bool:
        """Whether it is still too early for any alert."""
        return self.memory.clock.days <= self.settings.learning_days + 1e-9

    def today(self) -> int:
        """Number of the day."""
        return int(self.memory.clock.now // DAY)

    def counts(self, day: int) -> bool:
        """Whether the day of this number is part of what is normal, so that a reference made earlier is out of date."""
        first = int((self.memory.clock.first or 0.0) // DAY)
        return self.memory.baseline.is_counted(day, first, self.today(), self.settings)

    def refer(self) -> Reference | None:
        """The reference of today; None before anything was learned."""
        memory = self.memory
        if not memory.baseline.days or memory.clock.first is None:
            return None
        if self._reference is None or self._reference_day != self.today():
            first = int(memory.clock.first // DAY)
            sums, flags = memory.baseline.total(first, self.today(), self.settings)
            days = memory.baseline.counting(first, self.today(), self.settings)
            self._reference = refer(sums, flags, days, self.instruments)
            self._reference_day = self.today()
        return self._reference

    def forget_reference(self) -> None:
        """The baseline was restated, or learned something that counts."""
        self._reference = None
