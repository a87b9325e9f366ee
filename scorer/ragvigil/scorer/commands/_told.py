"""What ``ragvigil status`` shows of feedback and changes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

from ragvigil.scorer.changes import Change
from ragvigil.scorer.commands._places import on_screen, place_on_screen
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.store import reading

_CHANGES = 5


def changes_as_json(connection: sqlite3.Connection) -> list[dict[str, object]]:
    """The newest changes, newest first."""
    return [
        {
            "at": change.at,
            "kind": change.kind,
            "text": change.text,
            "before": change.before,
            "service": change.service,
            "environment": change.environment,
            "source": change.source,
        }
        for change in reading.changes(connection, limit=_CHANGES)
    ]


def feedback_as_json(connection: sqlite3.Connection) -> list[dict[str, object]]:
    """What was said of the answers of the last day: service, kind, label, count."""
    return [
        {"service": service, "kind": kind, "label": label, "count": count}
        for service, kind, label, count in _opinions(connection)
    ]


def as_text(connection: sqlite3.Connection) -> list[str]:
    """Both as lines; none where nothing was told."""
    said = [
        f"  {count:>12,}  {kind}{f' {label}' if label else ''} on {on_screen(service)}"
        for service, kind, label, count in _opinions(connection)
    ]
    changed = [_line(change) for change in reading.changes(connection, limit=_CHANGES)]
    return [
        *(["feedback on answers of the last day:", *said] if said else []),
        *(["latest changes:", *changed] if changed else []),
    ]


def _opinions(connection: sqlite3.Connection) -> Sequence[tuple[str, str, str | None, int]]:
    return reading.opinions(connection, time.time_ns() - DAY)


def _line(change: Change) -> str:
    moment = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime(change.at / 1e9))
    where = place_on_screen(change.service or "all services", change.environment)
    before = f" (before: {change.before})" if change.before else ""
    return f"  {moment}  {change.kind} of {where}: {' '.join(change.text.split())[:200]}{before}"
