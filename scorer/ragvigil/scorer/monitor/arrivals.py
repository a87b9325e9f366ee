"""A service that stops sending is a page of its own: every other series of it falls silent with it.

Whether its silence is usual is asked of its own past (`detect/stopped.py`). What the scorer did not see while it was
down, lagged behind or had its clock set is no silence. When nothing comes of any service, one of them is told and says
so: the network to the scorer is likelier than all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from ragvigil.exporters import Action, Alert, Measurement
from ragvigil.scorer import config
from ragvigil.scorer.detect.stopped import KEPT, LONGEST, Counts, Stopped, stopped
from ragvigil.scorer.incidents.life import REOPEN_SECONDS, again, dedup_key, incident_id, patience
from ragvigil.scorer.moments import DAY, MINUTE, SECOND
from ragvigil.scorer.monitor.arrivals_page import WEEK_KNOWN, alert_of, closed, usual
from ragvigil.scorer.monitor.health import SERVICE
from ragvigil.scorer.monitoring import Incident, SeriesKey
from ragvigil.scorer.passed_time import Clock, Jumps, Standing

_EVERY = 30 * SECOND
_CLOSES_EVERY = 10 * MINUTE
_GROWS = 1.1
"""A silence is looked at again when it is so many times as long: a night costs 60 looks, not 900."""
_BACK = 3
"""Answers within as long as it took to open, from which on a service is back: one may be a straggler."""
_TOGETHER = 5 * MINUTE

Place = tuple[str, str]
"""Service and environment, '' where none is named."""


class ArrivalStore(Protocol):
    """What is needed of the store, on its one writing thread; minutes are those since 1970."""

    def places(self) -> Iterable[Place]:
        """Each service and environment of which anything came."""
        ...

    def last_answer(self, place: Place, until: int) -> int | None:
        """The last minute until that one in which an answer came."""
        ...

    def minutes(self, place: Place, since: int, until: int) -> Sequence[tuple[int, int]]:
        """(minute, answers) of the minutes in [since, until] with any, oldest first."""
        ...

    def last_data(self, key: SeriesKey, until: int) -> int | None:
        """When what that series is made of last came, until then (Unix nanoseconds); None where nobody knows."""
        ...

    def keep(self, place: Place, since: int, until: int) -> None:
        """Let go of the minutes outside [since, until]."""
        ...

    def open_incidents(self) -> Sequence[Incident]:
        """Those of any series that are not resolved, oldest first."""
        ...

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment that are open or resolved at or after `since`, newest first."""
        ...

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        ...


class Reading(Protocol):
    """What is asked of the pipeline."""

    @property
    def caught_up(self) -> bool:
        """Whether all that had arrived has been read, and what of it is complete is stored."""
        ...


@dataclass(slots=True)
class _Heard:
    """What is known of one place."""

    last: int
    """The last minute with an answer."""
    listened: int
    """When that was seen, of the time for which the scorer has listened."""
    looks_at: int = 0
    """Minutes of silence at which it is looked at next."""


@dataclass(frozen=True, slots=True)
class _Look:
    """All services at one moment."""

    now: int
    silent: dict[Place, int]
    """Nanoseconds for which each has been silent."""
    standing: dict[Place, Incident]
    """The incident of each that is not resolved."""

    def silent_with(self, place: Place) -> int:
        """How many others have been silent for as long, where all are that sent within a day; else 0."""
        others = [silent for other, silent in self.silent.items() if other != place and silent < DAY]
        return len(others) if all(silent >= self.silent[place] - _TOGETHER for silent in others) else 0

    def explains(self, incident: Incident) -> bool:
        """Whether another one is told that fell silent with this one, and nobody has sent since."""
        return self.silent_with(_place(incident.key)) > 0 and any(
            other.told and abs(other.since - incident.since) <= _TOGETHER
            for other in self.standing.values()
            if other.key != incident.key
        )


