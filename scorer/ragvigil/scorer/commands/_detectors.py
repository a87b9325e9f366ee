"""The sequential detectors in ``ragvigil status``."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Iterator
from dataclasses import asdict

from ragvigil.scorer.commands._figures import day_of, said, stale
from ragvigil.scorer.commands._places import Key, place_on_screen
from ragvigil.scorer.config import Settings
from ragvigil.scorer.estimate import Efficiency, Refusal
from ragvigil.scorer.labels.level import Level, book_for, level_of
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.store._sqlite_seen import seen_places
from ragvigil.scorer.store.detected import detectors, last_day
from ragvigil.scorer.watch.gold import labels_of
from ragvigil.scorer.watch.notes import Notes, notes_of
from ragvigil.scorer.watch.overview import Overview, overview
from ragvigil.scorer.watch.port import Place

_CALIBRATION = {
    "file": "calibrated with your labels",
    "shipped": "falls weighed by the labels that ship with the judge, not yours",
    "none": "uncalibrated",
}
_LEVEL_BY = {"own": "level by labels of its own answers", "file": "level by your labels (monitor.gold)"}


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
            "level": asdict(level.found),
            "level_by": level.by,
            "audit": None if level.audit is None else asdict(level.audit),
            "efficiency": asdict(found.efficiency),
        }
        for place, notes, found, level in _found(connection, settings)
    ]


def as_text(connection: sqlite3.Connection, settings: Settings, without: Collection[Key] = ()) -> list[str]:
    """Three lines for each service, but for those `without`."""
    lines = _too_many(connection, settings)
    for place, notes, found, level in _found(connection, settings, without):
        where = place_on_screen(place.service, place.environment)
        state = _state(notes, settings)
        learning = (
            f", day {_days(notes) + 1} of {settings.detect.learning_days:g}" if state == "learning" else ""
        )
        by = f", segments by {notes.book.dimension}" if notes.book.dimension else ""
        whose = _CALIBRATION[notes.labels]
        if level.by != notes.labels and level.by != "none":
            whose = f"{_LEVEL_BY[level.by]}, {whose}"
        lines += [
            f"detector {where}: {state}{learning}, {whose}{by}",
            f"  judged, last day: {said(found.judged)}{_saved(found.efficiency)}",
            f"  level, last day:  {said(level.found)}",
        ]
        audited = level.audit
        if audited is not None:
            lines.append(
                f"  audited {day_of(audited.drawn_at)}: {said(audited.then)}, by labels of its own answers"
            )
            lines += stale(audited, place, time.time_ns())
    return lines


def _too_many(connection: sqlite3.Connection, settings: Settings) -> list[str]:
    """Said where not all have a detector."""
    count, most = sum(1 for _ in seen_places(connection)), settings.detect.most_places
    if not settings.detect.enabled or count <= most:
        return []
    who = "those that page and answer most (detect.most_places)"
    return [f"detectors: {most:,} of {count:,} services and environments have one, {who}"]


def _found(
    connection: sqlite3.Connection, settings: Settings, without: Collection[Key] = ()
) -> Iterator[tuple[Place, Notes, Overview, Level]]:
    if not settings.detect.enabled:
        return
    labels = labels_of(settings.monitor, settings.judge)
    for place, saved in detectors(connection):
        if (place.service, place.environment) in without:
            continue
        notes = None if saved is None else notes_of(saved)
        if notes is not None:
            found = overview(last_day(connection, place, notes.start))
            yield (
                place,
                notes,
                found,
                level_of(found.judged, book_for(connection, place, found.judge), labels),
            )


def _state(notes: Notes, settings: Settings) -> str:
    return "learning" if notes.start - notes.began <= settings.detect.learning_days * DAY else "watching"


def _days(notes: Notes) -> int:
    return (notes.start - notes.began) // DAY


def _saved(found: Efficiency | Refusal) -> str:
    if isinstance(found, Refusal):
        return ""
    return f"; {found.judged_share:.1%} of the answers were judged, as sure as {found.plain_share:.1%} drawn at random"
