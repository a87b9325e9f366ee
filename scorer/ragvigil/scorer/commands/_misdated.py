"""Which services send spans whose moment cannot be right, for ``ragvigil status``."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from ragvigil.scorer.commands._places import on_screen
from ragvigil.scorer.moments import in_utc
from ragvigil.scorer.store._sqlite_misdated import Misdated, misdated


def as_json(connection: sqlite3.Connection) -> Sequence[dict[str, object]]:
    """Each service, how many of its traces in the last 24 hours, what the last told, and its unit if it is another."""
    return [
        {
            "service": one.service,
            "traces": one.traces,
            "last_at": one.last_at,
            "told_nanoseconds": one.told,
            "unit": one.unit,
        }
        for one in misdated(connection, time.time_ns())
    ]


def as_text(connection: sqlite3.Connection) -> list[str]:
    """One line for each service."""
    return [_told(one) for one in misdated(connection, time.time_ns())]


def _told(one: Misdated) -> str:
    many = f"{one.traces:,} trace{'s' if one.traces > 1 else ''}"
    said = (
        f"{on_screen(one.service)}: spans of {many} in the last 24 hours began when they cannot have "
        f"(last {one.told:,} ns, {in_utc(one.told)}); they count as of when they came"
    )
    if one.unit is not None:
        return (
            f"{said}, without durations: its exporter writes {one.unit} where OTLP has nanoseconds "
            "(startTimeUnixNano, endTimeUnixNano); convert there"
        )
    return f"{said}: the clock of its machine is wrong (NTP), or its exporter writes another unit than nanoseconds"
