"""Event time that does not run backwards, whatever the clocks of the services do."""

from __future__ import annotations

from dataclasses import dataclass

NEVER = -1e18
"""A moment before all others, seconds."""
_LATE_IN_A_ROW = 5
_HOUR = 3600.0


@dataclass(slots=True)
class EventClock:
    """The end of the newest batch. Late batches leave it; a clock that was set back is followed after a while."""

    first: float | None = None
    """Start of the first batch, on this clock."""
    now: float = 0.0
    offset: float = 0.0
    """Added to the services' clocks, after they were set back."""
    late: int = 0

    def advance(self, start: float, end: float) -> float:
        """Take a batch's bounds; returns the days that passed."""
        if self.first is None:
            self.first, self.now = start, start
        moment = end + self.offset
        if moment > self.now:
            days = (moment - self.now) / 86400.0
            self.now, self.late = moment, 0
            return days
        self.late += 1
        if self.late >= _LATE_IN_A_ROW and moment < self.now - _HOUR:
            self.offset += self.now - moment
            self.late = 0
        return 0.0

    @property
    def days(self) -> float:
        """Since the first batch."""
        return 0.0 if self.first is None else (self.now - self.first) / 86400.0
