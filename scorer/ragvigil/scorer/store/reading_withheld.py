"""Of how many answers the owner keeps the texts back, from a store that another process writes."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

_SELECT = (
    "SELECT sum(completeness = 'withheld'), count(*) FROM records "
    "WHERE started_at >= ? AND started_at <= ? AND service = ? AND coalesce(environment, '') = ?"
)


class Withheld(NamedTuple):
    """The answers of one service and environment in a stretch of time."""

    withheld: int
    """Those of which ids are kept, and no texts."""
    answers: int


def withheld_of(
    connection: sqlite3.Connection, service: str, environment: str | None, since: int, until: int
) -> Withheld:
    """How many there are from `since` to `until` (Unix nanoseconds)."""
    row = connection.execute(_SELECT, (since, until, service, environment or "")).fetchone()
    return Withheld(row[0] or 0, row[1])
