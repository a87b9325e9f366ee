"""Personal data or a secret in an answer is no rate: a ticket at once, and one for as long as it goes on.

The check `leaked_personal_data` finds it on every answer. The ticket names kinds and traces, never the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ragvigil.exporters import Action, Alert, Example, Measurement, clean
from ragvigil.scorer import config
from ragvigil.scorer.incidents.life import dedup_key, incident_id
from ragvigil.scorer.incidents.pages import incident_link, trace_link
from ragvigil.scorer.incidents.severity import severity_of
from ragvigil.scorer.incidents.titles import fitted
from ragvigil.scorer.moments import DAY, calendar_time
from ragvigil.scorer.monitoring import Incident, SeriesKey

CHECK = "leaked_personal_data"

_QUIET_NANOSECONDS = DAY
"""A day without another one ends the ticket."""
_EXAMPLES = 5
_KINDS = "Kinds: "


@dataclass(frozen=True, slots=True)
class Leak:
    """One answer that holds what neither question nor evidence held."""

    record_id: int
    key: SeriesKey
    trace_id: str
    kinds: tuple[str, ...]
    """As redaction calls them: ``EMAIL``, ``KEY``."""


class LeakStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def leaks(self) -> Sequence[Leak]:
        """Those that nobody has been told of, oldest record first."""
        ...

    def open_leaks(self) -> Sequence[Incident]:
        """The tickets about leaks that are not resolved."""
        ...

    def open_incident(self, key: SeriesKey) -> Incident | None:
        """The ticket of that service, if it is not resolved."""
        ...

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        ...

    def tell(
        self, incident: Incident, alert: Alert | None, channels: Sequence[str], told: Sequence[Leak]
    ) -> None:
        """Write the ticket with its messages, and let go of what it tells, in one transaction."""
        ...


class LeakWatch:
    """Opens one ticket for each service that leaks, and adds to it only what is new. Used by the writing thread."""

    def __init__(self, store: LeakStore, settings: config.Settings) -> None:
        self._store = store
        self._links = settings.links
        self._environments = settings.monitor.page_environments
        self._channels = tuple(settings.channels)

    def tick(self, now: int) -> list[Alert]:
        """Tell of what was found since the last look; the alerts that were posted."""
        found: dict[SeriesKey, list[Leak]] = {}
        for leak in self._store.leaks():
            found.setdefault(leak.key, []).append(leak)
        alerts = [self._tell(key, leaks, now) for key, leaks in found.items()]
        alerts += [self._end(incident, now) for incident in self._store.open_leaks()]
        return [alert for alert in alerts if alert is not None]

    def _tell(self, key: SeriesKey, leaks: Sequence[Leak], now: int) -> Alert | None:
        standing = self._store.open_incident(key)
        incident = standing or _opened(key, now)
        known = _kinds_of(incident)
        kinds = sorted({*known, *(kind for leak in leaks for kind in leak.kinds)})
        count = incident.now.n + len(leaks)
        after = replace(
            incident,
            recovering_since=now,
            now=replace(incident.now, n=count),
            note=_KINDS + ", ".join(clean(kind, limit=40) for kind in kinds),
        )
        action: Action | None = (
            "trigger" if standing is None else "update" if set(kinds) - set(known) else None
        )
        alert = self._ticket(after, action, leaks, now)
        self._store.tell(after, alert, self._channels, leaks)
        return alert

    def _end(self, incident: Incident, now: int) -> Alert | None:
        if now - (incident.recovering_since or incident.opened_at) < _QUIET_NANOSECONDS:
            return None
        after = replace(incident, resolved_at=now)
        alert = self._ticket(after, "resolve", (), now)
        self._store.save_incident(after, alert, self._channels)
        return alert

    def _ticket(
        self, incident: Incident, action: Action | None, leaks: Sequence[Leak], now: int
    ) -> Alert | None:
        if action is None or not incident.key.is_told(self._environments):
            return None
        return alert_of(incident, action, leaks, now, self._links)


def alert_of(
    incident: Incident, action: Action, leaks: Sequence[Leak], now: int, links: config.Links
) -> Alert:
    """The ticket about what leaked: kinds and traces, never the data."""
    service, environment = clean(incident.key.service, limit=200), incident.key.environment
    kinds = ", ".join(_kinds_of(incident))
    where = f"Where: service {service}"
    if environment:
        where += f", environment {clean(environment, limit=200)}"
    lines = [
        f"{_answers(incident.now.n, action)} what neither question nor passages held: {kinds}.",
        f"{where}.",
    ]
    return Alert(
        incident_id=incident.id,
        dedup_key=incident.dedup_key,
        action=action,
        severity=severity_of("leak"),
        series="leak",
        service=service,
        environment=environment and clean(environment, limit=200),
        title=fitted(lambda room: _titled(incident, action, room)),
        summary="\n".join([*lines, *([] if action == "resolve" else [_NOT_HERE])]),
        before=incident.before,
        now=incident.now,
        since=calendar_time(incident.since),
        at=calendar_time(now),
        segment={"service": service},
        examples=tuple(_example(leak, links) for leak in leaks[:_EXAMPLES]),
        link=incident_link(incident.id, links),
    )


def _example(leak: Leak, links: config.Links) -> Example:
    kinds = ", ".join(clean(kind, limit=40) for kind in leak.kinds)
    return Example(leak.trace_id, None, None, f"holds {kinds}", trace_link(leak.trace_id, links))


_NOT_HERE = (
    "The data are not repeated here; the traces show them to whoever may see them. "
    "What the service may say of itself, such as its support's address, is named in content.keep."
)


def _titled(incident: Incident, action: Action, room: int) -> str:
    service = clean(incident.key.service, limit=room)
    if action == "resolve":
        return f"Resolved: no more leaks seen in answers of {service} for a day"
    return f"Personal data or a secret in answers of {service}: {', '.join(_kinds_of(incident))}"


def _answers(count: int, action: Action) -> str:
    if action == "resolve":
        return "1 answer held" if count == 1 else f"{count:,} answers held"
    return "1 answer so far holds" if count == 1 else f"{count:,} answers so far hold"


def _opened(key: SeriesKey, now: int) -> Incident:
    name = dedup_key(key, now, grain_seconds=1.0)
    none = Measurement(0.0, 0.0, 0.0, 0, None, "none")
    return Incident(incident_id(name), key, name, now, now, none, none, none)


def _kinds_of(incident: Incident) -> list[str]:
    return [kind for kind in (incident.note or "").removeprefix(_KINDS).split(", ") if kind]
