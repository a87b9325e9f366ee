"""The first page: what is wrong now, and every series with its course of a day."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ragvigil.exporters import Measurement
from ragvigil.scorer.dashboard.course import course_back
from ragvigil.scorer.dashboard.drawing import SMALL, Drawing, drawing_of
from ragvigil.scorer.dashboard.page import Asked
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitoring import SeriesKey, SeriesState
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.reading_incidents import Standing, held_back, standing
from ragvigil.scorer.store.reading_metrics import Level, levels

_MOST_DRAWN = 60
"""Series whose course is read: the busiest."""
_MOST_SHOWN = 200
_NEWS = DAY
"""For as long it is news that nothing comes of a series; then its service was switched off."""
_UNWELL: tuple[SeriesState, ...] = ("alert", "warning", "judge_unavailable", "no_data")


@dataclass(frozen=True, slots=True)
class Row:
    """One series."""

    key: SeriesKey
    state: SeriesState
    now: Measurement | None
    before: Measurement | None
    instrument: str
    drawing: Drawing | None
    """Its course of the last day."""


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything at a glance."""

    at: int
    alive_seconds_ago: float | None
    """Since the scorer's last evaluation; None where there was none."""
    alive: bool
    incidents: Sequence[Standing]
    """Those that are open, newest first."""
    rows: Sequence[Row]
    """Those that are not well first, then the busiest; 200 at most."""
    left_out: int
    """How many series are not among them."""
    ledger: reading.Ledger
    undelivered: int
    """Messages that wait for their channels, those among them that a silence holds back."""
    silenced: int


def overview(asked: Asked) -> Overview:
    """The state of all services now."""
    found = levels(asked.connection)
    drawn = {one.key for one in found[:_MOST_DRAWN]}
    told = asked.settings.monitor.page_environments
    first = sorted(found, key=lambda level: not _is_unwell(level, asked.now, told))[:_MOST_SHOWN]
    rows = [_row(one, asked, drawn=one.key in drawn) for one in first]
    return Overview(
        asked.now,
        None if asked.alive_at is None else (asked.now - asked.alive_at) / 1e9,
        asked.alive,
        standing(asked.connection, asked.now, resolved=False),
        rows,
        len(found) - len(rows),
        reading.ledger(asked.connection),
        reading.undelivered(asked.connection),
        held_back(asked.connection, asked.now),
    )


def _is_unwell(level: Level, now: int, told: Collection[str]) -> bool:
    """Whether it stands before the others; of a preview that nobody is told of it is no news that it was torn down."""
    if level.state == "no_data":
        return level.last >= now - _NEWS and level.key.is_told(told)
    return level.state in _UNWELL


def _row(level: Level, asked: Asked, *, drawn: bool) -> Row:
    drawing = None
    if drawn:
        course = course_back(asked, level.key, DAY)
        drawing = drawing_of(course, SMALL, usual=level.before.value if level.before else None)
    return Row(level.key, level.state, level.now, level.before, level.instrument, drawing)
