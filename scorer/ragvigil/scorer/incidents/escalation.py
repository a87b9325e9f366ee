"""Pages that nobody acknowledges, and channels that do not take a message: told again, and told to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from typing import Literal, Protocol

from ragvigil.exporters import TITLE_CHARACTERS, Action, Alert
from ragvigil.scorer.config import Route
from ragvigil.scorer.incidents.routing import asked, routed
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.passed_time import was_set_back

UNTAKEN_SECONDS = 60.0
"""A channel that has not taken a message for so long, though it was tried, has failed it."""

_PAGES = frozenset({"critical", "error"})
_SAID = ("Reminder: ", "Escalated: ")

Anew = Callable[[Incident, Alert, int], Alert | None]
"""What there is to say of an incident at a moment (Unix nanoseconds) instead of what was said; None: nobody knows."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one channel was told of one incident since it opened; who has it in hand apart."""

    channel: str
    created_at: int
    """When its latest message was made, Unix nanoseconds."""
    delivered_at: int | None
    """When the channel took that message; None when it has not."""
    heard_at: int | None
    """When the channel took its first message; None when it has taken none."""
    failed: bool
    """The latest message was refused by the service, or tried and not taken yet."""


@dataclass(frozen=True, slots=True)
class Unanswered:
    """An open incident that was told, that nobody acknowledged and no silence holds back."""

    incident: Incident
    alert: Alert
    """What was last said of it, reminders apart."""
    began: int
    """From when it could be answered, Unix nanoseconds: when its page was made, of one that was re-opened the last
    page; later, when a silence ended or somebody let go of it since."""
    told: Mapping[str, Told]
    """By channel."""
    asks: Sequence[tuple[SeriesKey, str | None]] = ()
    """By which series and segments the routes are asked: of a storm those of its members; none: its own."""


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

    def waiting_for(self) -> Set[str]:
        """Channels that have not taken a message yet, configured or not."""
        ...

    def with_caveat(self, incident: Incident, alert: Alert) -> Alert:
        """The alert with what is known of sampling before the scorer."""
        ...

    def post(self, alert: Alert, channels: Sequence[str]) -> None:
        """Put an alert into the outbox of those channels."""
        ...


class Escalation:
    """Follows what the routes say of pages that nobody answers."""

    def __init__(
        self,
        store: EscalationStore,
        routes: Mapping[str, Route],
        anew: Anew | None = None,
        *,
        channels: Sequence[str],
    ) -> None:
        """`anew` is asked for the figures of the moment; without them those of the page are told with their time."""
        self._store = store
        self._channels = channels
        self._anew = anew
        self._routes = {
            name: route for name, route in routes.items() if route.escalate_to or route.renotify_seconds
        }
        self._all = routes

    def tick(self, now: int) -> list[Alert]:
        """Post what is due at `now` (Unix nanoseconds); the alerts that were posted."""
        gone = self._store.waiting_for() - {*self._channels}
        if not self._routes and not gone:
            return []
        posted: list[Alert] = []
        for one in self._store.unanswered(now):
            due = [*steps(one, self._all, now), *(moved(one, self._all, self._channels) if gone else ())]
            fresh = self._anew(one.incident, one.alert, now) if due and self._anew else None
            fresh = fresh and self._store.with_caveat(one.incident, fresh)
            for step in due:
                alert = said(one, step, now, fresh)
                self._store.post(alert, [step.channel])
                posted.append(alert)
        return posted


def steps(one: Unanswered, routes: Mapping[str, Route], now: int) -> Iterator[Step]:
    """What is to be sent now about what nobody answered or not every channel took, at most one message to each."""
    at = calendar_time(one.began)
    wanted = one.asks or ((one.incident.key, one.incident.segment),)
    answers = [
        answer for key, segment in wanted for answer in asked(routes, key, one.alert.severity, at, segment)
    ]
    taking = dict.fromkeys(answer.name for answer in answers if answer.takes)
    done: set[str] = set()
    for route in (routes[name] for name in taking):
        for step in (*_escalated(one, route, now), *_reminded(one, route, now)):
            if step.channel not in done:
                done.add(step.channel)
                yield step


