"""Which records' scores have changed and are still to be sent to other tools, and how far each of them has got."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Literal

from ragvigil.scorer.store._sqlite_monitoring import joined

Part = Literal["checks", "verdict"]
_SPARE_SHARE = 10
"""A tenth more than the bound may be kept: pruning one by one would cost a search each."""


class SqliteOutgoing:
    """Notes changes in the transaction that makes them, and forgets those that every sink has taken."""

    def __init__(self, connection: sqlite3.Connection, *, most: int | None) -> None:
        """At most so many changes are kept; None: nobody wants them, and none is noted."""
        self._connection = connection
        self._most = most
        self._noted: list[tuple[int, Part]] = []

    def note(self, record_id: int, part: Part) -> None:
        """The record has new scores; it is written by `write`."""
        if self._most is not None:
            self._noted.append((record_id, part))

    def write(self) -> None:
        """Write what was noted since the last time."""
        if self._noted:
            self._connection.executemany("INSERT INTO outgoing (record_id, part) VALUES (?, ?)", self._noted)
            self._noted.clear()

    def forget(self) -> None:
        """The transaction was rolled back."""
        self._noted.clear()

    def begin(self, sinks: Collection[str]) -> None:
        """These sinks want changes from now on, or from where they were; others are forgotten."""
        newest = "(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outgoing')"
        with joined(self._connection):
            for sink in sinks:
                self._connection.execute(
                    f"INSERT OR IGNORE INTO sinks (name, seq, dropped) VALUES (?, {newest}, 0)", (sink,)
                )
            known = [row[0] for row in self._connection.execute("SELECT name FROM sinks")]
            gone = [(name,) for name in known if name not in sinks]
            self._connection.executemany("DELETE FROM sinks WHERE name = ?", gone)
            self.prune()

    def reached(self, sink: str, seq: int) -> None:
        """The sink has taken every change up to that one."""
        with joined(self._connection):
            self._connection.execute("UPDATE sinks SET seq = max(seq, ?) WHERE name = ?", (seq, sink))
            self.prune()

    def prune(self) -> None:
        """Delete what every sink has taken, and the oldest beyond the bound, counted for each sink that lacks it."""
        with joined(self._connection):
            self._connection.execute(
                "DELETE FROM outgoing WHERE seq <= (SELECT coalesce(min(seq), 9223372036854775807) FROM sinks)"
            )
            row = self._connection.execute("SELECT min(seq), max(seq) FROM outgoing").fetchone()
            if (
                self._most is None
                or row[0] is None
                or row[1] - row[0] < self._most + self._most // _SPARE_SHARE
            ):
                return
            first = row[1] - self._most
            self._connection.execute(
                "UPDATE sinks SET dropped = dropped + (SELECT count(*) FROM outgoing o WHERE o.seq > sinks.seq "
                "AND o.seq <= :first), seq = max(seq, :first)",
                {"first": first},
            )
            self._connection.execute("DELETE FROM outgoing WHERE seq <= ?", (first,))
