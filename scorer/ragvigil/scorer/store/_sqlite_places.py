"""The services and environments that a table knows, by a seek for each: its rows are many, and they are few."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator


def places_in(connection: sqlite3.Connection, table: str) -> Iterator[tuple[str, str]]:
    """Each service and environment of a table whose index, which `table` may name, begins with them; in order."""
    following = (
        f"SELECT service, environment FROM {table} WHERE (service, environment) > (?, ?) "
        "ORDER BY service, environment LIMIT 1"
    )
    place = ("", "")
    while row := connection.execute(following, place).fetchone():
        place = (row[0], row[1])
        yield place
