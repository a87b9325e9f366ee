"""How often dialects of the operator's own failed on spans: ever, and in each of the last hours."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import NamedTuple, cast

from ragvigil.scorer.moments import HOUR
from ragvigil.scorer.store._sqlite_counters import SqliteCounters
from ragvigil.scorer.store._sqlite_meta import remember, remembered

HOURS = 24
"""So many hours are lately, the one that has begun included."""
_EVER = "dialect_failure."
_LATELY = "dialect_failures"
_Hours = tuple[int | None, dict[str, int]]
"""When it last failed, and how often in each hour since 1970."""
_NONE: _Hours = (None, {})


class Unread(NamedTuple):
    """How often one dialect failed on a span."""

    ever: int
    lately: int
    """In the last 24 hours."""
    last_at: int | None
    """When it last did, Unix nanoseconds; None where that was before it was written down."""


def count_unread(
    connection: sqlite3.Connection, counters: SqliteCounters, times: Mapping[str, int], now: int
) -> None:
    """Count failures of dialects, by name; within the caller's transaction."""
    if not times:
        return
    hour, kept = now // HOUR, _kept(connection)
    for name, more in times.items():
        counters.add(f"{_EVER}{name}", more)
        _, hours = kept.get(name, _NONE)
        hours = {one: n for one, n in hours.items() if abs(hour - int(one)) < HOURS}
        kept[name] = (now, hours | {str(hour): hours.get(str(hour), 0) + more})
    remember(connection, _LATELY, json.dumps(kept))


def unread(connection: sqlite3.Connection, counted: Mapping[str, int], now: int) -> dict[str, Unread]:
    """The dialects that ever failed, by name; `counted` are the store's counters."""
    kept, hour = _kept(connection), now // HOUR
    found = dict[str, Unread]()
    for name, ever in sorted(counted.items()):
        if name.startswith(_EVER):
            last_at, hours = kept.get(name.removeprefix(_EVER), _NONE)
            lately = sum(n for one, n in hours.items() if abs(hour - int(one)) < HOURS)
            found[name.removeprefix(_EVER)] = Unread(ever, lately, last_at)
    return found


def _kept(connection: sqlite3.Connection) -> dict[str, _Hours]:
    text = remembered(connection, _LATELY)
    return {} if text is None else cast("dict[str, _Hours]", json.loads(text))
