"""Pages that nobody acknowledges, and channels that do not take them: told again, and told to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, Protocol

from ragvigil.exporters import Action, Alert
from ragvigil.scorer.config import Route
from ragvigil.scorer.monitoring import Incident
from ragvigil.scorer.routing import asked

UNTAKEN_SECONDS = 60.0
"""A channel that has not taken a page for so long, though it was tried, has failed it."""

_TITLE_CHARACTERS = 120
_PAGES = frozenset({"critical", "error"})
_SAID = ("Reminder: ", "Escalated: ")


@dataclass(frozen=True, slots=True)
class Told:
    """The latest message to one channel about one incident."""

    channel: str
    created_at: int
    """Unix time, nanoseconds."""
    delivered: bool
    failed: bool
    """Refused by the service, or tried and not taken yet."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """An open incident that was told, that nobody acknowledged and no silence holds back."""

    incident: Incident
    alert: Alert
    """What was last said of it."""
    began: int
    """When its page was made, Unix nanoseconds; of one that was re-opened, the last page."""
    told: Mapping[str, Told]
    """By channel."""


@dataclass(frozen=True, slots=True)
class Step:
    """One message to send."""

    channel: str
    action: Action
    word: Literal["Reminder", "Escalated"]
    why: str


class EscalationStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def unanswered(self, now: int) -> Sequence[Unanswered]:
        """Open incidents that were told and that nobody has in hand, oldest first."""
        ...

    def post(self, alert: Alert, channels: Sequence[str]) -> None:
        """Put an alert into the outbox of those channels."""
        ...


class Escalation:
    """Follows what the routes say of pages that nobody answers."""

    def __init__(self, store: EscalationStore, routes: Mapping[str, Route]) -> None:
        self._store = store
        self._routes = {
            name: route for name, route in routes.items() if route.escalate_to or route.renotify_seconds
        }
        self._all = routes

    def tick(self, now: int) -> list[Alert]:
        """Post what is due at `now` (Unix nanoseconds); the alerts that were posted."""
        if not self._routes:
            return []
        posted: list[Alert] = []
        for one in self._store.unanswered(now):
            for step in steps(one, self._all, now):
                alert = said(one, step, now)
                self._store.post(alert, [step.channel])
                posted.append(alert)
        return posted


def steps(one: Unanswered, routes: Mapping[str, Route], now: int) -> Iterator[Step]:
    """What is to be sent now about a page that nobody answered, at most one message to each channel."""
    if one.alert.severity not in _PAGES:
        return
    at = datetime.fromtimestamp(one.began / 1e9, UTC)
    answers = asked(routes, one.incident.key, one.alert.severity, at, one.incident.segment)
    done: set[str] = set()
    for route in (routes[answer.name] for answer in answers if answer.takes):
        for step in (*_escalated(one, route, now), *_reminded(one, route, now)):
            if step.channel not in done:
                done.add(step.channel)
                yield step


def _escalated(one: Unanswered, route: Route, now: int) -> Iterator[Step]:
    waited = (now - one.began) / 1e9
    silent = [name for name in route.channels if _failed(one.told.get(name), waited)]
    if silent:
        why = f"Not taken by {', '.join(silent)}."
    elif waited >= route.escalate_seconds:
        why = f"Nobody has acknowledged it since {_clock(one.began)}."
    else:
        return
    for channel in route.escalate_to:
        last = one.told.get(channel)
        if last is None or last.created_at < one.began:
            yield Step(channel, "trigger", "Escalated", why)


def _failed(last: Told | None, waited: float) -> bool:
    return last is not None and last.failed and waited >= UNTAKEN_SECONDS


def _reminded(one: Unanswered, route: Route, now: int) -> Iterator[Step]:
    if route.renotify_seconds is None:
        return
    why = f"Nobody has acknowledged it since {_clock(one.began)}."
    for channel in dict.fromkeys((*route.channels, *route.escalate_to)):
        last = one.told.get(channel)
        if last is not None and last.delivered and now - last.created_at >= route.renotify_seconds * 1e9:
            yield Step(channel, "update", "Reminder", why)


def said(one: Unanswered, step: Step, now: int) -> Alert:
    """What was last said, again, with the reason first."""
    title = one.alert.title
    for word in _SAID:
        title = title.removeprefix(word)
    lines = one.alert.summary.split("\n")
    if one.alert.title != title:
        lines = lines[1:]
    return replace(
        one.alert,
        action=step.action,
        title=f"{step.word}: {title}"[:_TITLE_CHARACTERS],
        summary="\n".join([step.why, *lines]),
        at=datetime.fromtimestamp(now / 1e9, UTC),
    )


def _clock(moment: int) -> str:
    return f"{datetime.fromtimestamp(moment / 1e9, UTC):%H:%M} UTC"
