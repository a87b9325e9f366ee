"""Is there any traffic: this hour beside the same hour a week ago."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Floats

_HOUR = 3600.0
_WEEK = 168
_KEPT = 16 * 24
LEAST_EXPECTED = 20
"""Traces an hour a week ago, below which an empty hour says nothing."""


@dataclass(slots=True)
class TrafficWatch:
    """Counts per hour of event time."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    """By hour number, as text (JSON keys are)."""
    checked: int = 0
    """The last hour that was compared."""

    def count(self, time: Floats) -> None:
        """Count traces, late ones in the hour that they belong to."""
        hours, counts = np.unique((time // _HOUR).astype(np.int64), return_counts=True)
        for hour, n in zip(hours.tolist(), counts.tolist(), strict=True):
            self.counts[str(hour)] = self.counts.get(str(hour), 0) + n
        if len(self.counts) > 2 * _KEPT:
            newest = sorted(self.counts, key=int)[-_KEPT:]
            self.counts = {hour: self.counts[hour] for hour in newest}

    def thin_hour(self, now: float, share: float) -> tuple[int, int] | None:
        """(traces, traces a week before) of the latest hour over that had less than `share`; None if none had."""
        last = int(now // _HOUR) - 1
        found = None
        for hour in range(max(self.checked + 1, last - 47), last + 1):
            before = self.counts.get(str(hour - _WEEK), 0)
            seen = self.counts.get(str(hour), 0)
            if before >= LEAST_EXPECTED and seen < share * before:
                found = (seen, before)
        self.checked = max(self.checked, last)
        return found
