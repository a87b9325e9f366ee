"""How old the documents are that a set asks about: who tests on old ones says nothing of new ones."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from ragvigil.scorer.offline.rows import rows_in

_KEYS = ("date", "updated_at", "last_modified", "published_at", "created_at", "timestamp")
_SECONDS_A_DAY = 86_400.0


def note_of_ages(path: Path, now: datetime) -> str:
    """What is told of the passages of a file: how many say a date, how old they are in the middle, which are newest."""
    dates = [_date(row) for _, row in rows_in(path)]
    return said(dates, path.name, now)


def said(dates: Iterable[datetime | None], name: str, now: datetime) -> str:
    """The same of dates.

    >>> at = datetime(2026, 1, 31, tzinfo=UTC)
    >>> said([datetime(2026, 1, 1, tzinfo=UTC), None], "c.jsonl", at)
    'c.jsonl: 1 of 2 passages say a date; half of them are older than 30 days, the newest is of 2026-01-01'
    >>> said([None], "c.jsonl", at)
    'c.jsonl: no passage says a date, so nobody knows how old these documents are'
    """
    told = list(dates)
    known = [one for one in told if one is not None]
    if not known:
        return f"{name}: no passage says a date, so nobody knows how old these documents are"
    days = statistics.median((now - one).total_seconds() / _SECONDS_A_DAY for one in known)
    return (
        f"{name}: {len(known):,} of {len(told):,} passages say a date; half of them are older than {days:,.0f} days, "
        f"the newest is of {max(known):%Y-%m-%d}"
    )


def _date(row: Mapping[str, object]) -> datetime | None:
    """Of a passage, or of its `metadata`: ISO 8601, or Unix seconds."""
    inner = row.get("metadata")
    places = [row, *([cast("Mapping[str, object]", inner)] if isinstance(inner, dict) else [])]
    value = next((place[key] for place in places for key in _KEYS if place.get(key) is not None), None)
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    return found if found is None or found.tzinfo else found.replace(tzinfo=UTC)
