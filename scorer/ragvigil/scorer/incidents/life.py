"""The life of an incident: opened, made worse, corrected, resolved, perhaps opened again. Pure values."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import quote

from ragvigil.exporters import Action, Measurement
from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect import Course, Evaluation, nanoseconds
from ragvigil.scorer.estimate import Estimate
from ragvigil.scorer.moments import DAY, calendar_time
from ragvigil.scorer.monitoring import Incident, SeriesKey

_LONGEST_KEY = 255
"""Characters that PagerDuty accepts; the shortest limit of the channels we know."""
REOPEN_SECONDS = 1_800.0
"""What is ill again so soon after it was well is the same incident, where no rule says otherwise."""
_MOST_DOUBLINGS = 4
"""A series that flaps must look well for at most 16 times as long."""
_LATE_NANOSECONDS = DAY
"""How long after an incident opened late data can correct it."""


def dedup_key(key: SeriesKey, since: int, *, grain_seconds: float, segment: str | None = None) -> str:
    """The name of one incident to the outside: ``ragvigil/environment/service/series/moment``.

    Where one segment alone is at fault, it stands before the moment.

    The moment is when the fall began, in event time, cut to a grain of resolve_seconds: what two replicas or
    a restarted scorer read from the same data, not when one of them looked. A later incident has another
    key, for it begins after the earlier one resolved, and that took at least resolve_seconds.

    >>> dedup_key(SeriesKey("citation", "help desk", "production"), 1_772_334_240_000_000_000, grain_seconds=600)
    'ragvigil/production/help%20desk/citation/20260301T030000Z'
    """
    grain = max(1, nanoseconds(grain_seconds))
    moment = calendar_time(since // grain * grain)
    place = f"{_quoted(key.environment or '-')}/{_quoted(key.service)}"
    part = f"/{_quoted(segment)}" if segment else ""
    end = f"/{moment:%Y%m%dT%H%M%SZ}"
    if len(f"ragvigil/{place}/{key.name}{part}{end}") > _LONGEST_KEY:
        place, part = hashlib.sha256(f"{place} {part}".encode()).hexdigest(), ""
    return f"ragvigil/{place}/{key.name}{part}{end}"


def incident_id(name: str) -> str:
    """The id of the incident with that dedup key: short enough for a command line.

    >>> incident_id("ragvigil/production/help-desk/citation/20260301T030000Z")
    'inc-cfd0d6548ed69ba7'
    """
    return "inc-" + hashlib.sha256(name.encode()).hexdigest()[:16]


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
        id=incident_id(name),
        key=key,
        dedup_key=name,
        opened_at=at,
        since=since,
        before=measurement(before),
        worst=level,
        now=level,
        last_told=level,
        first=None if evaluation.settled is None else measurement(evaluation.settled),
        first_until=evaluation.until,
    )


def reopened(last: Incident, fresh: Incident) -> Incident:
    """The incident that was over, open again with what was found now: same id, same dedup key."""
    same_fall = last.withdrawn or fresh.since <= last.since
    return replace(
        last,
        resolved_at=None,
        withdrawn=False,
        recovering_since=None,
        worst=surely_lower(last.worst, fresh.worst),
        now=fresh.now,
        last_told=min(last.last_told or last.worst, fresh.now, key=lambda level: level.value),
        first=None,
        first_until=None,
        reopened=last.reopened + 1,
        again_since=last.again_since if same_fall else fresh.since,
    )


def settling(rule: Rule, incident: Incident) -> Rule:
    """The rule by which this incident resolves: after each re-open it must look well for twice as long.

    So a series that flaps every few minutes tells of it a few times a day, not every few minutes.

    >>> from types import SimpleNamespace
    >>> settling(Rule(resolve_seconds=600), SimpleNamespace(reopened=2)).resolve_seconds
    2400.0
    """
    return rule.model_copy(update={"resolve_seconds": rule.resolve_seconds * patience(incident)})


def patience(incident: Incident) -> float:
    """How many times as long as usual it must look well: 1, and twice that for each re-open, at most 16."""
    return 2.0 ** min(incident.reopened, _MOST_DOUBLINGS)


def again(near: Iterable[Incident], fresh: Incident, *, since: int) -> Incident:
    """The one of the same stream among `near` that is not over for good, open again; else the fresh one.

    That is one that resolved at `since` or later, and one of the very same fall, whenever it ended: late data may
    withdraw a fall, and still later data show it again.
    """
    for last in near:
        if last.resolved_at is None or _stream_of(last) != _stream_of(fresh):
            continue
        if last.id == fresh.id or (last.resolved_at >= since and not last.withdrawn):
            return reopened(last, fresh)
    return fresh


def _stream_of(incident: Incident) -> tuple[object, ...]:
    return incident.key, incident.segment, incident.detector, incident.under_floor


def corrected(
    incident: Incident, before: Estimate | None, first: Estimate | None, rule: Rule, *, at: int
) -> tuple[Incident, Action | None]:
    """The incident after late data may have changed what it opened with.

    `first` is the level of the stretch that was told when it opened, as it stands now. Withdrawn when that is
    no fall any more (less than half of min_drop under the baseline, as for a recovery); amended when it is
    surely another level, by min_drop at least.
    """
    told = incident.first
    if told is None or before is None or first is None or at - incident.opened_at > _LATE_NANOSECONDS:
        return incident, None
    level = measurement(first)
    if before.value - level.value < rule.min_drop / 2.0 and level.value > told.value:
        return replace(incident, now=level, resolved_at=at, withdrawn=True), "resolve"
    apart = level.upper < told.lower or level.lower > told.upper
    if not apart or abs(level.value - told.value) < rule.min_drop:
        return incident, None
    after = replace(
        incident, before=measurement(before), first=level, now=level, last_told=level, amended_at=at
    )
    mostly_the_same = incident.worst.n < 2 * told.n
    return replace(after, worst=level if mostly_the_same else surely_lower(incident.worst, level)), "update"


def advanced(incident: Incident, course: Course, rule: Rule, *, at: int) -> tuple[Incident, Action | None]:
    """The incident after one more look, and what there is to say about it, mostly nothing.

    An update is said only of something new to the reader: a level at least min_drop under the lowest one
    told, and surely so (the intervals do not touch). What is worse in fewer points, or only surer, is kept as the
    worst without a message.
    """
    if course.now is None:
        return incident, None
    now = measurement(course.now)
    told = incident.last_told or incident.worst
    worst = surely_lower(incident.worst, now)
    after = replace(incident, now=now, worst=worst, last_told=told, recovering_since=course.recovering_since)
    if course.over:
        return replace(after, resolved_at=at), "resolve"
    if told.value - now.value >= rule.min_drop and now.upper < told.lower:
        return replace(after, last_told=now), "update"
    return after, None


def surely_lower(one: Measurement, other: Measurement) -> Measurement:
    """The level of which more is proven to be missing: the lower upper end of its interval; `one` where they are equal.

    The lowest value is that of the smallest sample: of 24 answers 41.7 % can be 61 %, of 200 45 % is at most 52.

    >>> surely_lower(Measurement(0.417, 0.245, 0.612, 24), Measurement(0.45, 0.383, 0.519, 200)).n
    200
    """
    return min(one, other, key=lambda level: level.upper)


def _quoted(name: str) -> str:
    return quote(name, safe="", errors="replace")
