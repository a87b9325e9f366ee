"""The life of an incident: opened once, made worse at most a few times, resolved once. Pure values."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from urllib.parse import quote

from ragvigil.exporters import Action, Measurement
from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect import Course, Evaluation, nanoseconds
from ragvigil.scorer.estimate import Estimate
from ragvigil.scorer.monitoring import Incident, SeriesKey

_LONGEST_KEY = 255
"""Characters that PagerDuty accepts; the shortest limit of the channels we know."""


def dedup_key(key: SeriesKey, since: int, *, grain_seconds: float) -> str:
    """The name of one incident to the outside: ``ragvigil/environment/service/series/moment``.

    The moment is when the fall began, in event time, cut to a grain of resolve_seconds: what two replicas or
    a restarted scorer read from the same data, not when one of them looked. A later incident has another
    key, for it begins after the earlier one resolved, and that took at least resolve_seconds.

    >>> dedup_key(SeriesKey("citation", "help desk", "production"), 1_772_334_240_000_000_000, grain_seconds=600)
    'ragvigil/production/help%20desk/citation/20260301T030000Z'
    """
    grain = max(1, nanoseconds(grain_seconds))
    moment = datetime.fromtimestamp(since // grain * grain / 1e9, UTC)
    place = f"{_quoted(key.environment or '-')}/{_quoted(key.service)}"
    end = f"/{key.name}/{moment:%Y%m%dT%H%M%SZ}"
    if len("ragvigil/" + place + end) > _LONGEST_KEY:
        place = hashlib.sha256(place.encode()).hexdigest()
    return f"ragvigil/{place}{end}"


def measurement(estimate: Estimate) -> Measurement:
    """The estimate as pages show it."""
    return Measurement(
        estimate.value,
        estimate.lower,
        estimate.upper,
        estimate.n_judged,
        estimate.n_traces,
        estimate.method,
        estimate.calibrated,
    )


def opened(
    key: SeriesKey, evaluation: Evaluation, rule: Rule, *, at: int, not_before: int = 0
) -> Incident | None:
    """The incident that a look opens; None when that look found no fall.

    It begins at `not_before` at the earliest, where the last incident of the series ended.
    """
    before, now, since = evaluation.before, evaluation.now, evaluation.since
    if evaluation.state != "alert" or before is None or now is None or since is None:
        return None
    since = max(since, not_before)
    name = dedup_key(key, since, grain_seconds=rule.resolve_seconds)
    level = measurement(now)
    return Incident(
        id="inc-" + hashlib.sha256(name.encode()).hexdigest()[:16],
        key=key,
        dedup_key=name,
        opened_at=at,
        since=since,
        before=measurement(before),
        worst=level,
        now=level,
    )


def advanced(incident: Incident, course: Course, rule: Rule, *, at: int) -> tuple[Incident, Action | None]:
    """The incident after one more look, and what there is to say about it, mostly nothing.

    An update is said only of something new to the reader: a level at least min_drop under the worst one
    told, and surely so (the intervals do not touch).
    """
    if course.now is None:
        return incident, None
    now = measurement(course.now)
    after = replace(incident, now=now, recovering_since=course.recovering_since)
    if course.over:
        return replace(after, resolved_at=at), "resolve"
    worst = incident.worst
    if worst.value - now.value >= rule.min_drop and now.upper < worst.lower:
        return replace(after, worst=now), "update"
    return after, None


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="replace")
