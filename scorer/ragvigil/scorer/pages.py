"""What a page says: the words and links of one alert, for somebody who was asleep a minute ago."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import quote

from ragvigil.exporters import Action, Alert, Example, Severity, clean, is_loopback, percent, shown
from ragvigil.scorer.config import Links
from ragvigil.scorer.monitoring import Incident

_TITLE_CHARACTERS = 120
_SERVICE_CHARACTERS = 40
_TEXT_CHARACTERS = 500
_SEVERE_DROP = 0.2


@dataclass(frozen=True, slots=True)
class _Words:
    name: str
    unit: str
    meaning: str


_WORDS: dict[str, _Words] = {
    "faithfulness": _Words(
        "faithfulness",
        "judged answers",
        "Faithfulness is the share of answers whose claims the retrieved passages support, as the judge sees it "
        "(not calibrated with human labels).",
    ),
    "citation": _Words(
        "citation correctness",
        "answers",
        "Citation correctness is the share of an answer's citations that point to a passage it was given.",
    ),
    "retrieval": _Words(
        "retrieval",
        "answers",
        "Retrieval is the share of answers for which anything was retrieved.",
    ),
}
_TICKETS: dict[str, str] = {
    "judge": "The judge",
    "cheap": "The score on every answer",
    "traffic": "Traffic",
}


def label(name: str) -> str:
    """What a series is called in a page.

    >>> label("citation")
    'Citation correctness'
    """
    return _TICKETS[name] if name in _TICKETS else _WORDS[name].name.capitalize()


def page(
    incident: Incident,
    action: Action,
    examples: Iterable[Example],
    links: Links,
    *,
    at: int,
    history: tuple[float | None, ...] = (),
) -> Alert:
    """The alert that tells of `incident`; every text in it is fit to show."""
    service = clean(incident.key.service, limit=200)
    environment = incident.key.environment
    return Alert(
        incident_id=incident.id,
        dedup_key=incident.dedup_key,
        action=action,
        severity=_severity(incident),
        series=incident.key.name,
        service=service,
        environment=clean(environment, limit=200) if environment else None,
        title=_title(incident, action, at),
        summary="\n".join(_summary(incident, action)),
        before=incident.before,
        now=incident.now,
        since=_moment(incident.since),
        at=_moment(at),
        segment=_segment(incident, service),
        examples=tuple(_linked(example, links) for example in examples),
        link=incident_link(incident.id, links),
        history=history,
    )


def trace_link(trace_id: str, links: Links) -> str | None:
    """Where to see a trace; None when no template is set, or when it leads to this machine alone.

    >>> trace_link("ab" * 16, Links(trace_url_template="https://tempo.example.com/trace/{trace_id}"))
    'https://tempo.example.com/trace/abababababababababababababababab'
    >>> trace_link("ab" * 16, Links(trace_url_template="http://localhost:16686/trace/{trace_id}")) is None
    True
    """
    if links.trace_url_template is None:
        return None
    url = links.trace_url_template.replace("{trace_id}", quote(trace_id, safe="", errors="replace"))
    return None if is_loopback(url) else url


def incident_link(incident_id: str, links: Links) -> str | None:
    """The page about an incident; None when no public address is set, or when it leads to this machine alone."""
    if links.public_url is None or is_loopback(links.public_url):
        return None
    return f"{links.public_url.rstrip('/')}/incidents/{quote(incident_id, safe='')}"


def _linked(example: Example, links: Links) -> Example:
    return replace(
        example,
        query=clean(example.query, limit=_TEXT_CHARACTERS) if example.query else None,
        answer=clean(example.answer, limit=_TEXT_CHARACTERS) if example.answer else None,
        reason=clean(example.reason, limit=_TEXT_CHARACTERS),
        url=trace_link(example.trace_id, links),
    )


def _segment(incident: Incident, service: str) -> dict[str, str]:
    if incident.segment is None:
        return {"service": service}
    name, _, value = clean(incident.segment, limit=_SERVICE_CHARACTERS).partition("=")
    return {"service": service, **({name: value} if value else {"segment": name})}


def _severity(incident: Incident) -> Severity:
    if incident.key.name in _TICKETS:
        return "warning"
    return "critical" if incident.before.value - incident.worst.value >= _SEVERE_DROP else "error"


def _title(incident: Incident, action: Action, at: int) -> str:
    service = clean(incident.key.service, limit=_SERVICE_CHARACTERS)
    if incident.segment:
        service += f", {clean(incident.segment, limit=_SERVICE_CHARACTERS)}"
    if incident.key.name in _TICKETS:
        said = "not seen again" if action == "resolve" else incident.note or "needs a look"
        return clean(f"{label(incident.key.name)} of {service}: {said}", limit=_TITLE_CHARACTERS)
    name = _WORDS[incident.key.name].name
    before, now = percent(incident.before.value), percent(incident.now.value)
    if incident.withdrawn:
        title = f"Withdrawn: late data show that {name} of {service} did not fall"
    elif action == "resolve":
        title = f"Resolved: {name} of {service} is back at {now}"
    elif incident.amended_at == at:
        title = f"Corrected by late data: {name} of {service} fell from {before} to {now}"
    elif action == "trigger" and incident.reopened:
        title = f"Again: {name} of {service} fell from {before} to {now}"
    elif action == "update" and incident.now != incident.worst:
        title = (
            f"Update: {name} of {service} fell from {before} to {percent(incident.worst.value)}, now {now}"
        )
    elif action == "update":
        title = f"Worse: {name} of {service} fell further, from {before} to {now}"
    else:
        title = f"{name.capitalize()} of {service} fell from {before} to {now}"
    return clean(title, limit=_TITLE_CHARACTERS)


def _summary(incident: Incident, action: Action) -> list[str]:
    where = f"service {clean(incident.key.service, limit=200)}"
    if incident.key.environment:
        where += f", environment {clean(incident.key.environment, limit=200)}"
    if incident.segment:
        where += f", segment {clean(incident.segment, limit=200)}"
    noted = [clean(incident.note, limit=_TEXT_CHARACTERS)] if incident.note else []
    if incident.key.name in _TICKETS:
        return [*noted, f"Where: {where}."]
    words = _WORDS[incident.key.name]
    before = f"Before: {shown(incident.before)} of {incident.before.n:,} {words.unit}."
    if action == "resolve":
        now = f"Now: {shown(incident.now)} of {incident.now.n:,} {words.unit} since {_clock(_recovery(incident))}."
        worst = f"At worst: {shown(incident.worst)}, from {_clock(incident.since)} on."
        if incident.withdrawn:
            now = f"Now: {shown(incident.now)} of {incident.now.n:,} {words.unit}, for the time that had been told."
            worst = f"Told before: {shown(incident.worst)}, from {_clock(incident.since)} on."
        return [now, before, worst, f"Where: {where}."]
    now = f"Now: {shown(incident.now)} of {incident.now.n:,} {words.unit}."
    since = f"Since: about {_clock(incident.since)}."
    return [now, before, since, *noted, f"Where: {where}.", words.meaning]


def _recovery(incident: Incident) -> int:
    return incident.since if incident.recovering_since is None else incident.recovering_since


def _moment(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / 1e9, UTC)


def _clock(nanoseconds: int) -> str:
    return f"{_moment(nanoseconds):%Y-%m-%d %H:%M} UTC"
