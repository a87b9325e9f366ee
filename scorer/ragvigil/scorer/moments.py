"""Moments as pages and reports write them."""

from __future__ import annotations

from datetime import UTC, datetime


def in_utc(nanoseconds: float) -> str:
    """A Unix moment to the minute.

    >>> in_utc(1_772_334_000 * 10**9)
    '2026-03-01 03:00 UTC'
    """
    return f"{datetime.fromtimestamp(nanoseconds / 1e9, UTC):%Y-%m-%d %H:%M} UTC"
