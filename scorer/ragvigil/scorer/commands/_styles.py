"""How each service usually cites, for ``ragvigil status``."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from ragvigil.scorer.commands._places import on_screen
from ragvigil.scorer.store import reading


def as_json(connection: sqlite3.Connection) -> Sequence[dict[str, object]]:
    """Service, usual style and its share of the markers in [0, 1]."""
    return [
        {"service": one.service, "style": one.style, "share": round(one.share, 4), "markers": one.markers}
        for one in reading.citation_styles(connection)
    ]


def as_text(connection: sqlite3.Connection, without: Collection[str] = ()) -> list[str]:
    """One line for each service that cites, but for those `without`."""
    return [
        f"{on_screen(one.service)}: cites as {one.style} ({one.share:.0%} of {_latest(one.markers)})"
        for one in reading.citation_styles(connection)
        if one.service not in without
    ]


def _latest(markers: int) -> str:
    """Of how many markers a share is.

    >>> _latest(1), _latest(1200)
    ('its one marker', 'the latest 1,200 markers')
    """
    return "its one marker" if markers == 1 else f"the latest {markers:,} markers"
