"""Many services that fall at once are one page: what the message about all of them says, and when. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ragvigil.exporters import Action, Alert, Measurement, Severity, clean
from ragvigil.scorer.config import Links, Monitor
from ragvigil.scorer.incidents.life import dedup_key, incident_id
from ragvigil.scorer.incidents.pages import incident_link
from ragvigil.scorer.incidents.titles import fitted
from ragvigil.scorer.moments import calendar_time, in_utc
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.passed_time import was_set_back

STORM = "storm"
"""Series of the incident that speaks for many."""
PAGES = frozenset({"critical", "error"})
_NAMED = 5
_SHARED = 3
_MOSTLY = 0.5
"""Share of the services from which on what they have in common is said."""


@dataclass(frozen=True, slots=True)
class Member:
    """One incident that a storm speaks for."""

    incident: Incident
    alert: Alert
    """Its page, which was not sent there."""
    acknowledged: bool
    silenced: bool
    untold: bool
    """Whether there is anything of it that the storm has not told: a silence may have held it back."""

    @property
    def stands(self) -> bool:
        """Whether it is open, and to be told of."""
        return self.incident.resolved_at is None and not self.silenced


@dataclass(frozen=True, slots=True)
class Storm:
    """What is known of one that is not over."""

    incident: Incident
    channels: Sequence[str]
    """Who is told."""
    members: Sequence[Member]
    before: Mapping[str, bool]
    """Whether it stands, of services of which the channel had a page of their own before the storm was one."""
    told_at: int | None
    """When its last message about its members was made, Unix nanoseconds; None before the first."""

    @property
    def standing(self) -> Sequence[Member]:
        """Members that are open and not silenced, the worst first."""
        return sorted((one for one in self.members if one.stands), key=_severity)


def told_as(channel: str, number: int = 1) -> str:
    """The service that a channel's storm names: the same from its first message to its last.

    Of those that stand at the same time each has a number.

    >>> told_as("oncall"), told_as("oncall", 2)
    ('several services (oncall)', 'several services (oncall, 2)')
    """
    return f"several services ({channel})" if number == 1 else f"several services ({channel}, {number})"


Marks = Mapping[SeriesKey, Sequence[tuple[str, str]]]
"""(dimension, value) that most of the latest answers of a service have, such as its model."""


class StormStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def standing(self, now: int) -> Sequence[Storm]:
        """Those that are not over."""
        ...

    def marks(self, keys: Iterable[SeriesKey]) -> Marks:
        """What marks the latest answers of each; once for each service of which any can be read."""
        ...

    def tell(
        self, incident: Incident, alert: Alert | None, channels: Sequence[str], about: Collection[str]
    ) -> None:
        """Keep the storm, and put the alert into the outbox of those channels, in one transaction.

        `about` are the ids of the members of which it tells how they stand.
        """
        ...


class Storms:
    """Tells of storms: at once, every `group_interval_seconds` of what changed, and of the end of the last fall."""

    def __init__(self, store: StormStore, settings: Monitor, links: Links) -> None:
        self._store = store
        self._interval = round(settings.group_interval_seconds * 1e9)
        self._links = links

    def tick(self, now: int) -> list[Alert]:
        """Post what is due at `now` (Unix nanoseconds); the alerts that were posted."""
        posted: list[Alert] = []
        for storm in self._store.standing(now):
            action = due(storm, now, self._interval)
            if action is None:
                continue
            after = _after(storm, action, now)
            alert = None
            if action != "resolve" or storm.told_at is not None:
                keys = {one.incident.key for one in storm.standing}
                alert = page(
                    replace(storm, incident=after), action, self._store.marks(keys), now, self._links
                )
                posted.append(alert)
            about = {one.incident.id for one in storm.members if not one.silenced}
            self._store.tell(after, alert, storm.channels, about)
        return posted


def opened(service: str, at: int, since: int) -> Incident:
    """The storm so called that begins with a page made `at`; the pages before it began at `since`."""
    key = SeriesKey(STORM, service, None)
    name = dedup_key(key, at, grain_seconds=1.0)
    return Incident(incident_id(name), key, name, at, since, _share(1, 1), _share(0, 1), _share(0, 1))


def due(storm: Storm, now: int, interval: int) -> Action | None:
    """What there is to say of it at `now`; over is what no member is in any more."""
    if all(one.incident.resolved_at is not None for one in storm.members):
        return "resolve"
    if not storm.standing:
        return None  # all that is open is silenced
    if storm.told_at is None:
        return "trigger"
    waited = now - storm.told_at >= interval or was_set_back(storm.told_at, now)
    news = any(one.untold and not one.silenced for one in storm.members)
    return "update" if news and waited else None


def page(storm: Storm, action: Action, marks: Marks, now: int, links: Links) -> Alert:
    """The message about all of them."""
    incident, standing = storm.incident, storm.standing
    lines = [f"{_counted(storm)} They fell from {in_utc(incident.since)} on."]
    if action != "resolve":
        lines += [*_in_common(marks), *(f"- {one.alert.title}" for one in standing[:_NAMED])]
        lines += [f"and {len(standing) - _NAMED} more."] if len(standing) > _NAMED else []
    lines.append(
        "Each of them is an incident (ragvigil incidents). What is said of those that had no page of their own comes "
        "here, and this one ends with the last of them."
    )
    return Alert(
        incident_id=incident.id,
        dedup_key=incident.dedup_key,
        action=action,
        severity=_gravest(storm.members),
        series=STORM,
        service=incident.key.service,
        environment=None,
        title=_title(storm, action),
        summary="\n".join(lines),
        before=incident.before,
        now=incident.now,
        since=calendar_time(incident.since),
        at=calendar_time(now),
        segment={"service": incident.key.service},
        link=incident_link(incident.id, links),
    )


_ORDER: tuple[Severity, ...] = ("critical", "error", "warning", "info")


def _title(storm: Storm, action: Action) -> str:
    if action == "resolve":
        count = len({_service(one) for one in storm.members})
        if not count:
            return "Resolved: none of the services that fell together is left in it"
        return f"Resolved: the last {count} of the services that fell together are back"
    begin = f"{len(_services(storm))} services fell together"
    if action == "update":
        begin = f"Update: {len(_down(storm))} of {len(_services(storm))} services that fell together are down"
    worst = storm.standing[0].alert.title
    return fitted(lambda room: f"{begin}. Worst: {clean(worst, limit=room + 40)}")


def _counted(storm: Storm) -> str:
    own = len(storm.before)
    return (
        f"Still down: {len(_down(storm))} of {len(_services(storm))} services; "
        f"{own} of them had a page of their own before."
    )


def _services(storm: Storm) -> set[str]:
    return {*map(_service, storm.members), *storm.before}


def _down(storm: Storm) -> set[str]:
    own = {service for service, stands in storm.before.items() if stands}
    return {*map(_service, storm.standing), *own}


def _in_common(marks: Marks) -> Iterator[str]:
    """What most of them share, the most common first: that is where to look. Of fewer than two nothing is known."""
    if len(marks) < 2:
        return
    counts = Counter(mark for own in marks.values() for mark in set(own))
    most = [one for one, count in counts.items() if count > _MOSTLY * len(marks)]
    most.sort(key=lambda one: (-counts[one], one))
    if not most:
        yield "Their records share no model, version or other dimension: look at what all services stand on."
        return
    told = (f"{name} {value} ({counts[name, value]} of {len(marks)})" for name, value in most[:_SHARED])
    yield f"They share {', '.join(told)}: look there first."


def _after(storm: Storm, action: Action, now: int) -> Incident:
    """The storm as it is kept: no rate, but how many are well."""
    well = _share(len(_services(storm)) - len(_down(storm)), len(_services(storm)))
    worst = min(storm.incident.worst, well, key=lambda level: level.value)
    after = replace(storm.incident, worst=worst, now=well, note=_counted(storm))
    return replace(after, resolved_at=now) if action == "resolve" else after


def _share(well: int, of: int) -> Measurement:
    share = well / max(of, 1)
    return Measurement(share, share, share, of)


def _severity(one: Member) -> tuple[int, float, str]:
    incident = one.incident
    fall = incident.before.value - incident.worst.value
    return _ORDER.index(one.alert.severity), -fall, incident.id


def _gravest(members: Sequence[Member]) -> Severity:
    found = {one.alert.severity for one in members}
    for severity in _ORDER:
        if severity in found:
            return severity
    return "error"


def _service(one: Member) -> str:
    return one.incident.key.service