class ArrivalWatch:
    """Opens and resolves incidents of services that stopped, and closes those that no data will ever end."""

    def __init__(
        self, store: ArrivalStore, pipeline: Reading, settings: config.Settings, *, ticks: Clock
    ) -> None:
        """`ticks` is a clock that nobody sets (nanoseconds)."""
        self._store = store
        self._pipeline = pipeline
        self._settings = settings.arrivals
        self._channels = tuple(settings.channels)
        self._environments = settings.monitor.page_environments
        self._links = settings.links
        self._ticks = ticks
        self._longest = max(MINUTE, round(settings.monitor.tick_seconds * 1e9))
        """Nanoseconds; the scorer slept, or stood still, for what is longer between two ticks."""
        self._clock, self._jumps = Standing(ticks), Jumps(ticks)
        self._heard: dict[Place, _Heard] = {}
        self._looked_at = self._closed_at = self._forgot_at = ticks() - DAY
        self._ticked, self._listened = ticks(), 0

    def tick(self, now: int) -> list[Alert]:
        """Look at every service at `now` (Unix nanoseconds), at most twice a minute; the alerts that were posted."""
        ticks = self._ticks()
        self._listened += min(ticks - self._ticked, self._longest)
        self._ticked, shown = ticks, self._clock.shows(now)
        if ticks - self._looked_at < _EVERY or not self._pipeline.caught_up:
            return []
        self._looked_at = ticks
        if ticks - self._forgot_at >= _CLOSES_EVERY:
            self._forgot_at = ticks
            self._forget(shown)
        if not self._settings.enabled:
            return []
        standing = self._store.open_incidents()
        if any(one.key.service == SERVICE and one.key.name != "scorer_judge" for one in standing):
            return []
        look = _Look(now, self._listen(now), {})
        look.standing.update((_place(one.key), one) for one in standing if one.key.name == "arrivals")
        alerts = [self._follow(place, look) for place in look.silent]
        if ticks - self._closed_at >= _CLOSES_EVERY:
            self._closed_at = ticks
            since = self._jumps.ago(shown, round(self._settings.close_seconds * 1e9))
            alerts += [self._close(one, since, now) for one in standing]
        return [alert for alert in alerts if alert is not None]

    def _listen(self, now: int) -> dict[Place, int]:
        """Nanoseconds for which each place has been silent, as far as this process was there to hear it."""
        silent: dict[Place, int] = {}
        for place in self._store.places():
            last = self._store.last_answer(place, now // MINUTE)
            if last is None:
                continue
            heard = self._heard.get(place)
            if heard is None or heard.last != last:
                heard = self._heard[place] = _Heard(last, self._listened)
            silent[place] = max(0, min(now - (last + 1) * MINUTE, self._listened - heard.listened))
        return silent

    def _follow(self, place: Place, look: _Look) -> Alert | None:
        incident = look.standing.get(place)
        if incident is None:
            found = self._stopped(place, look.silent[place])
            return None if found is None else self._open(place, found, look)
        now = look.now
        after = replace(incident, recovering_since=self._back_since(incident, now))
        back = after.recovering_since
        if back is not None and now - back >= self._settings.resolve_seconds * patience(incident) * 1e9:
            return self._save(replace(after, resolved_at=now), "resolve", now)
        if not after.told and back is None and not look.explains(incident):
            return self._save(replace(after, told=True), "trigger", now)
        if after != incident:
            self._store.save_incident(after, None, ())
        return None

    def _back_since(self, incident: Incident, now: int) -> int | None:
        """Since when some answers come again, within as long as it took to open."""
        took = max(MINUTE, incident.opened_at - incident.since)
        first = max(incident.since, now - took) // MINUTE
        recent = self._store.minutes(_place(incident.key), first, now // MINUTE)
        return incident.recovering_since or now if sum(n for _, n in recent) >= _BACK else None

    def _stopped(self, place: Place, silent: int) -> Stopped | None:
        heard, minutes = self._heard[place], silent // MINUTE
        if silent < self._settings.least_seconds * 1e9 or not heard.looks_at <= minutes <= LONGEST:
            return None
        heard.looks_at = max(minutes + 1, round(minutes * _GROWS))
        return stopped(self._counts(place, heard.last), minutes)

    def _counts(self, place: Place, last: int) -> Counts:
        rows = np.array(self._store.minutes(place, last - KEPT + 1, last), dtype=np.int64)
        counts = np.zeros(last - int(rows[0, 0]) + 1, dtype=np.int64)
        counts[rows[:, 0] - rows[0, 0]] = rows[:, 1]
        return counts

    def _open(self, place: Place, found: Stopped, look: _Look) -> Alert | None:
        key, now = SeriesKey("arrivals", place[0], place[1] or None), look.now
        since = (self._heard[place].last + 1) * MINUTE
        name = dedup_key(key, since, grain_seconds=60.0)
        before = Measurement(1.0, 1.0, 1.0, found.usual, None, WEEK_KNOWN if found.sure else "")
        none = Measurement(0.0, 0.0, 0.0, 0, None, "")
        fresh = Incident(incident_id(name), key, name, now, since, before, none, none)
        told = not look.explains(fresh)
        words = usual(found, look.silent[place], others=look.silent_with(place) if told else 0)
        soon = now - round(REOPEN_SECONDS * 1e9)
        known = again(self._store.neighbours(key, soon), fresh, since=soon)
        incident = replace(known, note=words, told=told)
        look.standing[place] = incident
        return self._save(incident, "trigger", now)

    def _close(self, incident: Incident, since: int, now: int) -> Alert | None:
        """End what no data since then will end: of a service that was switched off, or of a share of nothing."""
        last = self._last_data(incident, now)
        here = self._listened >= self._settings.least_seconds * 1e9
        if last is None or last > since or incident.opened_at > since or not here:
            return None
        after = replace(incident, resolved_at=now)
        alert = closed(after, now, last, self._links) if self._pages(incident) else None
        self._store.save_incident(after, alert, self._channels if alert else ())
        return alert

    def _last_data(self, incident: Incident, now: int) -> int | None:
        if incident.key.name == "arrivals":
            last = self._store.last_answer(_place(incident.key), now // MINUTE)
            return None if last is None else last * MINUTE
        return self._store.last_data(incident.key, now)

    def _forget(self, now: int) -> None:
        """Minutes that nobody asks for any more, and those of a clock that was ahead."""
        since = self._jumps.ago(now, (KEPT + LONGEST) * MINUTE) // MINUTE
        for place in list(self._store.places()):
            self._store.keep(place, since, now // MINUTE + LONGEST)

    def _pages(self, incident: Incident) -> bool:
        return incident.told and incident.key.is_told(self._environments)

    def _save(self, incident: Incident, action: Action, now: int) -> Alert | None:
        alert = alert_of(incident, action, now, self._links) if self._pages(incident) else None
        self._store.save_incident(incident, alert, self._channels if alert else ())
        return alert


def _place(key: SeriesKey) -> Place:
    return key.service, key.environment or ""
