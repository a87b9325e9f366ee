"""What was paid for: replies by content, who asks what, and what was spent, in one SQLite file that processes share."""

from __future__ import annotations

import hashlib
import math
import sqlite3
import time
import zlib
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Literal, NamedTuple

from ragvigil.scorer.config.fields import without_secrets
from ragvigil.scorer.sample import Spent
from ragvigil.scorer.unusable import unusable

LEASE_SECONDS = 15.0
"""How long a question is its asker's; the askers that live renew it in time."""
_MOST_REPLIES = 50_000
_BUSY_SECONDS = 2.0
_MINUTE, _DAY = 60.0, 86_400.0
_FIND = "SELECT r.text, r.answered_as FROM replies r JOIN models m USING (asked, answered_as) WHERE r.key = ?"
_CLAIM = (
    "INSERT INTO asking (key, owner, until) VALUES (:key, :owner, :until) ON CONFLICT DO UPDATE SET "
    "owner = excluded.owner, until = excluded.until WHERE until < :now OR until > :until"
)
_END = "DELETE FROM asking WHERE key = ? AND owner = ?"
_SET_BACK_SECONDS = 30.0
"""What is said to be spent later than so far ahead was written before the clock was set back."""
_AHEAD = "SELECT 1 FROM spent WHERE at > :now + :most"
_SET_BACK = "UPDATE spent SET at = :now WHERE at > :now + :most"
_SPENT = "SELECT at, minute_calls, minute_tokens, minute_usd, day_calls, day_tokens, day_usd FROM spent WHERE owner "


class Reply(NamedTuple):
    """What a model said before to the same question."""

    text: str
    answered_as: str


Claim = Reply | Literal["yours", "asked"]
"""The reply; or that the question is the caller's to ask; or that somebody asks it."""
YOURS: Claim = "yours"


class _Spending(NamedTuple):
    """What was spent in about a minute and in about a day before a moment (seconds since the epoch)."""

    at: float
    minute: Spent = Spent()
    day: Spent = Spent()

    def later(self, now: float) -> _Spending:
        """What is left of it by then."""
        passed = max(0.0, now - self.at)
        minute, day = self.minute * math.exp(-passed / _MINUTE), self.day * math.exp(-passed / _DAY)
        return _Spending(now, minute, day)


