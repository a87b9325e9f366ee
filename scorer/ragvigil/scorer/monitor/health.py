"""The scorer's own illness, told as a page: it lags behind, its judge does not answer, its disk is nearly full.

A scorer that is ill says that all is well of everything it no longer sees. One that cannot even say so is what
the heartbeat is for.
"""

from __future__ import annotations

import shutil
import socket
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ragvigil.exporters import Action, Alert, Measurement, lasting
from ragvigil.scorer import config
from ragvigil.scorer.incidents.life import REOPEN_SECONDS, again, dedup_key, incident_id, patience
from ragvigil.scorer.incidents.pages import incident_link
from ragvigil.scorer.incidents.severity import severity_of
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.monitoring import HealthName, Incident, SeriesKey
from ragvigil.scorer.passed_time import Clock, Jumps, looked_within

SERVICE = "ragvigil"
"""Whose incidents these are; it names no environment, so it pages wherever it runs."""

UNSCORED_BY: tuple[HealthName, ...] = ("scorer_backlog", "scorer_judge")
"""Illnesses in which answers are shed or fail: one page is enough for both."""

_TITLES: dict[HealthName, tuple[str, str]] = {
    "scorer_backlog": ("ragvigil lags behind", "ragvigil has caught up"),
    "scorer_judge": ("ragvigil's judge does not answer", "ragvigil's judge answers again"),
    "scorer_disk": ("ragvigil's disk is nearly full", "ragvigil's disk has room again"),
}
_MEANINGS: dict[HealthName, str] = {
    "scorer_backlog": "Falls are seen late or not at all, and a full inbox refuses spans. See ragvigil status.",
    "scorer_judge": "Faithfulness is not watched meanwhile; citations are. See ragvigil ledger.",
    "scorer_disk": "When it is full, spans are refused and nothing is watched. See [retention] and inbox.max_bytes.",
}
_FULL_BYTES = 10**6
_FULL = "The disk is full"


@dataclass(frozen=True, slots=True)
class Sign:
    """How one part of the scorer is."""

    name: HealthName
    ill: bool
    words: str
    """What was found, with its figures."""
    level: float
    """In [0, 1]; lower is worse."""
    wanted: float
    """The level under which it is ill."""
    n: int = 0


class Watched(Protocol):
    """What is asked of the pipeline."""

    @property
    def reading(self) -> int | None:
        """When that was received which is read, or waits to be stored (Unix nanoseconds); None when there is none."""
        ...


class HealthStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def overdue(self, before: int) -> int:
        """Records that have waited for a verdict since before that moment."""
        ...

    def open_incident(self, key: SeriesKey) -> Incident | None:
        """The incident of that series that is not resolved."""
        ...

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment that are open or resolved at or after `since`, newest first."""
        ...

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        ...


class HealthWatch:
    """Looks at the scorer itself, opens and resolves its incidents. Used by the writing thread."""

    def __init__(
        self,
        store: HealthStore,
        pipeline: Watched,
        settings: config.Settings,
        *,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
        trouble: Callable[[], str | None] = lambda: None,
        ticks: Clock | None = None,
    ) -> None:
        """`trouble` says what keeps the judge's endpoint from answering; `ticks` is a clock that nobody sets."""
        self._jumps = Jumps(ticks)
        self._trouble = trouble
        self._store = store
        self._pipeline = pipeline
        self._settings = settings.health
        self._channels = tuple(settings.channels)
        self._links = settings.links
        self._inbox = settings.inbox_path
        self._inbox_bytes = settings.inbox.max_bytes
        self._folders = (settings.store.path.parent, settings.inbox_path)
        self._where = f"Where: host {socket.gethostname()}, store {settings.store.path.absolute()}."
        self._free_bytes = free_bytes
        self._verdicts: deque[tuple[int, bool]] = deque(maxlen=10_000)
        self._looked_at = -(2**63)

    def judged(self, at: int, *, answered: int, failed: int) -> None:
        """Count what the judge said, at that moment."""
        self._verdicts.extend([(at, True)] * answered + [(at, False)] * failed)

    def tick(self, now: int) -> list[Alert]:
        """Look, at most every `every_seconds`; the alerts that were posted."""
        if not self._settings.enabled or looked_within(self._settings.every_seconds, self._looked_at, now):
            return []
        self._looked_at = now
        alerts = (self._follow(sign, now) for sign in self.signs(now))
        return [alert for alert in alerts if alert is not None]

    def signs(self, now: int) -> Iterator[Sign]:
        """How each part is at `now`."""
        yield self._backlog(now)
        yield self._judge(now)
        yield self._disk()

    def _backlog(self, now: int) -> Sign:
        most, reading = self._settings.backlog_seconds, self._pipeline.reading
        lag = 0.0 if reading is None else max(0.0, (now - reading) / 1e9)
        words = "It has read all that arrived."
        if lag > 0.0:
            allowed = f"{lasting(most)} are allowed (health.backlog_seconds)"
            words = f"It is reading what arrived {lasting(lag)} ago; {allowed}."
        return Sign("scorer_backlog", lag > most, words, min(1.0, most / max(lag, 1e-9)), 1.0)

    def _judge(self, now: int) -> Sign:
        settings = self._settings
        begin = self._jumps.ago(now, round(settings.judge_seconds * 1e9))
        while self._verdicts and self._verdicts[0][0] < begin:
            self._verdicts.popleft()
        asked, answered = len(self._verdicts), sum(right for _, right in self._verdicts)
        share = answered / asked if asked else 1.0
        least = 1.0 - settings.judge_failures
        failing = asked >= settings.judge_sample and share < least
        overdue = self._store.overdue(begin)
        silent = overdue > 0 and answered == 0
        waiting = f"{overdue:,}" if overdue else "none"
        words = (
            f"Of the last {asked:,} answers that it was asked about it judged {answered:,}; {waiting} waited for more "
            f"than {lasting(settings.judge_seconds)} (health.judge_seconds)."
        )
        trouble = self._trouble()
        words += f" {trouble}." if trouble else ""
        level = 0.0 if silent else share
        return Sign("scorer_judge", failing or silent, words, level, least, asked)

    def _disk(self) -> Sign:
        settings = self._settings
        free = min((self._free_bytes(folder) for folder in self._folders if folder.is_dir()), default=0)
        filled = sum(map(_size, self._inbox.glob("*.db*"))) / self._inbox_bytes
        words = (
            f"{free / 1e6:,.0f} MB are free, {settings.least_free_bytes / 1e6:,.0f} are wanted "
            f"(health.least_free_bytes); the inbox is {100.0 * filled:.0f} % full (health.most_inbox, inbox.max_bytes)."
        )
        if free < _FULL_BYTES:
            words = f"{_FULL}, and spans are refused: {words}"
        ill = free < settings.least_free_bytes or filled > settings.most_inbox
        level = min(1.0, free / settings.least_free_bytes, settings.most_inbox / max(filled, 1e-9))
        return Sign("scorer_disk", ill, words, level, 1.0)

    def _follow(self, sign: Sign, now: int) -> Alert | None:
        key = SeriesKey(sign.name, SERVICE, None)
        incident = self._store.open_incident(key)
        level = Measurement(sign.level, sign.level, sign.level, sign.n, None, "own health")
        if incident is None:
            if not sign.ill:
                return None
            soon = now - round(REOPEN_SECONDS * 1e9)
            fresh = self._opened(key, sign, level, now)
            known = again(self._store.neighbours(key, soon), fresh, since=soon)
            return self._save(replace(known, note=sign.words), "trigger", now)
        back = None if sign.ill else incident.recovering_since or now
        after = replace(incident, now=level, recovering_since=back, note=sign.words)
        if back is not None and now - back >= self._settings.resolve_seconds * patience(incident) * 1e9:
            return self._save(replace(after, resolved_at=now), "resolve", now)
        after = replace(after, worst=min(incident.worst, level, key=lambda one: one.value))
        if (
            sign.words.startswith(_FULL)
            and incident.worst.value >= _FULL_BYTES / self._settings.least_free_bytes
        ):
            return self._save(after, "update", now)
        self._store.save_incident(after, None, ())
        return None

    def _opened(self, key: SeriesKey, sign: Sign, level: Measurement, now: int) -> Incident:
        name = dedup_key(key, now, grain_seconds=self._settings.resolve_seconds)
        wanted = Measurement(sign.wanted, sign.wanted, sign.wanted, 0, None, "threshold")
        return Incident(incident_id(name), key, name, now, now, wanted, level, level, note=sign.words)

    def _save(self, incident: Incident, action: Action, now: int) -> Alert:
        alert = alert_of(incident, action, now, self._links, where=self._where)
        self._store.save_incident(incident, alert, self._channels)
        return alert


def _size(path: Path) -> int:
    """Bytes of a file; 0 when it was deleted a moment ago, as the log beside a database may be."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def alert_of(
    incident: Incident, action: Action, now: int, links: config.Links, *, where: str | None = None
) -> Alert:
    """The page about an illness of the scorer; `where` it runs, for several may page the same people."""
    name = incident.key.name
    ill, well = next(titles for known, titles in _TITLES.items() if known == name)
    meaning = next(words for known, words in _MEANINGS.items() if known == name)
    if action != "resolve" and (incident.note or "").startswith(_FULL):
        ill, meaning = "ragvigil's disk is full", "Nothing is watched. See [retention] and inbox.max_bytes."
    again = "Again: " if incident.reopened else ""
    lines = [incident.note or "", *([] if action == "resolve" else [meaning]), *([where] if where else [])]
    return Alert(
        incident_id=incident.id,
        dedup_key=incident.dedup_key,
        action=action,
        severity=severity_of(name),
        series=name,
        service=SERVICE,
        environment=None,
        title=f"Resolved: {well}" if action == "resolve" else again + ill,
        summary="\n".join(lines),
        before=incident.before,
        now=incident.now,
        since=calendar_time(incident.since),
        at=calendar_time(now),
        segment={"service": SERVICE},
        link=incident_link(incident.id, links),
    )
