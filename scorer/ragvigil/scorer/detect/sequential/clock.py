"""Event time that does not run backwards, whatever the clocks of the services do."""

from __future__ import annotations

from dataclasses import dataclass

NEVER = -1e18
"""A moment before all others, seconds."""
_LATE_IN_A_ROW = 5
_MOST_IN_A_ROW = 200
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
    patience: int = _LATE_IN_A_ROW
    """Late batches in a row that mean that a clock was set back."""
    newest: float | None = None
    """End of the newest batch on the services' clocks, before they seemed to be set back."""
    since: int = 0
    """Batches since then."""
    last: float = NEVER
    """End of the last batch that came, on the services' clocks."""

    def advance(self, start: float, end: float) -> float:
        """Take a batch's bounds; returns the days that passed."""
        if self.first is None:
            self.first, self.now = start, start
        self._look_back(start)
        moment, self.last = end + self.offset, end
        if moment > self.now:
            days = (moment - self.now) / 86400.0
            self.now, self.late = moment, 0
            return days
        self.late += 1
        if self.late >= self.patience and moment < self.now - _HOUR:
            if self.newest is None:
                self.newest, self.since = self.now - self.offset, self.late
            self.offset += self.now - moment
            self.late = 0
        return 0.0

    def _look_back(self, start: float) -> None:
        """Clocks that jump ahead to where they were were not set back: so many batches were late.

        So many may be late again, and time goes on from here.
        """
        self.since += 1
        if self.newest is None or start < self.newest - _HOUR:
            return
        if start > self.last + _HOUR:
            self.patience = max(self.patience, min(2 * self.since, _MOST_IN_A_ROW))
            self.offset = self.now - start
        self.newest = None

    @property
    def days(self) -> float:
        """Since the first batch."""
        return 0.0 if self.first is None else (self.now - self.first) / 86400.0
