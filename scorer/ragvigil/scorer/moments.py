"""Moments are Unix nanoseconds: how long the usual spans of time are, and how people read a moment."""

from __future__ import annotations

from datetime import UTC, datetime

SECOND = 10**9
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def in_utc(nanoseconds: float) -> str:
    """A Unix moment to the minute.

    >>> in_utc(1_772_334_000 * 10**9)
    '2026-03-01 03:00 UTC'
    """
    return f"{datetime.fromtimestamp(nanoseconds / 1e9, UTC):%Y-%m-%d %H:%M} UTC"
