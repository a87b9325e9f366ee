"""One incident: what was said, why it fell, the course around the fall, and traces that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragvigil.exporters import Alert, Example, clean, percent
from ragvigil.scorer.changes import Change
from ragvigil.scorer.dashboard.course import Course, course_of
from ragvigil.scorer.dashboard.drawing import LARGE, Drawing, Mark, drawing_of
from ragvigil.scorer.dashboard.naming import ABOUT_NO_ANSWERS, name
from ragvigil.scorer.dashboard.page import Asked, NotThereError
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.diagnose.words import full_lines, playbook_row
from ragvigil.scorer.moments import HOUR, MINUTE, SECOND
from ragvigil.scorer.monitor.series_course import drawn_from
from ragvigil.scorer.monitoring import Bucket, Incident
from ragvigil.scorer.store.reading import changes
from ragvigil.scorer.store.reading_fall import Fall
from ragvigil.scorer.store.reading_incidents import (
    Standing,
    incidents_named,
    last_paged,
    last_told,
    standing_of,
)

_EXAMPLES = 5
_CHANGES_BEFORE = 6 * HOUR
_SHORTEST = 10 * MINUTE
_AFTER = MINUTE
"""How much of the time after an incident its chart shows; as long again as it lasted, where that is longer."""
_FINEST = 120
"""Stretches of which a chart is made that is read from single answers."""


@dataclass(frozen=True, slots=True)
class IncidentPage:
    """Everything about one incident."""

    standing: Standing
    title: str
    told: Alert | None
    """The newest message about it, as it was sent; None where nobody was to be told."""
    paged: Alert | None
    """The newest one before it that said how bad it is, where `told` is the resolve; else None."""
    why: Sequence[str]
    """Its diagnosis; empty where there is none."""
    course: Course | None
    drawing: Drawing | None
    changes: Sequence[Change]
    """What was changed in the hours before and meanwhile, newest first."""
    examples: Sequence[Example]
    watched: bool
    """Whether its series has a page."""
    failed: str | None
    """Query of the list of answers like those that fell; None where no list shows them."""
    playbook: tuple[str, str] | None
    """Name and address of the playbook's row; None where `links.playbook_url` says none."""


def incident(asked: Asked) -> IncidentPage:
    """The incident that the address names, by its id."""
    wanted = asked.path["incident"]
    found = next((one for one in incidents_named(asked.connection, wanted) if one.id == wanted), None)
    if found is None:
        raise NotThereError(f"There is no incident {wanted}.")
    fall = Fall.of(asked.connection)
    diagnosis = fall.diagnosis(found)
    until = asked.now if found.resolved_at is None else found.resolved_at
    nearby = changes(
        asked.connection,
        since=found.since - _CHANGES_BEFORE,
        until=until + 1,
        service=found.key.service,
        environment=found.key.environment,
    )
    told = last_told(asked.connection, found.id)
    paged = last_paged(asked.connection, found.id) if told and told.action == "resolve" else None
    course = None if found.key.name in ABOUT_NO_ANSWERS else _course(asked, fall, found)
    marks = _marks(found, nearby)
    return IncidentPage(
        standing_of(asked.connection, found, asked.now),
        _title(found),
        told,
        paged,
        [] if diagnosis is None else list(full_lines(diagnosis, asked.settings.links)),
        course,
        None if course is None else drawing_of(course, LARGE, usual=found.before.value, marks=marks),
        nearby,
        Diagnoser(fall.diagnosing).examples(found, diagnosis, fall.examples(found, until, _EXAMPLES)),
        fall.first_seen(found) is not None,
        _failed(found, until),
        None if diagnosis is None else playbook_row(diagnosis, asked.settings.links),
    )


def _title(incident: Incident) -> str:
    """What fell how far; what is no rate has its words in the note."""
    what = f"{name(incident.key.name)} of {clean(incident.key.service, limit=60)}"
    if incident.segment:
        what += f", {clean(incident.segment, limit=60)}"
    if not incident.now.estimated:
        return what
    if not incident.before.estimated:
        return f"{what}: {percent(incident.worst.value)}, {percent(incident.before.value)} wanted"
    return f"{what}: {percent(incident.before.value)} to {percent(incident.worst.value)}"


def _failed(incident: Incident, until: int) -> str | None:
    wrong = {"faithfulness": "verdict=failing", "citation": "tag=MISATTRIBUTION"}.get(incident.key.name)
    return None if wrong is None else f"{wrong}&before={until + SECOND}-0"


def _course(asked: Asked, fall: Fall, incident: Incident) -> Course:
    """As long before the fall as since."""
    end = asked.until
    if incident.resolved_at is not None:
        end = min(end, incident.resolved_at + max(_AFTER, incident.resolved_at - incident.since))
    end = max(end, incident.since + 1)
    begin = max(drawn_from(incident.since, end, _SHORTEST), fall.first_seen(incident) or 0)
    buckets: Sequence[Bucket] = fall.buckets(incident, begin, end, max(1, (end - begin) // _FINEST))
    return course_of(buckets, begin, end)


def _marks(incident: Incident, nearby: Sequence[Change]) -> Iterator[Mark]:
    for change in nearby:
        yield Mark(change.at, f"{change.kind}: {change.text}", "change")
    yield Mark(incident.since, "the fall began about here", "fall")
    if incident.resolved_at is not None:
        yield Mark(incident.resolved_at, "resolved", "well")
