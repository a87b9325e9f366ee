"""Moments are Unix nanoseconds: how long the usual spans of time are, and how people read a moment."""

from __future__ import annotations

from datetime import UTC, datetime

SECOND = 10**9
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def calendar_time(nanoseconds: float) -> datetime:
    """A Unix moment as date and time of day in UTC, to the microsecond.

    >>> calendar_time(1_772_334_000 * 10**9)
    datetime.datetime(2026, 3, 1, 3, 0, tzinfo=datetime.timezone.utc)
    """
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)


def in_utc(nanoseconds: float) -> str:
    """A Unix moment to the minute.

    >>> in_utc(1_772_334_000 * 10**9)
    '2026-03-01 03:00 UTC'
    """
    return f"{calendar_time(nanoseconds):%Y-%m-%d %H:%M} UTC"


def to_the_second(nanoseconds: float) -> str:
    """A Unix moment to the second.

    >>> to_the_second(1_772_334_007 * 10**9)
    '2026-03-01 03:00:07 UTC'
    """
    return f"{calendar_time(nanoseconds):%Y-%m-%d %H:%M:%S} UTC"


def day_of(number: int) -> str:
    """The date of a day in UTC, counted from the first of 1970.

    >>> day_of(20_513)
    '2026-03-01'
    """
    return f"{calendar_time(number * DAY):%Y-%m-%d}"