def moved(one: Unanswered, routes: Mapping[str, Route], channels: Sequence[str]) -> Iterator[Step]:
    """What a channel never took before it was configured no more goes to those that would have it now."""
    gone = [name for name, last in one.told.items() if name not in channels and last.heard_at is None]
    if not gone:
        return
    at = calendar_time(one.began)
    wanted = one.asks or ((one.incident.key, one.incident.segment),)
    now = dict.fromkeys(
        name
        for key, segment in wanted
        for name in routed(routes, channels, key, one.alert.severity, at, segment)
    )
    why = f"Not taken before it was configured no more: {', '.join(gone)}."
    for channel in now:
        if channel not in one.told:
            yield Step(channel, "trigger", "Escalated", why)


def _escalated(one: Unanswered, route: Route, now: int) -> Iterator[Step]:
    """A channel that has not taken it is passed by, a ticket's too; who sleeps, only with a page."""
    waited = _waited(one.began, now)
    silent = [name for name in route.channels if _failed(one.told.get(name), waited, route.escalate_seconds)]
    heard = _heard(one, route.channels)
    if silent:
        why = f"{'Channel' if len(silent) == 1 else 'Channels'} {', '.join(silent)} did not take it."
    elif _is_page(one) and heard is not None and _waited(heard, now) >= route.escalate_seconds:
        why = _unacknowledged(heard, now)
    else:
        return
    for channel in route.escalate_to:
        if not _was_told(one, channel, now):
            yield Step(channel, "trigger", "Escalated", why)


def _was_told(one: Unanswered, channel: str, now: int) -> bool:
    """Since it could be answered; after the clock was set back, what it was told since then counts as well."""
    last = one.told.get(channel)
    if last is None:
        return False
    return last.created_at >= one.began or (was_set_back(one.began, now) and last.created_at <= now)


def _waited(since: int, now: int) -> float:
    """Seconds; infinite after the clock was set back: by the old time a page would wait as long again."""
    return inf if was_set_back(since, now) else (now - since) / 1e9


def _failed(last: Told | None, waited: float, longest: float) -> bool:
    """Whether the channel does not take it; behind many others a message may wait for its first try."""
    if last is None or last.delivered_at is not None:
        return False
    return waited >= (UNTAKEN_SECONDS if last.failed else max(longest, UNTAKEN_SECONDS))


def _heard(one: Unanswered, channels: Iterable[str]) -> int | None:
    """From when somebody behind one of these channels could have answered, Unix nanoseconds; None: nobody could."""
    told = (one.told[name].heard_at for name in channels if name in one.told)
    first = min((at for at in told if at is not None), default=None)
    return None if first is None else max(first, one.began)


def _reminded(one: Unanswered, route: Route, now: int) -> Iterator[Step]:
    channels = tuple(dict.fromkeys((*route.channels, *route.escalate_to)))
    heard = _heard(one, channels)
    if route.renotify_seconds is None or heard is None or not _is_page(one):
        return
    for channel in channels:
        last = one.told.get(channel)
        if last is None or last.delivered_at is None:
            continue
        answerable = 0 if was_set_back(one.began, now) else one.began
        if _waited(max(last.delivered_at, answerable), now) >= route.renotify_seconds:
            yield Step(channel, "update", "Reminder", _unacknowledged(heard, now))


def _is_page(one: Unanswered) -> bool:
    return one.alert.severity in _PAGES


def said(one: Unanswered, step: Step, now: int, fresh: Alert | None = None) -> Alert:
    """How it stands by now, or what was last said with its time, and the reason first."""
    plain = unreminded(one.alert) if fresh is None else fresh
    why = step.why if fresh is not None else f"{step.why} What follows is as of {_moment(plain.at, now)}."
    return replace(
        plain,
        action=step.action,
        title=f"{step.word}: {plain.title}"[:TITLE_CHARACTERS],
        summary=f"{why}\n{plain.summary}",
        at=calendar_time(now),
    )


def is_repeated(title: str) -> bool:
    """Whether an alert of that title is a reminder, or escalated: no news.

    >>> is_repeated("Reminder: it fell"), is_repeated("It fell")
    (True, False)
    """
    return title.startswith(_SAID)


def unreminded(alert: Alert) -> Alert:
    """The alert as it was before it was a reminder, or escalated."""
    for word in _SAID:
        if alert.title.startswith(word):
            return replace(
                alert, title=alert.title.removeprefix(word), summary=alert.summary.partition("\n")[2]
            )
    return alert


def _unacknowledged(since: int, now: int) -> str:
    return f"Nobody has acknowledged it since {_moment(calendar_time(since), now)}."


def _moment(at: datetime, now: int) -> str:
    return f"{at:%H:%M} UTC" if at.date() == calendar_time(now).date() else f"{at:%Y-%m-%d %H:%M} UTC"
