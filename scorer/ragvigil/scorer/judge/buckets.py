"""The limits that processes share, as buckets in their file: what is drawn is written before anybody is asked."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ragvigil.scorer.sample import Limit, Spent

_SET_BACK_SECONDS = 30.0
"""What was written later than so far ahead was written before the clock was set back."""
_QUEUE_SECONDS = 300.0
"""So long the queue of a process that says no more counts."""
_MINUTE = 60.0
_HELD = "SELECT name, most, at, held FROM held"
_NEW = "INSERT OR IGNORE INTO held VALUES (?, ?, ?, 0.0)"
_PUT = "INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?)"
_SET_BACK = "UPDATE held SET at = ? WHERE at > ?"
_QUEUE = "INSERT OR REPLACE INTO queued VALUES (?, ?, ?, ?)"
_QUEUED = "SELECT at, newest, every FROM queued WHERE owner <> ? AND abs(at - ?) < ?"
_FORGET = "DELETE FROM held WHERE at < ?"


class _Held(NamedTuple):
    """What a bucket held at a moment."""

    at: float
    held: float


class Buckets:
    """What this process may spend of its `limits`; the caller holds a lock, and has a transaction where it writes.

    All buckets of the file get what anybody spends, also those of processes with other limits: each leaks by its own.
    A clock that jumps ahead lets leak out what each limit allows at once, and no more. While the file cannot be
    written, the process keeps to its limits by itself.
    """

    def __init__(self, limits: Sequence[Limit] = ()) -> None:
        self.limits = tuple(limits)
        self._known = dict[Limit, _Held]()
        """As last read, or written for good."""
        self._written = dict[Limit, _Held]()
        self._alone = dict[Limit, _Held]()
        """Since the file could be written last; empty while it can."""

    def open(self, connection: sqlite3.Connection, now: float) -> None:
        """See to it that there is a bucket of each limit, for others to put in what they spend."""
        connection.executemany(_NEW, [(*one, now) for one in self.limits])

    def draw(self, connection: sqlite3.Connection, cost: Spent, now: float) -> float:
        """Seconds to wait until `cost` may be spent; 0: it is drawn, once the caller's transaction is committed."""
        held = self._read(connection, now)
        wait = self._wait(held, cost)
        if wait <= 0.0:
            self._write(connection, held, cost, now)
        return wait

    def draw_alone(self, cost: Spent, now: float) -> float:
        """The same while the file cannot be written."""
        wait = self._wait(self._by_itself(now), cost)
        if wait <= 0.0:
            self.add_alone(cost, now)
        return wait

    def add(self, connection: sqlite3.Connection, cost: Spent, now: float) -> None:
        """Put in what was spent, or take out (negative) what was drawn and not spent."""
        self._write(connection, self._read(connection, now), cost, now)

    def add_alone(self, cost: Spent, now: float) -> None:
        """The same while the file cannot be written."""
        held = self._by_itself(now)
        self._alone = {one: _Held(now, max(0.0, held[one] + one.of(cost))) for one in self.limits}

    def wrote(self) -> None:
        """What was drawn or added last is in the file."""
        self._known = self._written
        self._alone.clear()

    def held(self, connection: sqlite3.Connection, now: float) -> Mapping[str, float]:
        """What the bucket of each limit of this process holds, by its name."""
        held = self._read(connection, now)
        return {one.name: held[one] for one in self.limits}

    def _wait(self, held: Mapping[Limit, float], cost: Spent) -> float:
        return max((one.wait(held[one], one.of(cost)) for one in self.limits), default=0.0)

    def _by_itself(self, now: float) -> dict[Limit, float]:
        return {one: _left(one, (self._alone or self._known).get(one), now) for one in self.limits}

    def _read(self, connection: sqlite3.Connection, now: float) -> dict[Limit, float]:
        found = {Limit(name, most): _Held(at, held) for name, most, at, held in connection.execute(_HELD)}
        if any(one.at > now + _SET_BACK_SECONDS for one in found.values()):
            with suppress(sqlite3.Error):  # where it cannot be written it leaks later
                connection.execute(_SET_BACK, (now, now + _SET_BACK_SECONDS))
        self._known = found
        left = {one: _left(one, held, now) for one, held in found.items()}
        own = {one: max(left.get(one, 0.0), _left(one, self._alone.get(one), now)) for one in self.limits}
        return left | own

    def _write(
        self, connection: sqlite3.Connection, held: Mapping[Limit, float], cost: Spent, now: float
    ) -> None:
        self._written = {one: _Held(now, max(0.0, left + one.of(cost))) for one, left in held.items()}
        connection.executemany(_PUT, [(*one, *now_held) for one, now_held in self._written.items()])


def _left(limit: Limit, before: _Held | None, now: float) -> float:
    return 0.0 if before is None else limit.left(before.held, now - before.at)


def say_queued(connection: sqlite3.Connection, owner: str, now: float, newest: float, every: float) -> None:
    """Tell the others what this process has drawn and not asked about: of about a minute, and all."""
    connection.execute(_QUEUE, (owner, now, newest, every))


def queued_by_others(connection: sqlite3.Connection, owner: str, now: float) -> tuple[float, float]:
    """What the others have."""
    newest = every = 0.0
    for at, recent, waiting in connection.execute(_QUEUED, (owner, now, _QUEUE_SECONDS)):
        newest += recent * math.exp(-abs(now - at) / _MINUTE)
        every += waiting
    return newest, every


def forget(connection: sqlite3.Connection, before: float) -> None:
    """Delete the buckets of limits that nobody has had since that moment."""
    connection.execute(_FORGET, (before,))