class Paid:
    """One process's door to the file; any of its threads may use it.

    A question that one process asks is left to it by the others until it has the reply, or dies.
    """

    def __init__(self, path: Path, owner: str, *, now: Callable[[], float] = time.time) -> None:
        """`owner` is the same after a restart, and no other's that lives; what it held before it died is let go.

        Raises StoreError when the file cannot be used.
        """
        self._owner = owner
        self._now = now
        self._lock = Lock()
        self._forgotten = set[bytes]()
        self._unwritten = _Spending(now())
        """What was spent while the file could not be written."""
        self._ended = set[bytes]()
        """Questions no longer asked, though the file may still say so: it could not be written."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)  # replies quote the answers
            self._connection = sqlite3.connect(
                path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = NORMAL")  # what power loss takes is asked again
            self._connection.execute("PRAGMA secure_delete = ON")
            self._connection.executescript(files("ragvigil.scorer.judge").joinpath("paid.sql").read_text())
            self._connection.execute("DELETE FROM asking WHERE owner = ?", (owner,))
            self._drop_secrets()
        except (OSError, sqlite3.Error) as error:
            raise unusable(path, error) from error

    def claim(self, key: bytes, trace_id: str) -> Claim:
        """The reply to a question about that trace; else whether it is the caller's to ask, or somebody asks it."""
        with self._transaction() as connection:
            row = connection.execute(_FIND, (key,)).fetchone()
            if row is not None:
                connection.execute("INSERT OR IGNORE INTO replies_of VALUES (?, ?)", (_of(trace_id), key))
                return Reply(zlib.decompress(row[0]).decode(), row[1])
            if key in self._ended:
                connection.execute(_END, (key, self._owner))
            now = self._now()
            held = {"key": key, "owner": self._owner, "until": now + LEASE_SECONDS, "now": now}
            if not connection.execute(_CLAIM, held).rowcount:
                return "asked"
        self._ended.discard(key)
        return YOURS

    def keep(self, key: bytes, trace_id: str, asked: str, reply: Reply) -> None:
        """Remember the reply of the model `asked`, unless its trace was forgotten meanwhile."""
        trace = _of(trace_id)
        with self._ending(key) as connection:
            connection.execute("INSERT OR REPLACE INTO models VALUES (?, ?)", (asked, reply.answered_as))
            if trace not in self._forgotten:
                text = zlib.compress(reply.text.encode("utf-8", "replace"), 1)
                row = (key, asked, reply.answered_as, text, self._now())
                connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?, ?)", row)
                connection.execute("INSERT OR IGNORE INTO replies_of VALUES (?, ?)", (trace, key))

    def let_go(self, key: bytes) -> None:
        """A question that was claimed got no reply worth keeping."""
        with self._ending(key):
            pass

    def renew(self) -> None:
        """Say that the questions of this process are still being asked, and which are not."""
        ended = list(self._ended)
        with self._transaction() as connection:
            connection.executemany(_END, [(key, self._owner) for key in ended])
            until = self._now() + LEASE_SECONDS
            connection.execute("UPDATE asking SET until = ? WHERE owner = ?", (until, self._owner))
        self._ended.difference_update(ended)

    def spend(self, *, calls: float, tokens: float, usd: float) -> None:
        """Add what this process spent. What cannot be written counts all the same, and is written with the next."""
        with self._lock:
            owed, more = self._unwritten.later(self._now()), Spent(calls, tokens, usd)
            owed = self._unwritten = _Spending(owed.at, owed.minute + more, owed.day + more)
            with self._writing() as connection:
                minute, day = self._sum(connection, "= ?", owed.at)
                row = (self._owner, owed.at, *(minute + owed.minute), *(day + owed.day))
                connection.execute("INSERT OR REPLACE INTO spent VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._unwritten = _Spending(owed.at)

    def spent(self) -> tuple[Spent, Spent]:
        """What all processes spent, in about a minute and in about a day; of this one no calls.

        Whoever draws the records of this process counts those before they are made.
        """
        now = self._now()
        with self._lock:
            self._follow_the_clock(now)
            others, own = (self._sum(self._connection, whose, now) for whose in ("<> ?", "= ?"))
            owed = self._unwritten = self._unwritten.later(now)
        minute, day = (
            theirs + (ours + unwritten)._replace(calls=0.0)
            for theirs, ours, unwritten in zip(others, own, owed[1:], strict=True)
        )
        return minute, day

    def forget(self, trace_ids: Collection[str]) -> None:
        """Delete what was said of these traces, also for others with the same content."""
        with self._transaction() as connection:
            for trace in map(_of, trace_ids):
                self._forgotten.add(trace)
                connection.execute(
                    "DELETE FROM replies WHERE key IN (SELECT key FROM replies_of WHERE trace = ?)", (trace,)
                )
                connection.execute("DELETE FROM replies_of WHERE trace = ?", (trace,))
        with self._lock:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def expire(self, before: float) -> int:
        """Delete replies older than that moment, and the oldest beyond the most that are kept; how many."""
        with self._transaction() as connection:
            excess = connection.execute("SELECT max(0, count(*) - ?) FROM replies", (_MOST_REPLIES,))
            gone = connection.execute("DELETE FROM replies WHERE at < ?", (before,)).rowcount
            gone += connection.execute(
                "DELETE FROM replies WHERE key IN (SELECT key FROM replies ORDER BY at LIMIT ?)",
                (max(0, excess.fetchone()[0] - gone),),
            ).rowcount
            if gone:
                connection.execute("DELETE FROM replies_of WHERE key NOT IN (SELECT key FROM replies)")
            connection.execute("DELETE FROM spent WHERE at < ?", (self._now() - 30 * _DAY,))
        return gone

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _drop_secrets(self) -> None:
        """Delete what earlier versions kept under addresses with passwords and keys; nobody finds it any more."""
        known = [row[0] for row in self._connection.execute("SELECT asked FROM models")]
        bare = [asked for asked in known if " ".join(map(without_secrets, asked.split(" "))) != asked]
        for asked in bare:
            with self._transaction() as connection:
                connection.execute("DELETE FROM models WHERE asked = ?", (asked,))
                connection.execute("DELETE FROM replies WHERE asked = ?", (asked,))
                connection.execute("DELETE FROM replies_of WHERE key NOT IN (SELECT key FROM replies)")
        if bare:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _sum(self, connection: sqlite3.Connection, whose: str, now: float) -> tuple[Spent, Spent]:
        minute, day = Spent(), Spent()
        for at, *figures in connection.execute(_SPENT + whose, (self._owner,)):
            left = _Spending(at, Spent(*figures[:3]), Spent(*figures[3:])).later(now)
            minute, day = minute + left.minute, day + left.day
        return minute, day

    def _follow_the_clock(self, now: float) -> None:
        """Count the age of what lies ahead from now on: else it would grow no older until then."""
        when = {"now": now, "most": _SET_BACK_SECONDS}
        with suppress(sqlite3.Error):  # where it cannot be written it ages later
            if self._connection.execute(_AHEAD, when).fetchone() is not None:
                self._connection.execute(_SET_BACK, when)

    @contextmanager
    def _ending(self, key: bytes) -> Generator[sqlite3.Connection]:
        """A question that is asked no longer; where that cannot be written, the next `claim` or `renew` does."""
        try:
            with self._transaction() as connection:
                connection.execute(_END, (key, self._owner))
                yield connection
        except sqlite3.Error:
            self._ended.add(key)
            raise

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._lock, self._writing() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Generator[sqlite3.Connection]:
        """A transaction of whoever holds the lock."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection


def _of(trace_id: str) -> bytes:
    return hashlib.sha256(trace_id.encode()).digest()[:16]
