"""Which services send traces whose moment cannot be right, and how many in each of the last hours."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, cast

from ragvigil.scorer.moments import HOUR, unit_told
from ragvigil.scorer.store._json import storable
from ragvigil.scorer.store._sqlite_counters import SqliteCounters
from ragvigil.scorer.store._sqlite_meta import remember, remembered
from ragvigil.scorer.store._sqlite_unread import HOURS
from ragvigil.scorer.store.port import ScoredTrace

_KEY = "misdated_traces"
_MOST = 50
"""Services that are remembered, the latest of them."""
_LONGEST_NAME = 200


class Misdated(NamedTuple):
    """What one service sent that cannot be of the moment that it tells."""

    service: str
    traces: int
    """In the last 24 hours."""
    last_at: int
    """When the last of them was written, Unix nanoseconds."""
    told: int
    """The moment that it tells, taken for Unix nanoseconds."""

    @property
    def unit(self) -> str | None:
        """In which unit that is about the moment at which it came; None when in none."""
        return unit_told(self.told, self.last_at)


def count_misdated(
    connection: sqlite3.Connection, counters: SqliteCounters, traces: Sequence[ScoredTrace], now: int
) -> None:
    """Count those of the traces, all of them new, of which it is so; within the caller's transaction."""
    found = [(trace, told) for trace in traces if (told := trace.misdated) is not None]
    if not found:
        return
    hour, kept = now // HOUR, _kept(connection)
    for trace, told in found:
        counters.add(f"misdated.{unit_told(told, now) or 'unknown'}", 1)
        name = storable(trace.service or "unknown_service")[:_LONGEST_NAME]
        _, _, hours = kept.pop(name, (0, 0, {}))
        hours = {one: n for one, n in hours.items() if abs(hour - int(one)) < HOURS}
        kept[name] = (now, told, hours | {str(hour): hours.get(str(hour), 0) + 1})
    remember(connection, _KEY, json.dumps(dict(list(kept.items())[-_MOST:])))


def misdated(connection: sqlite3.Connection, now: int) -> list[Misdated]:
    """The services of which any came in the last 24 hours, by name."""
    hour = now // HOUR
    found = (
        Misdated(service, sum(n for one, n in hours.items() if abs(hour - int(one)) < HOURS), last_at, told)
        for service, (last_at, told, hours) in sorted(_kept(connection).items())
    )
    return [one for one in found if one.traces]


def _kept(connection: sqlite3.Connection) -> dict[str, tuple[int, int, dict[str, int]]]:
    """By service, the latest last: when one was written last, the moment that it tells, and how many in each hour."""
    text = remembered(connection, _KEY)
    return {} if text is None else cast("dict[str, tuple[int, int, dict[str, int]]]", json.loads(text))
