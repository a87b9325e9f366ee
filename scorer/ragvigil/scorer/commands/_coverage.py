"""What ``ragvigil status`` shows of coverage."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import asdict

from ragvigil.exporters import Measurement, percent, shown
from ragvigil.scorer import config
from ragvigil.scorer.commands._places import places
from ragvigil.scorer.monitor.coverage import least_of
from ragvigil.scorer.store import reading


def as_json(connection: sqlite3.Connection, settings: config.Coverage) -> list[dict[str, object]]:
    """Each share of each service, with its threshold."""
    return [
        {
            "share": name,
            "service": service,
            "environment": environment,
            "least": least_of(name, settings),
            **asdict(share),
        }
        for service, environment, name, share in _shares(connection, settings)
    ]


def as_text(connection: sqlite3.Connection, settings: config.Coverage) -> list[str]:
    """The same as lines; those under their threshold say so."""
    found = list(_shares(connection, settings))
    named = places([(service, environment) for service, environment, _, _ in found])
    lines = [
        f"  {name.removeprefix('coverage_'):<11} {named[service, environment]:<20} {shown(share)} of {share.n:,}"
        + (f"  UNDER {percent(least)}" if share.value < (least := least_of(name, settings)) else "")
        for service, environment, name, share in found
    ]
    return [f"coverage of the last {settings.window_seconds / 60:g} minutes:", *lines] if lines else []


def _shares(
    connection: sqlite3.Connection, settings: config.Coverage
) -> Iterator[tuple[str, str | None, str, Measurement]]:
    since = time.time_ns() - int(settings.window_seconds * 1e9)
    for found in reading.coverage(connection, since):
        for name, share in found.shares():
            yield found.service, found.environment, name, share
