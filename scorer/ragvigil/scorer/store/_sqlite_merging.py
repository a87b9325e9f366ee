"""Merges the minutes of old rollups into hours, a day of one series in each short transaction."""

from __future__ import annotations

import json
import sqlite3
from typing import NamedTuple

from ragvigil.scorer.moments import DAY, HOUR
from ragvigil.scorer.store._sqlite_meta import remember, remembered

_NAME = "rollups_merged"
_FIRST = ("", "", "", -1, -1)
_LAST = 2**63 - 1
_SKIPS_A_STEP = 50
_KEY = "series = ? AND service = ? AND environment = ? AND instrument_id = ?"
_COLUMNS = ("n", "w", "wx", "w2", "w2x", "w2x2", "settled_n", "settled_w", "settled_wx")
_NEXT = (
    "SELECT series, service, environment, instrument_id, bucket FROM rollups "
    "WHERE (series, service, environment, instrument_id, bucket) > (?, ?, ?, ?, ?) "
    "ORDER BY series, service, environment, instrument_id, bucket LIMIT 1"
)
_HOURS = (
    f"SELECT bucket - bucket % {HOUR} AS hour, {', '.join(f'sum({name})' for name in _COLUMNS)} FROM rollups "
    f"WHERE {_KEY} AND bucket >= ? AND bucket < ? "
    "GROUP BY hour HAVING count(*) > 1 AND sum(n) = sum(settled_n)"
)
_DELETE = f"DELETE FROM rollups WHERE {_KEY} AND bucket >= ? AND bucket < ?"
_INSERT = (
    f"INSERT INTO rollups (series, service, environment, instrument_id, bucket, {', '.join(_COLUMNS)}) "
    f"VALUES ({', '.join('?' * (5 + len(_COLUMNS)))})"
)


class _Pass(NamedTuple):
    """How far a pass over all series is."""

    done: int = 0
    """Up to here an earlier pass has merged, Unix nanoseconds."""
    until: int = 0
    """Up to here this one merges."""
    after: tuple[str, str, str, int, int] | None = None
    """Key of the row behind which it goes on; None: it is over."""


def merge_minutes(connection: sqlite3.Connection, before: int) -> int:
    """Take a step with the minutes that began before that moment (Unix nanoseconds); 0 when there is none to take.

    Only hours whose records are all deleted: nothing refers to one of their minutes any more, and nothing of them can
    change. The sums of each hour stay what they were, bit for bit.
    """
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        kept = remembered(connection, _NAME)
        at = _Pass() if kept is None else _read(kept)
        if at.after is None:
            until = before - before % DAY
            if until <= at.done:
                return 0
            at = _Pass(at.done, until, _FIRST)
        at = _step(connection, at, at.after or _FIRST)
        remember(connection, _NAME, json.dumps(at))
    return int(at.after is not None)


def _read(kept: str) -> _Pass:
    done, until, after = json.loads(kept)
    return _Pass(done, until, None if after is None else tuple(after))


def _step(connection: sqlite3.Connection, at: _Pass, after: tuple[str, str, str, int, int]) -> _Pass:
    for _ in range(_SKIPS_A_STEP):
        row = connection.execute(_NEXT, after).fetchone()
        if row is None:
            return _Pass(done=at.until)
        key, bucket = tuple(row[:4]), row[4]
        if bucket >= at.until:
            after = (*key, _LAST)
        elif bucket < at.done:
            after = (*key, at.done - 1)
        else:
            begin = bucket - bucket % DAY
            end = min(begin + DAY, at.until)
            _merge(connection, key, begin, end)
            return at._replace(after=(*key, end - 1))
    return at._replace(after=after)


def _merge(connection: sqlite3.Connection, key: tuple[str, str, str, int], begin: int, end: int) -> None:
    for hour, *sums in connection.execute(_HOURS, (*key, begin, end)).fetchall():
        connection.execute(_DELETE, (*key, hour, hour + HOUR))
        connection.execute(_INSERT, (*key, hour, *sums))
