"""The criteria of the team's own in ``ragvigil status``: the level behind each by people's labels."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import NamedTuple

from ragvigil.scorer.commands._figures import day_of, said, stale
from ragvigil.scorer.commands._places import place_on_screen
from ragvigil.scorer.estimate import Refusal, judged_rate
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.labels.frame import frame_of, window_of
from ragvigil.scorer.labels.level import Audit, audit
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.store import reading_labels
from ragvigil.scorer.watch.port import Place

_ANOTHER = "the criterion's wording or its judge has changed since people labelled it: draw anew"


class _Level(NamedTuple):
    criterion: str
    place: Place
    audited: Audit


def as_json(connection: sqlite3.Connection) -> list[dict[str, object]]:
    """One object for each criterion and service that people have labelled."""
    return [
        {
            "criterion": one.criterion,
            "service": one.place.service,
            "environment": one.place.environment,
            "audit": asdict(one.audited),
        }
        for one in _found(connection)
    ]


def as_text(connection: sqlite3.Connection) -> list[str]:
    """Two lines for each of them."""
    lines: list[str] = []
    for one in _found(connection):
        where = place_on_screen(one.place.service, one.place.environment)
        lines += [
            f"criterion {one.criterion} of {where}:",
            f"  level, last day:  {said(one.audited.now)}",
            f"  audited {day_of(one.audited.drawn_at)}: {said(one.audited.then)}, by labels of its own answers",
            *stale(one.audited, one.place, time.time_ns(), criterion=one.criterion),
        ]
    return lines


def _found(connection: sqlite3.Connection) -> Iterator[_Level]:
    """By the newest draw about each criterion in each service; of one that nobody has labelled nothing is said."""
    now = time.time_ns()
    for criterion in reading_labels.criteria(connection):
        for place in reading_labels.judged_services(connection):
            drawn = reading_labels.latest_draw(connection, place, criterion=criterion)
            given = reading_labels.labels(connection, criterion) if drawn is not None else ()
            if drawn is None or not given:
                continue
            rows = reading_labels.traffic(connection, place, now - DAY, now, criterion)
            frame, judge = frame_of(rows)
            judged = judged_rate(window_of(frame))
            if frame.record_id and judge != drawn.judge:
                judged = Refusal("not_enough_data", _ANOTHER, 0, len(frame.record_id))
            audited = audit(Book(drawn, given), judged)
            if audited.labels:
                yield _Level(criterion, place, audited)
