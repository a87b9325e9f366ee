"""How often a service that sends as ever is called silent, and how soon one that stopped is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
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


def alarms(counts: Counts) -> list[int]:
    """The minutes of silence after which each false alarm came."""
    counts = counts[np.flatnonzero(counts)[0] :]
    some = np.flatnonzero(counts)
    found: list[int] = []
    for last, gap in zip(some[:-1].tolist(), (np.diff(some) - 1).tolist(), strict=True):
        minutes = 5
        past = counts[max(0, last + 1 - KEPT) : last + 1]
        while minutes <= min(gap, LONGEST):
            if stopped(past, minutes):
                found.append(minutes)
                break
            minutes = max(minutes + 1, round(1.1 * minutes))
    return found


@pytest.mark.parametrize("kind", TRAFFIC)
def test_half_a_year_of_usual_traffic_is_never_called_silent(kind: str) -> None:
    """Nights, weekends, holidays, changed clocks, jobs and long sessions are what pages people for nothing."""
    assert alarms(TRAFFIC[kind](np.random.default_rng(26))) == []


@pytest.mark.parametrize(
    ("kind", "soonest", "latest"),
    [("30 a second", 5, 5), ("2 a minute", 9, 24), ("1 in 10 minutes", 120, 420), ("sessions", 60, 300)],
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
        after = next(minutes for minutes in range(5, LONGEST) if stopped(past, minutes))
        assert soonest <= after <= latest
