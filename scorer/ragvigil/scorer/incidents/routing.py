"""Which channels an incident is told to. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ragvigil.exporters import Severity
from ragvigil.scorer.config import Route
from ragvigil.scorer.config.routing import hours_of
from ragvigil.scorer.monitoring import SeriesKey


@dataclass(frozen=True, slots=True)
class Asked:
    """One route's answer about one incident."""

    name: str
    takes: bool
    why: str
    """The first condition that does not hold, or that all do."""


def asked(
    routes: Mapping[str, Route], key: SeriesKey, severity: Severity, at: datetime, segment: str | None = None
) -> Sequence[Asked]:
    """The answers of the routes in order, up to the one that ends the search."""
    answers: list[Asked] = []
    for name, route in routes.items():
        problem = _problem(route, key, severity, at, segment)
        answers.append(Asked(name, problem is None, problem or "every condition holds"))
        if problem is None and not route.go_on:
            break
    return answers


def routed(
    routes: Mapping[str, Route],
    channels: Sequence[str],
    key: SeriesKey,
    severity: Severity,
    at: datetime,
    segment: str | None = None,
) -> Sequence[str]:
    """Those of `channels` to which it goes, in their order: all when no route takes it."""
    taken = [answer.name for answer in asked(routes, key, severity, at, segment) if answer.takes]
    wanted = {channel for name in taken for channel in routes[name].channels}
    return [channel for channel in channels if not taken or channel in wanted]


def _problem(
    route: Route, key: SeriesKey, severity: Severity, at: datetime, segment: str | None
) -> str | None:
    found = {
        "series": (key.name, route.series),
        "service": (key.service, route.service),
        "environment": (key.environment or "", route.environment),
        "severity": (severity, route.severity),
        "segment": (segment or "", route.segment),
    }
    for label, (value, wanted) in found.items():
        if wanted and value not in wanted:
            return f"{label} is {value!r}, not {' or '.join(map(repr, wanted))}"
    moment = at.astimezone(ZoneInfo(route.zone))
    if route.hours is not None and not _within(route.hours, moment.hour * 60 + moment.minute):
        return f"it is {moment:%H:%M} in {route.zone}, not {route.hours}"
    return None


def _within(hours: str, minute: int) -> bool:
    begin, end = hours_of(hours)
    return begin <= minute < end if begin < end else minute >= begin or minute < end
