"""What has been paged for of citations or retrievals, and when the same stream may be paged for again."""

from __future__ import annotations

from dataclasses import dataclass, field

from ragvigil.scorer.detect.sequential.batch import Booleans

CALM_BATCHES = 2
"""Batches in a row that look well, after which an outage is over."""
LEAST_WAIT = 2.0 * 3600.0
"""Seconds between two pages of a stream whose outage was over in between; twice that each time, so that what flaps
is told of a few times a day."""


@dataclass(slots=True)
class Told:
    """A stream that was paged for."""

    at: float
    """Seconds."""
    wait: float = LEAST_WAIT
    """Seconds until another outage of it may be paged for."""
    calm: int = 0
    """Batches in a row that looked well."""
    over: bool = False
    reminded: bool = False


@dataclass(slots=True)
class Outages:
    """One page an outage: a stream is paged for again when it had been well, or once more when it never was."""

    told: dict[str, Told] = field(default_factory=dict[str, Told])
    """By the number of the stream."""
    everywhere: bool = False
    """Whether all traffic is ill, so that no segment is news."""
    calm: int = 0
    """Batches in a row in which all traffic looked well."""

    def tend(self, well: Booleans, everywhere: bool) -> bool:
        """Take one batch; returns whether all traffic is well from now on, having been ill.

        `well` (streams,) says which streams look well, `everywhere` whether the alarm is all traffic's.
        """
        for stream, told in self.told.items():
            told.calm = told.calm + 1 if well[int(stream)] else 0
            told.over |= told.calm >= CALM_BATCHES
        self.calm = self.calm + 1 if well[-1] else 0
        before = self.everywhere
        self.everywhere = everywhere or (before and self.calm < CALM_BATCHES)
        return before and not self.everywhere

    def page(self, stream: int, now: float, mute: float) -> bool:
        """Whether an alarm of this stream is to be paged for now; `mute` seconds are the longest wait."""
        told = self.told.get(str(stream))
        if told is None:
            self.told[str(stream)] = Told(now)
            return True
        since = now - told.at
        if told.over and since >= min(told.wait, mute):
            self.told[str(stream)] = Told(now, LEAST_WAIT if since >= 2.0 * mute else 2.0 * told.wait)
            return True
        remind = not (told.over or told.reminded) and since >= mute
        told.reminded |= remind
        return remind
