"""What ``ragvigil status`` reads of the sequential detectors in a store that another process writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.moments import DAY
from ragvigil.scorer.store._sqlite_seen import LAST_DAY
from ragvigil.scorer.watch.port import Place, Seen

_MOST_RECORDS = 100_000


def detectors(connection: sqlite3.Connection) -> Sequence[tuple[Place, str | None]]:
    """Every watched service with what its watcher remembers (JSON), None before its first batch."""
    rows = connection.execute("SELECT service, environment, state FROM detectors ORDER BY 1, 2")
    return [(Place(row[0], row[1] or None), row[2]) for row in rows]


def last_day(connection: sqlite3.Connection, place: Place, end: int) -> Sequence[Seen]:
    """The records of the batches that were decided on within the day before `end`, the latest 100,000 at most."""
    values = (place.service, place.environment or "", end - DAY, end, end, _MOST_RECORDS)
    return [Seen(*row) for row in connection.execute(LAST_DAY, values)]
