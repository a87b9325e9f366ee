"""The sequential detectors in ``ragvigil status``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import asdict

from ragvigil.scorer.config import Settings
from ragvigil.scorer.estimate import Efficiency, Estimate, Refusal
from ragvigil.scorer.store.detected import detectors, last_day
from ragvigil.scorer.watch.gold import labels_of
from ragvigil.scorer.watch.overview import Overview, overview
from ragvigil.scorer.watch.port import Place
from ragvigil.scorer.watch.watcher import Notes, notes_of

_DAY = 86_400 * 10**9
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
            "level": None if found.level is None else asdict(found.level),
            "efficiency": asdict(found.efficiency),
        }
        for place, notes, found in _found(connection, settings)
    ]


def as_text(connection: sqlite3.Connection, settings: Settings) -> list[str]:
    """Three lines for each service."""
    lines: list[str] = []
    for place, notes, found in _found(connection, settings):
        where = place.service + (f", {place.environment}" if place.environment else "")
        state = _state(notes, settings)
        learning = (
            f", day {_days(notes) + 1} of {settings.detect.learning_days:g}" if state == "learning" else ""
        )
        by = f", segments by {notes.book.dimension}" if notes.book.dimension else ""
        lines += [
            f"detector {where}: {state}{learning}, {_CALIBRATION[notes.labels]}{by}",
            f"  judged, last day: {_said(found.judged)}{_saved(found.efficiency)}",
        ]
        if found.level is not None:
            lines.append(f"  level, last day:  {_said(found.level)}")
    return lines


def _found(connection: sqlite3.Connection, settings: Settings) -> Iterator[tuple[Place, Notes, Overview]]:
    if not settings.detect.enabled:
        return
    labels = labels_of(settings.monitor, settings.judge)
    for place, saved in detectors(connection):
        notes = None if saved is None else notes_of(saved)
        if notes is not None:
            yield place, notes, overview(last_day(connection, place, notes.start), labels)


def _state(notes: Notes, settings: Settings) -> str:
    return "learning" if notes.start - notes.began <= settings.detect.learning_days * _DAY else "watching"


def _days(notes: Notes) -> int:
    return (notes.start - notes.began) // _DAY


def _said(found: Estimate | Refusal) -> str:
    if isinstance(found, Refusal):
        return found.detail
    caveats = "".join(f"; {caveat}" for caveat in found.caveats)
    return (
        f"{found.value:.1%} [{found.lower:.1%}, {found.upper:.1%}] n={found.n_judged:,} of {found.n_traces:,}, "
        f"{found.method}{caveats}"
    )


def _saved(found: Efficiency | Refusal) -> str:
    if isinstance(found, Refusal):
        return ""
    return f"; {found.judged_share:.1%} judged know as much as {found.plain_share:.1%} drawn plainly"
