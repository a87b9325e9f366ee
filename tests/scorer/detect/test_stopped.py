"""How often a service that sends as ever is called silent, and how soon one that stopped is."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import pytest

from ragvigil.scorer.detect.stopped import KEPT, LONGEST, Counts, stopped

_DAY = 1440
_WEEKS = 26
_MINUTES = _WEEKS * 7 * _DAY
Make = Callable[[np.random.Generator], Counts]


def steady(each: float) -> Make:
    """Independent answers, so many a minute."""
    return lambda random: random.poisson(each, _MINUTES)


def nights(most: float, least: float) -> Make:
    """The rate of a day and night, between two bounds."""

    def make(random: np.random.Generator) -> Counts:
        height = 0.5 + 0.5 * np.sin(np.arange(_MINUTES) * 2.0 * np.pi / _DAY)
        return random.poisson(least + (most - least) * height)

    return make


def hours(each: float, opens: int, closes: int, *, weekend: bool) -> Make:
    """Opens and closes within a quarter of an hour or so, with a holiday now and then, and clocks changed halfway."""

    def make(random: np.random.Generator) -> Counts:
        counts = np.zeros(_MINUTES, dtype=np.int64)
        for day in range(_WEEKS * 7 - 1):
            if (not weekend and day % 7 >= 5) or random.random() < 0.03:
                continue
            shift = 60 * (day >= _WEEKS * 7 // 2)
            start, end = (int(hour * 60 + shift + random.normal(0.0, 12.0)) for hour in (opens, closes))
            counts[day * _DAY + start : day * _DAY + end] = random.poisson(each, end - start)
        return counts

    return make


def batches(every: int, size: int, late: float) -> Make:
    """A job that asks much at once, some minutes early or late."""

    def make(random: np.random.Generator) -> Counts:
        counts = np.zeros(_MINUTES + _DAY, dtype=np.int64)
        for due in range(0, _MINUTES, every):
            start, length = max(0, int(due + random.normal(0.0, late))), int(random.integers(1, 20))
            counts[start : start + length] += random.poisson(size / length, length)
        return counts[:_MINUTES]

    return make


def sessions(each: float, size: float) -> Make:
    """People who ask several questions in a row, a minute apart."""

    def make(random: np.random.Generator) -> Counts:
        begins = np.repeat(np.arange(_MINUTES), random.poisson(each, _MINUTES))
        lengths = random.geometric(1.0 / size, len(begins))
        later = random.exponential(0.5 * size, int(lengths.sum())).astype(np.int64)
        counts = np.zeros(_MINUTES, dtype=np.int64)
        asked: Counts = np.repeat(begins, lengths) + later
        np.add.at(counts, asked[asked < _MINUTES], 1)
        return counts

    return make


def wandering(each: float, by: float, minutes: float) -> Make:
    """A rate whose logarithm wanders within so many minutes, by so much (an Ornstein-Uhlenbeck process)."""

    def make(random: np.random.Generator) -> Counts:
        keep, level = np.exp(-1.0 / minutes), random.normal(0.0, by)
        levels = list[float]()
        for step in random.normal(0.0, by * np.sqrt(1.0 - keep**2), _MINUTES).tolist():
            level = keep * level + step
            levels.append(level)
        return random.poisson(each * np.exp(np.array(levels) - by**2 / 2.0))

    return make


def pausing(mean: float, draw: Callable[[np.random.Generator, int], npt.NDArray[np.float64]]) -> Make:
    """Independent pauses of mean 1 by `draw`, so many minutes on average."""

    def make(random: np.random.Generator) -> Counts:
        moments = np.cumsum(mean * draw(random, int(3 * _MINUTES / mean)))
        return np.bincount(moments[moments < _MINUTES].astype(np.int64), minlength=_MINUTES)

    return make


def stretches(each: float, on: float, off: float, tail: float) -> Make:
    """Busy for a while, then nothing for a while with a heavy tail."""

    def make(random: np.random.Generator) -> Counts:
        counts, at = np.zeros(_MINUTES, dtype=np.int64), 0
        while at < _MINUTES:
            length = int(1 + random.exponential(on))
            counts[at : at + length] = random.poisson(each, len(counts[at : at + length]))
            at += length + int(1 + random.pareto(tail) * off * (tail - 1.0))
        return counts

    return make


HEAVY: dict[str, Make] = {
    "a rate that wanders by e": wandering(2.0, 1.0, 60.0),
    "a rate that wanders far": wandering(2.0, 1.5, 60.0),
    "pauses without variance": pausing(1.0, lambda random, n: random.pareto(1.5, n) * 0.5),
    "many pauses with a tail": pausing(0.2, lambda random, n: random.pareto(2.5, n) * 1.5),
    "lognormal pauses": pausing(0.3, lambda random, n: random.lognormal(-1.125, 1.5, n)),
    "busy, then away": stretches(5.0, 60.0, 5.0, 1.5),
}
"""What had 4 to 304 false pages a year by the bounds for independent answers and bursts alone."""

TRAFFIC: dict[str, Make] = {
    "30 a second": steady(1800.0),
    "2 a minute": steady(2.0),
    "1 in 10 minutes": steady(0.1),
    "30 a day": steady(0.02),
    "day and night": nights(30.0, 0.0),
    "a quiet night": nights(1.0, 0.02),
    "office hours": hours(5.0, 8, 18, weekend=False),
    "few in office hours": hours(0.3, 8, 18, weekend=False),
    "a shop": hours(20.0, 8, 22, weekend=True),
    "a job every 6 hours": batches(360, 500, 5.0),
    "a job a day": batches(_DAY, 5000, 30.0),
    "a job an hour": batches(60, 60, 3.0),
    "sessions": sessions(0.1, 6.0),
    "few long sessions": sessions(0.02, 20.0),
}


def looks(until: int) -> Iterator[int]:
    """Minutes of silence after which it is looked, a tenth apart: each look weighs weeks of the past."""
    minutes = 5
    while minutes <= until:
        yield minutes
        minutes = max(minutes + 1, round(1.1 * minutes))


def alarms(counts: Counts) -> list[int]:
    """The minutes of silence after which each false alarm came."""
    counts = counts[np.flatnonzero(counts)[0] :]
    some = np.flatnonzero(counts)
    found: list[int] = []
    for last, gap in zip(some[:-1].tolist(), (np.diff(some) - 1).tolist(), strict=True):
        past = counts[max(0, last + 1 - KEPT) : last + 1]
        found += itertools.islice((each for each in looks(min(gap, LONGEST)) if stopped(past, each)), 1)
    return found


@pytest.mark.parametrize("kind", TRAFFIC)
def test_half_a_year_of_usual_traffic_is_never_called_silent(kind: str) -> None:
    """Nights, weekends, holidays, changed clocks, jobs and long sessions are what pages people for nothing."""
    assert alarms(TRAFFIC[kind](np.random.default_rng(26))) == []


def test_traffic_with_a_heavy_tail_is_called_silent_about_once_a_year() -> None:
    """Its next pause may be many times the longest: three years of six kinds had 270 pages by the other bounds."""
    found = {kind: len(alarms(make(np.random.default_rng(26)))) for kind, make in HEAVY.items()}
    assert sum(found.values()) <= len(HEAVY), found
    assert max(found.values()) <= 2, found


def test_an_outage_among_the_pauses_does_not_hide_the_next_one() -> None:
    """A service of 2 answers a minute that was away for two hours three days ago is missed about as soon as ever."""
    random = np.random.default_rng(28)
    counts = random.poisson(2.0, KEPT)
    counts[-3 * _DAY : -3 * _DAY + 120] = 0
    counts[-1] = 1
    assert next(minutes for minutes in range(5, LONGEST) if stopped(counts, minutes)) <= 24


@pytest.mark.parametrize(
    ("kind", "soonest", "latest"),
    [("30 a second", 5, 5), ("2 a minute", 9, 24), ("1 in 10 minutes", 120, 420), ("sessions", 60, 1000)],
)
def test_a_service_that_stops_is_missed_within_minutes_or_about_twenty_answers(
    kind: str, soonest: int, latest: int
) -> None:
    """At whatever moment it stops."""
    random = np.random.default_rng(27)
    counts = TRAFFIC[kind](random)
    some = np.flatnonzero(counts)
    for last in random.choice(some[some > KEPT], 50):
        past = counts[last + 1 - KEPT : last + 1]
        after = next(minutes for minutes in looks(LONGEST) if stopped(past, minutes))
        assert soonest <= after <= latest
