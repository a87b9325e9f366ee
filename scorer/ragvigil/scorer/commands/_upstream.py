"""What ``ragvigil status`` shows of sampling before the scorer."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import asdict

from ragvigil.scorer.commands._places import place_on_screen
from ragvigil.scorer.listed import listed
from ragvigil.scorer.store.upstream import Upstream, upstream

_MOST = 10


def as_json(connection: sqlite3.Connection, window_seconds: float) -> list[dict[str, object]]:
    """Each service with what its senders say of their sampling."""
    return shown(_found(connection, window_seconds))


def as_text(connection: sqlite3.Connection, window_seconds: float) -> list[str]:
    """A line for each service of which something has to be said."""
    return told(_found(connection, window_seconds))


def shown(found: Sequence[Upstream]) -> list[dict[str, object]]:
    """For programs."""
    return [{**asdict(one), "caveat": one.caveat} for one in found]


def told(found: Sequence[Upstream]) -> list[str]:
    """For people: one line for each thing that has to be said, with the services of which it is true."""
    services: dict[str, list[str]] = {}
    for one in found:
        if one.caveat:
            place = place_on_screen(one.service, one.environment)
            services.setdefault(one.caveat, []).append(place)
    return [f"{listed(places, _MOST, between='; ')}: {caveat}" for caveat, places in services.items()]


def _found(connection: sqlite3.Connection, window_seconds: float) -> Sequence[Upstream]:
    return upstream(connection, time.time_ns() - int(window_seconds * 1e9))
