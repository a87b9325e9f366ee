"""Has a service stopped sending: nothing came where by its own past something should have. Pure.

Three stretches as long as the silence are asked: the one just before it, and the same one of the day before and of
the week before. Each must have held `LEAST_ANSWERS`; if they come independently and as often as then, nothing comes
now with probability 2 ** -20 at most, since of so many answers in two equal stretches each falls into either.
Answers that come in bursts are no such thing, so the silence must also be `LONGER` times as long as the longest pause
near those stretches. Of n independent exponential pauses the next one is c times the longest of them with probability
n! c! / (n + c)!, which is 1.4e-6 for the 160 answers at least that lie in the stretch before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LEAST_ANSWERS = 20
LONGER = 3
BEFORE = 8
"""Times the length of the silence: how long before it pauses are looked for."""
_DAY = 1440
_WEEK = 7 * _DAY
_AROUND = 60
"""Minutes around the stretch of an earlier day that count as the same hour: people do not go home on the second, and
clocks are changed by an hour."""
LONGEST = _DAY
"""Minutes; after a day without answers the stretch of the day before would be silent, too."""
KEPT = _WEEK + 2 * LONGEST
"""Minutes of the past that are read at most."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stopped:
    """What should have come meanwhile."""

    usual: int
    """Answers in the emptiest of the stretches that are compared with."""
    pause: int
    """Minutes of the longest pause near them."""
    sure: bool
    """Whether a week is known; without one it may just be the first weekend."""


def stopped(counts: Counts, minutes: int) -> Stopped | None:
    """Whether a silence of so many whole minutes says that the service stopped; None where it may be usual.

    `counts` (n,) are the answers of each minute since the first one known, at most `KEPT`; its last minute is the last
    with any. Nothing is said of a service that has been known for less than a day.

    >>> stopped(np.full(2 * 1440, 30), 5)
    Stopped(usual=150, pause=0, sure=False)
    >>> stopped(np.full(2 * 1440, 3), 5) is None
    True
    """
    known = len(counts)
    if known < _DAY or not 0 < minutes <= LONGEST:
        return None
    lags = [lag for lag in (_DAY, _WEEK) if known >= lag]
    stretches = [counts[-minutes:], *(counts[known - lag :][:minutes] for lag in lags)]
    usual = min(int(stretch.sum()) for stretch in stretches)
    if usual < LEAST_ANSWERS:
        return None
    around = max(_AROUND, minutes)
    near = [counts[-BEFORE * minutes :]]
    near += [counts[max(0, known - lag - around) : known - lag + minutes + around] for lag in lags]
    pause = max(_longest_pause(stretch) for stretch in near)
    return None if minutes < LONGER * (pause + 1) else Stopped(usual, pause, _WEEK in lags)


def _longest_pause(counts: Counts) -> int:
    """Minutes in a row without answers."""
    some = np.flatnonzero(counts)
    edges = np.concatenate(([-1], some, [len(counts)]))
    return int(np.diff(edges).max()) - 1
