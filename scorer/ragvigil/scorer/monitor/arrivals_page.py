"""The words about a service that stopped sending, and about incidents that end because nothing comes any more."""

from __future__ import annotations

from collections.abc import Callable

from ragvigil.exporters import Action, Alert, clean, lasting
from ragvigil.scorer import config
from ragvigil.scorer.detect.stopped import Stopped
from ragvigil.scorer.incidents.pages import incident_link
from ragvigil.scorer.incidents.severity import severity_of
from ragvigil.scorer.incidents.titles import fitted
from ragvigil.scorer.moments import MINUTE, SECOND, calendar_time, in_utc
from ragvigil.scorer.monitoring import Incident

WEEK_KNOWN = "usual for a week"
"""Method of the reference of a service that has been known for a week; a younger one's silence is a ticket."""
_HINT = (
    "Nobody asks it, it is down, or its spans do not get here: see the service, its exporter's address and log, and "
    "ragvigil status. Nothing of it is watched meanwhile."
)


def usual(found: Stopped, silent: int, *, others: int) -> str:
    """What should have come in that silence (nanoseconds), and how many other services are as silent; 0 for not all."""
    length = lasting(silent // MINUTE * 60.0)
    when = "the same time of the day before" + (" and of the week before" if found.sure else "")
    pause = f"{found.pause} min" if found.pause else "under a minute"
    words = (
        f"At least {found.usual:,} came in the {length} before and at {when}, "
        f"and the longest pause near them was {pause}."
    )
    if not others:
        return words
    told = (
        "The other service sends nothing" if others == 1 else f"None of the {others:,} others sends anything"
    )
    return f"{words} {told}, either: see the way to ragvigil first."


def alert_of(incident: Incident, action: Action, now: int, links: config.Links) -> Alert:
    """The page about a service that stopped."""
    last = in_utc(incident.since)
    lines = [
        f"The last answer of service {_service(incident)}{_environment(incident)} came before {last}.",
        incident.note or "",
        _HINT,
    ]
    if action == "resolve":
        lines = [f"None came from {last} until {in_utc(incident.recovering_since or now)}."]
    return _alert(incident, action, now, links, lines, lambda room: _titled(incident, action, now, room))


def closed(
    incident: Incident, now: int, last: int, links: config.Links, *, by: str = "arrivals.close_seconds"
) -> Alert:
    """The end of an incident of which nothing came for so long that nobody will ever see it recover.

    `by` is the setting that says how long that is.
    """
    silent = lasting((now - last) / SECOND)
    name = incident.key.name
    what = "" if name == "arrivals" else f"{clean(name, limit=40)} of "
    taken = "taken as switched off" if name == "arrivals" else "not known to be well"
    where = f"service {_service(incident)}{_environment(incident)}".removesuffix(",")
    where += f", segment {clean(incident.segment, limit=200)}" if incident.segment else ""
    lines = [
        f"No data of it came since {in_utc(last)}. Where: {where}.",
        f"It was closed ({by}) and did not recover. When it comes back ill, that is an incident anew.",
    ]
    return _alert(
        incident,
        "resolve",
        now,
        links,
        lines,
        lambda room: f"Closed: {what}{_place(incident, room)}, no data for {silent}, {taken}",
    )


def _alert(
    incident: Incident,
    action: Action,
    now: int,
    links: config.Links,
    lines: list[str],
    titled: Callable[[int], str],
) -> Alert:
    name, environment = incident.key.name, incident.key.environment
    unsure = name == "arrivals" and incident.before.method != WEEK_KNOWN
    return Alert(
        incident_id=incident.id,
        dedup_key=incident.dedup_key,
        action=action,
        severity="warning" if unsure else severity_of(name),
        series=name,
        service=_service(incident),
        environment=environment and clean(environment, limit=200),
        title=fitted(titled),
        summary="\n".join(line for line in lines if line),
        before=incident.before,
        now=incident.now,
        since=calendar_time(incident.since),
        at=calendar_time(now),
        segment={"service": _service(incident)},
        link=incident_link(incident.id, links),
    )


def _place(incident: Incident, room: int) -> str:
    service = _service(incident, room)
    return f"{service}, {clean(incident.segment, limit=room)}" if incident.segment else service


def _titled(incident: Incident, action: Action, now: int, room: int) -> str:
    service = _service(incident, room)
    silent = lasting(((incident.recovering_since or now) - incident.since) / SECOND)
    if action == "resolve":
        return f"Resolved: {service} answers again, after {silent}"
    again = "Again: no" if incident.reopened and action == "trigger" else "No"
    return f"{again} answers from {service} for {silent} (usually {incident.before.n:,} or more)"


def _service(incident: Incident, room: int = 200) -> str:
    return clean(incident.key.service, limit=room)


def _environment(incident: Incident) -> str:
    environment = incident.key.environment
    return f", environment {clean(environment, limit=200)}," if environment else ""
