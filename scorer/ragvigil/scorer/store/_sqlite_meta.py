"""What a store remembers of itself: one text under each name."""

from __future__ import annotations

import sqlite3


def remembered(connection: sqlite3.Connection, name: str) -> str | None:
    """What was remembered last under that name."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def remember(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Instead of what was remembered under that name before."""
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (name, value))
