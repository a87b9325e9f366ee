"""The sequential detectors in ``ragvigil status``."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import asdict

from ragvigil.scorer.commands._figures import day_of, said, stale
from ragvigil.scorer.config import Settings
from ragvigil.scorer.estimate import Efficiency, Estimate, Refusal
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.labels.level import Audit, audit
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.store import reading_labels
from ragvigil.scorer.store.detected import detectors, last_day
from ragvigil.scorer.watch.gold import labels_of
from ragvigil.scorer.watch.overview import Overview, overview
from ragvigil.scorer.watch.port import Place
from ragvigil.scorer.watch.watcher import Notes, notes_of

_CALIBRATION = {
    "file": "calibrated with your labels",
    "shipped": "calibrated with the labels that ship with the judge, not yours",
    "none": "uncalibrated",
}


def as_json(connection: sqlite3.Connection, settings: Settings) -> list[dict[str, object]]:
    """One object for each service."""
    return [
        {
            "service": place.service,
            "environment": place.environment,
            "state": _state(notes, settings),
            "days": _days(notes),
            "labels": notes.labels,
            "segment_by": notes.book.dimension,
            "too_late": notes.too_late,
            "judged": asdict(found.judged),
            "level": None if level is None else asdict(level),
            "audit": None if audited is None else asdict(audited),
            "efficiency": asdict(found.efficiency),
        }
        for place, notes, found, audited in _found(connection, settings)
        for level in (_level(found, audited),)
    ]


def as_text(connection: sqlite3.Connection, settings: Settings) -> list[str]:
    """Three lines for each service."""
    lines: list[str] = []
    for place, notes, found, audited in _found(connection, settings):
        where = place.service + (f", {place.environment}" if place.environment else "")
        state = _state(notes, settings)
        learning = (
            f", day {_days(notes) + 1} of {settings.detect.learning_days:g}" if state == "learning" else ""
        )
        by = f", segments by {notes.book.dimension}" if notes.book.dimension else ""
        lines += [
            f"detector {where}: {state}{learning}, {_CALIBRATION[notes.labels]}{by}",
            f"  judged, last day: {said(found.judged)}{_saved(found.efficiency)}",
        ]
        level = _level(found, audited)
        if level is not None:
            lines.append(f"  level, last day:  {said(level)}")
        if audited is not None:
            lines.append(
                f"  audited {day_of(audited.drawn_at)}: {said(audited.then)}, by labels of its own answers"
            )
            lines += stale(audited, place, time.time_ns())
    return lines


def _level(found: Overview, audited: Audit | None) -> Estimate | Refusal | None:
    """By labels of the service's own answers where they carry one, else by the gold set."""
    return audited.now if audited is not None and isinstance(audited.now, Estimate) else found.level


def _found(
    connection: sqlite3.Connection, settings: Settings
) -> Iterator[tuple[Place, Notes, Overview, Audit | None]]:
    if not settings.detect.enabled:
        return
    labels = labels_of(settings.monitor, settings.judge)
    for place, saved in detectors(connection):
        notes = None if saved is None else notes_of(saved)
        if notes is not None:
            found = overview(last_day(connection, place, notes.start), labels)
            yield place, notes, found, _audited(connection, place, found)


def _audited(connection: sqlite3.Connection, place: Place, found: Overview) -> Audit | None:
    """What people's labels of this judge's verdicts say; None without any."""
    drawn = reading_labels.latest_draw(connection, place, found.judge)
    if drawn is None:
        return None
    audited = audit(Book(drawn, reading_labels.labels(connection)), found.judged)
    return audited if audited.labels else None


def _state(notes: Notes, settings: Settings) -> str:
    return "learning" if notes.start - notes.began <= settings.detect.learning_days * DAY else "watching"


def _days(notes: Notes) -> int:
    return (notes.start - notes.began) // DAY


def _saved(found: Efficiency | Refusal) -> str:
    if isinstance(found, Refusal):
        return ""
    return f"; {found.judged_share:.1%} of the answers were judged, as sure as {found.plain_share:.1%} drawn at random"
