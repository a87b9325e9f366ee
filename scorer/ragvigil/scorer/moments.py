"""Moments are Unix nanoseconds: how long the usual spans of time are, and how people read a moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import cast

SECOND = 10**9
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
YEAR_2000 = 946_684_800 * SECOND
"""No trace, and nothing told of one, is older."""
AHEAD = DAY
"""By so much clocks may be ahead of ours, time zones that were forgotten included."""
_UNITS = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3}
_NAMED = re.compile(r"(?:\w+_)?(?:at|since|until|begin|end|start)")
_LEAST = 10**15
"""No moment after the twelfth of January 1970 is less; places in a text and other counts are."""


def calendar_time(nanoseconds: float) -> datetime:
    """A Unix moment as date and time of day in UTC, to the microsecond.

    >>> calendar_time(1_772_334_000 * 10**9)
    datetime.datetime(2026, 3, 1, 3, 0, tzinfo=datetime.timezone.utc)
    """
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)


def unix_nanoseconds(moment: datetime) -> int:
    """What `calendar_time` makes a date of.

    >>> unix_nanoseconds(calendar_time(1_772_334_000 * 10**9)) == 1_772_334_000 * 10**9
    True
    """
    return int(moment.timestamp() * 1e9)


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


def in_iso(nanoseconds: int) -> str:
    """A moment in Unix nanoseconds as ISO 8601, UTC, to the microsecond: what programs are told.

    >>> in_iso(1_790_000_000_250_000_000)
    '2026-09-21T14:13:20.250000Z'
    """
    return _iso(datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=nanoseconds // 1000))


def dated(found: object) -> object:
    """The same, however deep, with ISO 8601 for moments, as webhooks have them: many a JSON reader rounds nanoseconds.

    >>> dated({"since": 1_790_000_000_250_000_000, "claims": [{"start": 12, "until": None}], "n": 10**18})
    {'since': '2026-09-21T14:13:20.250000Z', 'claims': [{'start': 12, 'until': None}], 'n': 1000000000000000000}
    """
    if isinstance(found, Mapping):
        return {key: _dated(key, value) for key, value in cast("Mapping[str, object]", found).items()}
    if isinstance(found, list | tuple):
        return [dated(one) for one in cast("list[object]", found)]
    return _iso(found) if isinstance(found, datetime) else found


def unit_told(moment: int, now: int) -> str | None:
    """In which unit a moment is about now, if that is not nanoseconds: give or take a year; None when in none.

    >>> now = 1_790_000_000 * 10**9
    >>> unit_told(1_789_990_000_000, now), unit_told(1_789_990_000, now), unit_told(60 * 10**9, now)
    ('milliseconds', 'seconds', None)
    """
    return next((unit for unit, each in _UNITS.items() if abs(moment * each - now) <= 366 * DAY), None)


def _dated(key: str, value: object) -> object:
    if isinstance(value, int) and value >= _LEAST and _NAMED.fullmatch(key):
        return in_iso(value)
    return dated(value)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
