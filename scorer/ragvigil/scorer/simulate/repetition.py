"""One more time the same stretch, and not quite the same: a bootstrap by conversation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.simulate.scenario import DAY
from ragvigil.scorer.simulate.stretch import Integers, Stretch
from ragvigil.scorer.simulate.world import Floats

JITTER = 3 * 3600.0
"""Seconds by which a conversation comes sooner or later than it did, at most. Without it the chance of every single
hour would come back each time and look like a fault that the hour has."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """Rows of a stretch in the order in which they come this time. All columns have one length."""

    row: Integers
    time: Floats
    """Seconds from the beginning of this repetition, sorted, below the stretch's length."""
    conversation: Integers
    """Codes that no other repetition has."""

    def __deepcopy__(self, memo: dict[int, object]) -> Repetition:
        """The same: nobody writes to it."""
        return self

    def between(self, start: float, end: float) -> tuple[Integers, Floats, Integers]:
        """(row, time, conversation) of the moments in [start, end), seconds from its beginning."""
        low, high = np.searchsorted(self.time, [start, end]).tolist()
        return self.row[low:high], self.time[low:high], self.conversation[low:high]


def repeated(stretch: Stretch, seed: int, number: int) -> Repetition:
    """Every conversation a Poisson(1) number of times, each copy whole and up to `JITTER` sooner or later.

    Hours of the day, weekdays, segments, scores and what goes together in a conversation stay as they were; what is
    shifted over the stretch's end comes at its beginning.
    """
    random = np.random.default_rng([seed, 4, number])
    copies_of = random.poisson(1.0, int(stretch.conversation.max()) + 1)
    first = np.cumsum(copies_of) - copies_of
    copies = copies_of[stretch.conversation]
    row = np.repeat(np.arange(stretch.time.size, dtype=np.int64), copies)
    copy = np.arange(row.size, dtype=np.int64) - np.repeat(np.cumsum(copies) - copies, copies)
    conversation = first[stretch.conversation[row]] + copy
    shift = random.uniform(-JITTER, JITTER, int(copies_of.sum()))
    time = (stretch.time[row] + shift[conversation]) % (stretch.days * DAY)
    order = np.argsort(time, kind="stable")
    return Repetition(row[order], time[order], (conversation + (number << 32))[order])
