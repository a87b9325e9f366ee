"""One incident: what its page said, why it fell, the course around the fall, and traces that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragvigil.exporters import Action, Example
from ragvigil.scorer.changes import Change
from ragvigil.scorer.dashboard.course import course_of
from ragvigil.scorer.dashboard.drawing import LARGE, Drawing, Mark, drawing_of
from ragvigil.scorer.dashboard.page import Asked, NotThereError
from ragvigil.scorer.diagnose.diagnoser import DIAGNOSED, Diagnoser, read
from ragvigil.scorer.diagnose.words import full_lines
from ragvigil.scorer.incidents.pages import page
from ragvigil.scorer.moments import HOUR, MINUTE
from ragvigil.scorer.monitor.series_course import drawn_from
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.store._sqlite_diagnosis import SqliteDiagnosis
from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring
from ragvigil.scorer.store.reading import changes
from ragvigil.scorer.store.reading_incidents import Standing, incidents_named, last_told, standing_of

_EXAMPLES = 5
_CHANGES_BEFORE = 6 * HOUR
_SHORTEST = 10 * MINUTE
_AFTER = MINUTE
"""How much of the time after an incident its chart shows; as long again as it lasted, where that is longer."""


@dataclass(frozen=True, slots=True)
class IncidentPage:
    """Everything about one incident."""

    standing: Standing
    title: str
    said: Sequence[str]
    """What its latest message says, or would say where there was none, line by line."""
    why: Sequence[str]
    """Its diagnosis; empty where there is none."""
    drawing: Drawing | None
    changes: Sequence[Change]
    """What was changed in the hours before and meanwhile, newest first."""
    examples: Sequence[Example]


def incident(asked: Asked) -> IncidentPage:
    """The incident that the address names, by its id."""
    name = asked.path["incident"]
    found = next((one for one in incidents_named(asked.connection, name) if one.id == name), None)
    if found is None:
        raise NotThereError(f"There is no incident {name}.")
    held = SqliteMonitoring(asked.connection, {})
    store = SqliteDiagnosis(asked.connection, held.reason)
    kept = store.diagnosis(found.id)
    diagnosis = None if kept is None else read(kept[1])
    until = asked.now if found.resolved_at is None else found.resolved_at
    nearby = changes(
        asked.connection,
        since=found.since - _CHANGES_BEFORE,
        until=until + 1,
        service=found.key.service,
        environment=found.key.environment,
    )
    examples = held.examples(found.key, found.since, until, _EXAMPLES)
    alert = last_told(asked.connection, found.id)
    if alert is None and found.key.name.startswith(DIAGNOSED):
        action: Action = "trigger" if found.resolved_at is None else "resolve"
        alert = page(found, action, (), asked.settings.links, at=until, diagnosis=diagnosis)
    return IncidentPage(
        standing_of(asked.connection, found, asked.now),
        found.id if alert is None else alert.title,
        _noted(found) if alert is None else alert.summary.splitlines(),
        [] if diagnosis is None else list(full_lines(diagnosis, asked.settings.links)),
        _drawing(asked, held, found, nearby),
        nearby,
        Diagnoser(store).examples(found, diagnosis, examples),
    )


def _noted(incident: Incident) -> list[str]:
    return [incident.note] if incident.note else []


def _drawing(
    asked: Asked, held: SqliteMonitoring, incident: Incident, nearby: Sequence[Change]
) -> Drawing | None:
    """As long before the fall as since, with what was changed."""
    end = asked.now
    if incident.resolved_at is not None:
        end = min(end, incident.resolved_at + max(_AFTER, incident.resolved_at - incident.since))
    begin = max(drawn_from(incident.since, end, _SHORTEST), held.first_seen(incident.key) or 0)
    course = course_of(held.buckets(incident.key, begin, end), begin, end)
    return drawing_of(course, LARGE, usual=incident.before.value, marks=_marks(incident, nearby))


def _marks(incident: Incident, nearby: Sequence[Change]) -> Iterator[Mark]:
    for change in nearby:
        yield Mark(change.at, f"{change.kind}: {change.text}", "change")
    yield Mark(incident.since, "the fall began about here", "fall")
    if incident.resolved_at is not None:
        yield Mark(incident.resolved_at, "resolved", "well")
