"""Is there any traffic: this hour beside the same hour a week ago."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats

_HOUR = 3600.0
_WEEK = 168
_KEPT = 16 * 24
_SET_BACK = 12
"""Hours by which the services' clocks must have been set back for the hours after to be counted anew."""
LATEST_GAP = 6 * _HOUR
"""Seconds that an hour is waited for at most after a gap, which may be silence and no disorder."""
LATEST = 48 * _HOUR
"""Seconds that an hour is waited for at most because batches came out of order."""
_LATEST_FILLED = 8 * 24 * _HOUR
"""The same because an hour that was found thin was filled afterwards."""
_FADES = 7.0
"""Days after which disorder that is not seen again begins to be forgotten, and in which it then is."""
LEAST_EXPECTED = 20
"""Traces an hour a week ago, below which an empty hour says nothing."""


@dataclass(slots=True)
class TrafficWatch:
    """Counts per hour of event time."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    """By hour number, as text (JSON keys are)."""
    checked: int = 0
    """The last hour that was compared."""
    newest: float = -np.inf
    """The latest end of a batch, on the services' clocks."""
    late: float = 0.0
    """Seconds by which batches have been out of order, of late."""
    calm: float = 0.0
    """Days since they were by half of that."""
    thin: dict[str, float] = field(default_factory=dict[str, float])
    """Traces from which on an hour that was found thin is none, by hour number."""

    def follow(self, start: float, end: float, days: float, *, set_back: bool) -> None:
        """Take a batch's bounds on the services' clocks; `set_back` when these were found to be behind.

        A gap before a batch may be filled by one that comes later, so it counts as one that came out of order.
        """
        last = int(end // _HOUR) - 1
        if set_back and last < self.checked - _SET_BACK:
            self.counts = {hour: n for hour, n in self.counts.items() if int(hour) <= last + 1}
            self.checked, self.newest, self.late, self.calm, self.thin = last, end, 0.0, 0.0, {}
        gap, behind = start - self.newest, self.newest - start if end < self.newest else 0.0
        known = np.isfinite(self.newest)
        self._wait(max(min(gap, LATEST_GAP), min(behind, LATEST)) if known else 0.0, days)
        self.newest = max(self.newest, end)

    def count(self, time: Floats) -> None:
        """Count traces, late ones in the hour that they belong to."""
        hours, counts = np.unique((time // _HOUR).astype(np.int64), return_counts=True)
        for hour, n in zip(hours.tolist(), counts.tolist(), strict=True):
            self.counts[str(hour)] = self.counts.get(str(hour), 0) + n
        for hour, enough in list(self.thin.items()):
            if self.counts.get(hour, 0) >= enough:
                del self.thin[hour]
                self._wait(min(self.newest - int(hour) * _HOUR, _LATEST_FILLED), 0.0)
        if len(self.counts) > 2 * _KEPT:
            newest = sorted(self.counts, key=int)[-_KEPT:]
            self.counts = {hour: self.counts[hour] for hour in newest}

    def thin_hour(self, share: float) -> tuple[int, int] | None:
        """(traces, traces a week before) of the latest hour over that had less than `share`; None if none had."""
        last = int((self.newest - self.late) // _HOUR) - (2 if self.late > _HOUR else 1)
        found = None
        for hour in range(max(self.checked + 1, last - 47), last + 1):
            before = self.counts.get(str(hour - _WEEK), 0)
            seen = self.counts.get(str(hour), 0)
            if before >= LEAST_EXPECTED and seen < share * before:
                found = (seen, before)
                self.thin[str(hour)] = share * before
        self.checked = max(self.checked, last)
        self.thin = {hour: enough for hour, enough in self.thin.items() if int(hour) > last - _KEPT}
        return found

    def _wait(self, disorder: float, days: float) -> None:
        """Wait for hours as long as batches were out of order, for a week at least."""
        self.calm = 0.0 if disorder >= 0.5 * self.late else self.calm + days
        fading = float(np.exp(-days / _FADES)) if self.calm > _FADES else 1.0
        self.late = max(self.late * fading, disorder, 0.0)
