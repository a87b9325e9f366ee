"""Has a service stopped sending: nothing came where by its own past something should have. Pure.

Three stretches as long as the silence are asked: the one just before it, and the same one of the day before and of
the week before. Each must have held `LEAST_ANSWERS`; if they come independently and as often as then, nothing comes
now with probability 2 ** -20 at most, since of so many answers in two equal stretches each falls into either.
Answers that come in bursts are no such thing, so the silence must also be `LONGER` times as long as the longest pause
near those stretches. Of n independent exponential pauses the next one is c times the longest of them with probability
n! c! / (n + c)!, which is 1.4e-6 for the 160 answers at least that lie in the stretch before.
Where pauses have a heavy tail, neither bound holds: the next one may be many times the longest. So it is asked what all
known pauses cost, each like this silence, by what should have come in it; their tail is estimated (Hill 1975, Ann Stat
3:1163) and carried on to what one pause in `YEARS` years costs. This silence must have cost as much.
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

YEARS = 5
_TAIL = 20
"""Pauses that cost most, of which the tail is estimated."""
_LEFT_OUT = 1
"""Of these the first: it may have been an outage."""
_FEWEST = 5
_SHIFT = 5.0
"""Added to each, so that pauses in which hardly anything was missing have no tail."""
_LOOKED_AT = 100
_LONG = 120
"""Minutes from which on a pause is a night or a weekend if one half as long was at that hour of another day."""
_CLOSED = 2

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
    pause = _pause_near(counts, known, minutes)
    if minutes < LONGER * (pause + 1) or usual < _dearest(counts):
        return None
    return Stopped(usual, pause, _WEEK in lags)


def _dearest(counts: Counts) -> float:
    """What one pause in `YEARS` years costs, as those of `counts` are; 0 where too few are known."""
    begins, lengths, due = _pauses(counts)
    costs = list[float]()
    for which in np.argsort(-due, kind="stable")[:_LOOKED_AT].tolist():
        begin, length = int(begins[which]), int(lengths[which])
        if due[which] > 0 and not _is_closing(counts, begin, length):
            share = length / (LONGER * (_pause_near(counts, begin, length) + 1))
            costs.append(float(due[which]) * min(1.0, share) + _SHIFT)
    ordered = np.sort(costs)[::-1]
    last = min(_TAIL, len(ordered) - 1)
    if last - _LEFT_OUT < _FEWEST:
        return 0.0
    places = np.arange(_LEFT_OUT, last)
    logarithms = np.log(ordered)
    index = float(np.mean((places + 1) * (logarithms[places] - logarithms[places + 1])))
    known_years = (len(counts) - _DAY) / (52 * _WEEK)
    return float(ordered[last] * (last * YEARS / known_years) ** index) - _SHIFT


def _pauses(counts: Counts) -> tuple[Counts, Counts, Counts]:
    """The minute at which each pause begins, its length up to a day, and what should have come in it.

    Those of which the day before is known: what came in the emptiest of the stretches compared with, as for a silence.
    """
    some = np.flatnonzero(counts)
    begins, lengths = some[:-1] + 1, np.minimum(np.diff(some) - 1, _DAY)
    known = (lengths > 0) & (begins >= _DAY)
    begins, lengths = begins[known], lengths[known]
    total = np.concatenate(([0], np.cumsum(counts)))
    due = total[begins] - total[np.maximum(0, begins - lengths)]
    for lag in (_DAY, _WEEK):
        there = begins >= lag
        then = begins[there] - lag
        due[there] = np.minimum(due[there], total[then + lengths[there]] - total[then])
    return begins, lengths, due


def _is_closing(counts: Counts, begin: int, length: int) -> bool:
    """Whether a long pause was at that hour of the day or the week before, too."""
    if length < _LONG:
        return False
    lags = [lag for lag in (_DAY, _WEEK) if begin >= lag]
    pause = max(_longest_pause(_then(counts, begin, length, lag, _AROUND)) for lag in lags)
    return length < _CLOSED * (pause + 1)


def _pause_near(counts: Counts, begin: int, length: int) -> int:
    """The longest pause near the stretches that a pause is compared with."""
    around = max(_AROUND, length)
    near = [counts[max(0, begin - BEFORE * length) : begin]]
    near += [_then(counts, begin, length, lag, around) for lag in (_DAY, _WEEK) if begin >= lag]
    return max(_longest_pause(stretch) for stretch in near)


def _then(counts: Counts, begin: int, length: int, lag: int, around: int) -> Counts:
    """The same stretch so many minutes before, and what lies around it up to `begin`."""
    return counts[max(0, begin - lag - around) : min(begin, begin - lag + length + around)]


def _longest_pause(counts: Counts) -> int:
    """Minutes in a row without answers."""
    some = np.flatnonzero(counts)
    edges = np.concatenate(([-1], some, [len(counts)]))
    return int(np.diff(edges).max()) - 1
