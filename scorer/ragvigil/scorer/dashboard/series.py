"""One series: its course over hours or weeks, with what was changed and the incidents about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragvigil.scorer.changes import Change
from ragvigil.scorer.dashboard.course import Course, course_back
from ragvigil.scorer.dashboard.drawing import LARGE, Drawing, Mark, drawing_of
from ragvigil.scorer.dashboard.naming import NO_ENVIRONMENT
from ragvigil.scorer.dashboard.page import Asked, NotThereError, UnclearError
from ragvigil.scorer.moments import DAY, HOUR
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.store.reading import changes
from ragvigil.scorer.store.reading_fall import neighbours
from ragvigil.scorer.store.reading_metrics import Level, levels

SPANS: Mapping[str, int] = {"3h": 3 * HOUR, "24h": DAY, "7d": 7 * DAY, "28d": 28 * DAY}
"""How far back, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class SeriesPage:
    """Everything about one series."""

    level: Level
    span: str
    spans: Sequence[str]
    course: Course
    drawing: Drawing | None
    changes: Sequence[Change]
    """Of that time, newest first."""
    incidents: Sequence[Incident]
    """Of its service, open or resolved in that time, newest first."""


def series(asked: Asked) -> SeriesPage:
    """The series of a name and `service`; `span` says how far back, 24h unless told.

    `environment` is needed only where the service has several; without one comes the busiest.
    """
    span = asked.query.get("span", "24h")
    if span not in SPANS:
        raise UnclearError(f"There is no span {span}: say {', '.join(SPANS)}.")
    level = _level(asked)
    course = course_back(asked, level.key, SPANS[span])
    nearby = changes(
        asked.connection, since=course.begin, service=level.key.service, environment=level.key.environment
    )
    incidents = neighbours(asked.connection, level.key, course.begin)
    return SeriesPage(
        level,
        span,
        tuple(SPANS),
        course,
        drawing_of(
            course,
            LARGE,
            usual=level.before.value if level.before else None,
            marks=_marks(level.key, nearby, incidents),
        ),
        nearby,
        incidents,
    )


def _marks(key: SeriesKey, nearby: Sequence[Change], incidents: Sequence[Incident]) -> Iterator[Mark]:
    """What was changed, and where the series itself fell and was well again."""
    for change in nearby:
        yield Mark(change.at, f"{change.kind}: {change.text}", "change")
    for one in incidents:
        if one.key == key:
            yield Mark(one.since, "a fall began about here", "fall")
        if one.key == key and one.resolved_at is not None:
            yield Mark(one.resolved_at, "resolved", "well")


def _level(asked: Asked) -> Level:
    name, service = asked.path["series"], asked.query.get("service")
    environment = asked.query.get("environment")
    for one in levels(asked.connection):
        if one.key[:2] == (name, service) and environment in (None, one.key.environment or NO_ENVIRONMENT):
            return one
    raise NotThereError(f"There is no series {name} of service {service or '(none named)'}.")
