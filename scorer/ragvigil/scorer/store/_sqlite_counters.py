"""Totals over all commits: what was ingested, lost, dropped."""

from __future__ import annotations

import sqlite3
from collections import Counter

_ADD = (
    "INSERT INTO counters (name, value) VALUES (?, ?) "
    "ON CONFLICT DO UPDATE SET value = value + excluded.value"
)


class SqliteCounters:
    """Gathers what one transaction adds, and writes it at its end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._added: Counter[str] = Counter()

    def add(self, name: str, amount: int) -> None:
        """Count something; it is written by `write`."""
        self._added[name] += amount

    def write(self) -> None:
        """Write what was counted since the last time."""
        added = [(name, amount) for name, amount in self._added.items() if amount]
        self._connection.executemany(_ADD, added)
        self._added.clear()

    def forget(self) -> None:
        """The transaction was rolled back."""
        self._added.clear()
