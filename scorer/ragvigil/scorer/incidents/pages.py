"""What a page says: the words and links of one alert, for somebody who was asleep a minute ago."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from ragvigil.exporters import (
    Action,
    Alert,
    Example,
    Measurement,
    Severity,
    clean,
    is_loopback,
    percent,
    shown,
)
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.diagnosis import Diagnosis
from ragvigil.scorer.diagnose.words import first_lines, more_lines
from ragvigil.scorer.estimate.newcombe import moved
from ragvigil.scorer.incidents.severity import severity_of
from ragvigil.scorer.incidents.titles import CHARACTERS, SERVICE_CHARACTERS, fitted
from ragvigil.scorer.moments import calendar_time, in_utc
from ragvigil.scorer.monitoring import Incident

_TEXT_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class _Words:
    name: str
    unit: str
    meaning: str
    by_labels: bool = False
    """Whether human labels can correct it: the page says whether they did."""


_WORDS: dict[str, _Words] = {
    "faithfulness": _Words(
        "faithfulness",
        "judged answers",
        "Faithfulness is the share of answers whose claims the retrieved passages support, as the judge sees it.",
        by_labels=True,
    ),
    "citation": _Words(
        "citation correctness",
        "answers",
        "Citation correctness is the share of an answer's citations that point to a passage it was given; "
        "an answer that makes claims and cites nothing has none.",
    ),
    "judge.answer_relevance": _Words(
        "answer relevance",
        "judged answers",
        "Answer relevance is how near an answer is to the question that was asked: 1 when it answers just that.",
    ),
    "judge.context_relevant_share": _Words(
        "context relevance",
        "judged answers",
        "Context relevance is the share of retrieved passages that help to answer the question, as the judge sees it.",
    ),
    "judge.context_precision": _Words(
        "context precision",
        "judged answers",
        "Context precision is 1 when the passages that help come before those that do not, as the judge sees it.",
    ),
    "judge.six_axes": _Words(
        "grounded answer score",
        "judged answers",
        "The grounded answer score weighs six axes of an answer, as the judge sees them; 1 is the best.",
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


def _words(name: str) -> _Words:
    """How a series is spoken of."""
    if name in _WORDS:
        return _WORDS[name]
    criterion = clean(name.removeprefix("criteria."), limit=SERVICE_CHARACTERS)
    return _Words(
        f"criterion {criterion}",
        "judged answers",
        f"Criterion {criterion} is one of your own: the share of answers that meet it, as the judge sees it.",
        by_labels=True,
    )


CAUSE_FOUND = "Probable cause found"
"""The news of a page that now says why."""


def label(name: str) -> str:
    """What a series is called in a page.

    >>> label("citation")
    'Citation correctness'
    """
    return _TICKETS[name] if name in _TICKETS else _capital(_words(name).name)


def page(
    incident: Incident,
    action: Action,
    examples: Iterable[Example],
    links: Links,
    *,
    at: int,
    history: tuple[float | None, ...] = (),
    drawn: tuple[int, int] | None = None,
    diagnosis: Diagnosis | None = None,
    news: str | None = None,
) -> Alert:
    """The alert that tells of `incident`; every text in it is fit to show.

    `history` is the course of the rate from `drawn[0]` to `drawn[1]`; `news`: why it is sent, where that is no other
    level.
    """
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
        title=_title(incident, action, at, news),
        summary="\n".join([*_summary(incident, action, diagnosis, links), *_meaning(incident, action)]),
        before=incident.before,
        now=incident.now,
        since=calendar_time(incident.since),
        at=calendar_time(at),
        segment=_segment(incident, service),
        cause=_cause(diagnosis),
        examples=tuple(_linked(example, links) for example in examples),
        link=incident_link(incident.id, links),
        history=history,
        history_from=None if drawn is None else calendar_time(drawn[0]),
        history_until=None if drawn is None else calendar_time(drawn[1]),
    )


def standing(incident: Incident) -> str:
    """The title of a fall that is told of again: no news, but how it stands."""
    return fitted(lambda room: _standing_title(incident, room))


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
    name, _, value = clean(incident.segment, limit=SERVICE_CHARACTERS).partition("=")
    return {"service": service, **({name: value} if value else {"segment": name})}


def _cause(diagnosis: Diagnosis | None) -> dict[str, str]:
    if diagnosis is None or diagnosis.cause is None:
        return {}
    limit = SERVICE_CHARACTERS
    return {clean(name, limit=limit): clean(value, limit=limit) for name, value in diagnosis.cause.values}


def _severity(incident: Incident) -> Severity:
    return severity_of(incident.key.name, drop=incident.before.value - incident.worst.value)


def _title(incident: Incident, action: Action, at: int, news: str | None) -> str:
    """One line with its figures."""
    return fitted(lambda room: _titled(incident, action, at, news, room))


def _titled(incident: Incident, action: Action, at: int, news: str | None, room: int) -> str:
    if incident.key.name in _TICKETS:
        return _ticket_title(incident, action, f"{label(incident.key.name)} of {_place(incident, room)}")
    what = _what(incident, room)
    if incident.under_floor:
        return _floor_title(incident, action, what, news)
    before, now = percent(incident.before.value), percent(incident.now.value)
    if incident.withdrawn:
        title = f"Withdrawn: late data show that {what} did not fall"
    elif action == "resolve":
        title = f"Resolved: {what} is back at {now}"
    elif incident.amended_at == at:
        title = f"Corrected by late data: {what} fell from {before} to {now}"
    elif action == "trigger" and incident.reopened:
        title = f"Again: {what} fell from {before} to {now}"
    elif news:
        title = f"{news}: {what} fell from {before} to {percent(incident.worst.value)}"
    elif action == "update" and incident.now != incident.worst:
        title = f"Update: {what} fell from {before} to {percent(incident.worst.value)}, now {now}"
    elif action == "update":
        title = f"Worse: {what} fell further, from {before} to {now}"
    else:
        title = f"{_capital(what)} fell from {before} to {now}"
    return title


def _standing_title(incident: Incident, room: int) -> str:
    what, now = _what(incident, room), percent(incident.now.value)
    if incident.under_floor:
        return _floor_title(incident, "trigger", what, None)
    fell = f"{what} fell from {percent(incident.before.value)} to {percent(incident.worst.value)}"
    return _capital(fell if incident.now == incident.worst else f"{fell}, now {now}")


def _what(incident: Incident, room: int) -> str:
    name = clean(_words(incident.key.name).name, limit=room + len("criterion "))
    return f"{name} of {_place(incident, room)}"


def _place(incident: Incident, room: int) -> str:
    service = clean(incident.key.service, limit=room)
    return f"{service}, {clean(incident.segment, limit=room)}" if incident.segment else service


def _ticket_title(incident: Incident, action: Action, what: str) -> str:
    """With what the note says before its first colon, where that fits."""
    if action == "resolve":
        named = what[:1].lower() + what[1:]
        ends = "is back" if incident.key.name == "traffic" else "gave no more trouble for a day"
        return f"Resolved: {named} {ends}"
    said = clean(incident.note or "", limit=_TEXT_CHARACTERS).partition(": ")[0].removesuffix(".")
    title = f"{what} {said or 'needs a look'}"
    return title if len(title) <= CHARACTERS else f"{what} needs a look"


def _floor_title(incident: Incident, action: Action, what: str, news: str | None) -> str:
    floor, now = percent(incident.before.value), percent(incident.now.value)
    if action == "resolve" and incident.now.value < incident.before.value:
        return f"Resolved: no floor is set for {what} any more"
    if action == "resolve":
        return f"Resolved: {what} is back at {now}, its floor is {floor}"
    under = f"{what} is under its floor of {floor}: {now}"
    if action == "update":
        return f"{news or 'Worse'}: {under}"
    return f"Again: {under}" if incident.reopened else _capital(under)


def _summary(incident: Incident, action: Action, diagnosis: Diagnosis | None, links: Links) -> Sequence[str]:
    """What is most urgent first: some channels show no more than the first lines of what is new."""
    where = f"service {clean(incident.key.service, limit=200)}"
    if incident.key.environment:
        where += f", environment {clean(incident.key.environment, limit=200)}"
    if incident.segment:
        where += f", segment {clean(incident.segment, limit=200)}"
    noted = [clean(incident.note, limit=_TEXT_CHARACTERS)] if incident.note else []
    if incident.key.name in _TICKETS:
        told = [f"{label(incident.key.name)} {one}" for one in noted]
        told = [f"Told before: {one}" if action == "resolve" else one for one in told]
        return [*told, f"Where: {where}."]
    words = _words(incident.key.name)
    fall = "" if action == "resolve" else _fall(incident.before, incident.now)
    before = f"Before: {shown(incident.before)} of {incident.before.n:,} {words.unit}{fall}."
    if incident.under_floor:
        before = f"Floor: {percent(incident.before.value)} (detect.slo), whatever was before."
    if action == "resolve":
        now = f"Now: {shown(incident.now)} of {incident.now.n:,} {words.unit} since {in_utc(_recovery(incident))}."
        worst = (
            f"Worst: {shown(incident.worst)} of {incident.worst.n:,} {words.unit}, "
            f"after {in_utc(incident.since)}."
        )
        if incident.withdrawn:
            now = f"Now: {shown(incident.now)} of {incident.now.n:,} {words.unit}, for the same time."
            worst = f"Told before: {shown(incident.worst)}, from {in_utc(incident.since)} on."
        return [now, before, worst, f"Where: {where}."]
    now = f"Now: {shown(incident.now)} of {incident.now.n:,} {words.unit}{_looks_well(incident)}."
    since = [f"Since: about {in_utc(incident.since)}."]
    if diagnosis is None:
        return [now, *noted, before, *since, f"Where: {where}."]
    began = [] if diagnosis.sure else since
    first, more = first_lines(diagnosis, links), more_lines(diagnosis)
    return [now, before, *noted, *first, *began, *more, f"Where: {where}."]


def _looks_well(incident: Incident) -> str:
    """What is said of a fall that may be over, and that has not looked well for long enough to resolve."""
    if incident.recovering_since is None:
        return ""
    return f" since {in_utc(incident.recovering_since)}: it looks well again, and resolves when it stays so"


def _fall(before: Measurement, now: Measurement) -> str:
    """By how much it fell, with an interval; nothing where one of the two was set or it did not fall."""
    if not before.estimated or not now.estimated or now.value >= before.value:
        return ""
    found = moved(
        (before.value, before.lower, before.upper), (now.value, now.lower, now.upper), confidence=0.95
    )
    most, least = -100.0 * found.lower, -100.0 * found.upper
    return f"; the fall is {-100.0 * found.value:.1f} points (95 % interval {least:.1f} to {most:.1f})"


def _meaning(incident: Incident, action: Action) -> list[str]:
    """What the series measures, last: for who meets it for the first time."""
    told = action == "resolve" or incident.key.name in _TICKETS
    if told:
        return []
    words = _words(incident.key.name)
    if not words.by_labels:
        return [words.meaning]
    corrected = "corrected with human labels for the judge's errors"
    how = corrected if incident.now.calibrated else "not calibrated with human labels"
    return [f"{words.meaning.removesuffix('.')} ({how})."]


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _recovery(incident: Incident) -> int:
    return incident.since if incident.recovering_since is None else incident.recovering_since
