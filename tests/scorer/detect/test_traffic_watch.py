"""Silence is told whatever the clocks do, and batches that come late are no silence."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest
from tests.scorer.detect.test_monitor_core import gold

from ragvigil.scorer.detect import Batch, Monitor, MonitorSettings

HOUR, DAY = 3600.0, 86400.0


def batch(start: float, size: int) -> Batch:
    """An hour of an even service."""
    code, even = np.arange(size), np.ones(size)
    return Batch(
        start, start + HOUR, start + HOUR * (code + 0.5) / max(size, 1), code * 0, code, even, even, even
    )


def tickets(monitor: Monitor, starts: Iterable[float], size: int = 60) -> list[float]:
    """Days at which a ticket about traffic was written."""
    found = [alert for start in starts for alert in monitor.observe(batch(float(start), size))]
    return [alert.time / DAY for alert in found if alert.metric == "traffic"]


def hours(first: float, last: float, shift: float = 0.0) -> list[float]:
    """Starts of the hours from day `first` to day `last`, on clocks that are `shift` days ahead."""
    return [float(start) for start in np.arange(first * DAY, last * DAY, HOUR) + shift * DAY]


def service() -> Monitor:
    """A new monitor."""
    return Monitor(MonitorSettings(segments=1, batch_seconds=HOUR), gold())


def test_silence_is_told_after_one_batch_of_next_year() -> None:
    """A trace with a wrong date is no reason to look away for a year."""
    monitor = service()
    assert tickets(monitor, [*hours(0, 9), 374.0 * DAY, *hours(9, 12)]) == []
    assert len(tickets(monitor, hours(12, 13), size=0)) == 1


def test_silence_is_told_after_the_clocks_were_set_back() -> None:
    """Days that come again are counted anew."""
    monitor = service()
    assert tickets(monitor, [*hours(0, 10), *hours(10, 13, shift=-5.0)]) == []
    assert len(tickets(monitor, hours(13, 14, shift=-5.0), size=0)) == 1


def test_batches_out_of_order_are_no_silence_and_silence_is_still_told() -> None:
    """Within six hours in any order: an hour is judged when what may come has come."""
    monitor, random = service(), np.random.default_rng(3)
    starts = np.concatenate([random.permutation(six) for six in np.split(np.array(hours(0, 15)), 60)])
    assert tickets(monitor, starts) == []
    assert len(tickets(monitor, hours(15, 16), size=0)) == 1


@pytest.mark.parametrize(("late", "most"), [(24, 1), (60, 3)])
def test_batches_a_day_and_more_out_of_order_are_learned_from_and_silence_is_still_told(
    late: int, most: int
) -> None:
    """A third of them: the hour that was told is filled afterwards, and the next ones are waited for."""
    monitor = service()
    assert tickets(monitor, hours(0, 9)) == []
    arrivals = sorted(
        (start + (late * HOUR if start % (3 * HOUR) == 0.0 else 0.0), start) for start in hours(9, 37)
    )
    assert len(tickets(monitor, [start for _, start in arrivals])) <= most
    told = tickets(monitor, hours(37, 47), size=0)
    assert told
    assert told[0] <= 37.0 + (late + 24) / 24.0


def test_a_day_of_batches_that_comes_a_day_late_is_no_clock_that_was_set_back() -> None:
    """Each day comes before the one that it follows: time ran twice as fast, with a ticket every second day."""
    monitor = service()
    assert tickets(monitor, hours(0, 9)) == []
    days = [hours(day, day + 1) for day in range(9, 37)]
    swapped = [start for one, two in zip(days[::2], days[1::2], strict=True) for start in (*two, *one)]
    assert len(tickets(monitor, swapped)) <= 2
    assert len(tickets(monitor, hours(37, 41), size=0)) >= 1


def test_silence_of_a_service_in_order_is_told_within_two_hours() -> None:
    """Nothing is waited for without a reason."""
    monitor = service()
    assert tickets(monitor, hours(0, 10)) == []
    assert tickets(monitor, hours(10, 11), size=0)[0] <= 10.0 + 2.0 / 24.0
