"""How much of what was asked is really looked at; too little of it is a page or a ticket of its own.

Answers that are not scored are the scorer's own illness, and a page; what the others lack can wait, unless
`coverage.pages` says otherwise.

A share is told with its interval. It opens when the whole interval lies under its threshold, or more than
`most_fall` under what is usual: the same stretch of the day before and of the week before, in which no fall of today
lies. It resolves when the share has been back for `resolve_seconds`, of `min_sample` answers at least: where fewer come
in a window, of all since the window in which it came back. Nothing received is no data, never zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from ragvigil.exporters import Action, Alert, Measurement, Severity, clean, percent, shown
from ragvigil.scorer import config
from ragvigil.scorer.incidents.life import (
    REOPEN_SECONDS,
    again,
    dedup_key,
    incident_id,
    patience,
    surely_lower,
)
from ragvigil.scorer.incidents.pages import incident_link
from ragvigil.scorer.incidents.severity import severity_of
from ragvigil.scorer.incidents.titles import fitted
from ragvigil.scorer.moments import DAY, calendar_time
from ragvigil.scorer.monitor.health import SERVICE, UNSCORED_BY
from ragvigil.scorer.monitor.shares import Coverage, share_of
from ragvigil.scorer.monitoring import CoverageName, Incident, SeriesKey
from ragvigil.scorer.passed_time import looked_within

_LAGS = (DAY, 7 * DAY)
_USUAL = "usual at this hour"
_SHARED = "All services share one judge; told first of "
_MEANING: dict[str, tuple[str, str, str]] = {
    "coverage_scored": (
        "answers were scored as designed",
        "answers scored as designed",
        "the others were shed, failed or expired: see ragvigil ledger",
    ),
    "coverage_complete": (
        "answers arrived whole",
        "answers whose question, passages and answer all arrived",
        "what the others lack, ragvigil explain shows",
    ),
    "coverage_texts": (
        "answers came with their texts",
        "answers of which ids_only withheld no text",
        'no claim of the others is judged; where that is meant, say content.services.NAME = "ids_only" to the scorer',
    ),
    "coverage_asked": (
        "traces hold a question",
        "traces in which a question was found",
        "the others may be other traffic, or spans that no dialect reads: see ragvigil explain",
    ),
    "coverage_answered": (
        "questions were answered",
        "questions that ended neither in an error nor in a refusal",
        "whether the refused ones should be, evidence_sufficiency and over_refusal say",
    ),
    "coverage_delivered": (
        "spans got through",
        "spans that got through",
        "the others were lost in the service before they were sent, as its tracer says",
    ),
}


class CoverageStore(Protocol):
    """What is needed of the store, on its one writing thread."""

    def coverage(self, since: int, until: int | None = None) -> Sequence[Coverage]:
        """What arrived since then and before `until` (Unix nanoseconds), by service and environment."""
        ...

    def open_incident(self, key: SeriesKey) -> Incident | None:
        """The incident of that series that is not resolved."""
        ...

    def neighbours(self, key: SeriesKey, since: int) -> Sequence[Incident]:
        """Incidents of that service and environment that are open or resolved at or after `since`, newest first."""
        ...

    def standing(self, name: CoverageName) -> Sequence[Incident]:
        """The incidents of that series, of any service, that are not resolved."""
        ...

    def save_incident(self, incident: Incident, alert: Alert | None, channels: Sequence[str]) -> None:
        """Write the incident and one outbox row per channel in one transaction."""
        ...


class CoverageWatch:
    """Holds the shares of every service against their thresholds."""

    def __init__(
        self,
        store: CoverageStore,
        settings: config.Coverage,
        channels: Sequence[str],
        *,
        environments: Sequence[str],
        links: config.Links,
        content: config.Content,
    ) -> None:
        """`content` says of which services no texts are wanted."""
        self._store = store
        self._settings = settings
        self._channels = tuple(channels)
        self._environments = environments
        self._links = links
        self._content = content
        self._looked_at = self._learned_at = -(2**63)
        self._usual: dict[SeriesKey, Measurement] = {}
        self._back: dict[SeriesKey, list[tuple[int, Measurement]]] = {}
        """Of each share that came back what one window after the other held, with its end."""
        self.latest: Sequence[Coverage] = ()
        """What the last look found."""

    def tick(self, now: int) -> list[Alert]:
        """Look at every service at `now` (Unix nanoseconds), at most every `every_seconds`; the alerts posted."""
        if looked_within(self._settings.every_seconds, self._looked_at, now):
            return []
        self._looked_at = now
        self._learn(now)
        since = now - int(self._settings.window_seconds * 1e9)
        alerts: list[Alert] = []
        self.latest = self._store.coverage(since)
        for found in self.latest:
            for name, share in found.shares():
                key = SeriesKey(name, found.service, found.environment)
                alert = self._look(key, share, now, found.why(name))
                alerts += [alert] if alert else []
        return alerts

    def _learn(self, now: int) -> None:
        """What is usual now, read again once a window: both stretches lie a day back at least."""
        window = int(self._settings.window_seconds * 1e9)
        if looked_within(window / 1e9, self._learned_at, now) or self._settings.most_fall >= 1.0:
            return
        self._learned_at = now
        pooled: dict[SeriesKey, list[Measurement]] = {}
        for lag in _LAGS:
            for found in self._store.coverage(now - lag - window, now - lag):
                for name, share in found.shares():
                    pooled.setdefault(SeriesKey(name, found.service, found.environment), []).append(share)
        self._usual = {
            key: _pooled(shares)
            for key, shares in pooled.items()
            if sum(share.n for share in shares) >= self._settings.min_sample
        }

    def _reference(self, key: SeriesKey) -> Measurement:
        """What the share is held against: what is usual where that demands more than the threshold does."""
        least = least_of(key.name, self._settings)
        usual = self._usual.get(key)
        if usual is not None and usual.lower - self._settings.most_fall > least:
            return usual
        return Measurement(least, least, least, 0, None, "threshold")

    def _least(self, key: SeriesKey, reference: Measurement) -> float:
        if key.name == "coverage_texts" and self._content.mode_of(key.service) == "ids_only":
            return 0.0  # it is meant
        fall = self._settings.most_fall if reference.method == _USUAL else 0.0
        return reference.lower - fall

    def _look(self, key: SeriesKey, share: Measurement, now: int, why: str | None) -> Alert | None:
        incident = self._store.open_incident(key)
        if incident is None:
            reference = self._reference(key)
            if share.n < self._settings.min_sample or share.upper >= self._least(key, reference):
                return None
            fresh = _opened(key, reference, share, now, self._settings)
            soon = now - round(REOPEN_SECONDS * 1e9)
            known = again(self._store.neighbours(key, soon), fresh, since=soon)
            return self._save(self._with_what_was_told(replace(known, note=why)), "trigger", now)
        back = incident.recovering_since or now if share.value >= self._least(key, incident.before) else None
        after = replace(incident, now=share, recovering_since=back)
        if back is None:
            self._back.pop(key, None)
        else:
            enough = self._since_back(key, share, back, now)
            waited = now - back >= self._settings.resolve_seconds * patience(incident) * 1e9
            if waited and enough is not None and enough.value >= self._least(key, incident.before):
                self._back.pop(key, None)
                return self._save(replace(after, now=enough, resolved_at=now), "resolve", now)
        self._store.save_incident(replace(after, worst=surely_lower(incident.worst, share)), None, ())
        return None

    def _since_back(self, key: SeriesKey, share: Measurement, back: int, now: int) -> Measurement | None:
        """The share since it came back, of as many as open an incident or of what came in a day; None before that.

        Where too few come in one window, windows are put together, one after the other, in memory: what a restart
        forgets is waited for anew, for a day at most.
        """
        window = int(self._settings.window_seconds * 1e9)
        windows = [one for one in self._back.get(key, ()) if now - one[0] < max(DAY, window)]
        if not windows or now - windows[-1][0] >= window:
            windows.append((now, share))
        self._back[key] = windows
        if share.n >= self._settings.min_sample:
            return share
        pooled = replace(_pooled([one for _, one in windows]), method=share.method)
        return pooled if pooled.n >= self._settings.min_sample or now - back >= DAY else None

    def _save(self, incident: Incident, action: Action, now: int) -> Alert | None:
        told = self._pages(incident)
        alert = alert_of(incident, action, now, self._links, self._severity(incident)) if told else None
        self._store.save_incident(incident, alert, self._channels if told else ())
        return alert

    def _pages(self, incident: Incident) -> bool:
        return incident.key.is_told(self._environments)

    def _severity(self, incident: Incident) -> Severity:
        """A page, unless one about the scorer's own illness says already why answers are not scored."""
        name = incident.key.name
        return "warning" if self._is_explained(incident) else severity_of(name, pages=self._settings.pages)

    def _is_explained(self, incident: Incident) -> bool:
        """By the scorer's own illness, or by what was told of another service before."""
        if incident.key.name != "coverage_scored":
            return False
        ill = (SeriesKey(illness, SERVICE, None) for illness in UNSCORED_BY)
        return _SHARED in (incident.note or "") or any(self._store.open_incident(key) for key in ill)

    def _with_what_was_told(self, incident: Incident) -> Incident:
        """All services share one judge: where it lacks, the first of them is told, and the others are tickets."""
        if not _judge_lacks(incident):
            return incident
        first = next(
            (
                one
                for one in self._store.standing("coverage_scored")
                if self._pages(one) and _judge_lacks(one)
            ),
            None,
        )
        if first is None:
            return incident
        return replace(incident, note=f"{incident.note} {_SHARED}{clean(first.key.service, limit=200)}.")


def least_of(name: str, settings: config.Coverage) -> float:
    """The threshold of a share; 0 where nothing is demanded."""
    return {
        "coverage_scored": settings.least_scored,
        "coverage_complete": settings.least_complete,
        "coverage_texts": 0.0,  # only a fall of it is told: whoever withholds all of them means it
        "coverage_asked": settings.least_asked,
        "coverage_answered": settings.least_answered,
        "coverage_delivered": settings.least_delivered,
    }[name]


def _opened(
    key: SeriesKey, reference: Measurement, share: Measurement, now: int, settings: config.Coverage
) -> Incident:
    name = dedup_key(key, now, grain_seconds=settings.resolve_seconds)
    return Incident(incident_id(name), key, name, now, now, reference, share, share)


def alert_of(incident: Incident, action: Action, now: int, links: config.Links, severity: Severity) -> Alert:
    """The message about a share that is too small."""
    service = clean(incident.key.service, limit=200)
    _, what, hint = _MEANING[incident.key.name]
    reference = percent(incident.before.value)
    usual = incident.before.method == _USUAL
    where = f"Where: service {service}"
    if incident.key.environment:
        where += f", environment {clean(incident.key.environment, limit=200)}"
    lines = [
        f"Now: {shown(incident.now)} of {incident.now.n:,}, "
        + (f"at this hour usually {shown(incident.before)}." if usual else f"threshold {reference}."),
        f"{where}.",
        f"This is the share of {what}; {hint}.",
    ]
    if incident.note and action != "resolve":
        lines.append(incident.note)
    return Alert(
        incident_id=incident.id,
        dedup_key=incident.dedup_key,
        action=action,
        severity=severity,
        series=incident.key.name,
        service=service,
        environment=incident.key.environment and clean(incident.key.environment, limit=200),
        title=fitted(lambda room: _titled(incident, action, room)),
        summary="\n".join(lines),
        before=incident.before,
        now=incident.now,
        since=calendar_time(incident.since),
        at=calendar_time(now),
        segment={"service": service},
        link=incident_link(incident.id, links),
    )


def _titled(incident: Incident, action: Action, room: int) -> str:
    done, _, _ = _MEANING[incident.key.name]
    told = f"{percent(incident.now.value)} of {clean(incident.key.service, limit=room)}'s {done}"
    if action == "resolve":
        return f"Resolved: {told}"
    reference = percent(incident.before.value)
    wanted = f"usually {reference}" if incident.before.method == _USUAL else f"{reference} wanted"
    again = action == "trigger" and incident.reopened
    return f"{'Again: only' if again else 'Only'} {told} ({wanted})"


def _judge_lacks(incident: Incident) -> bool:
    """Whether it is said of what the judge could not take, and of no answer that failed by itself."""
    return (
        incident.key.name == "coverage_scored"
        and incident.note is not None
        and " failed" not in incident.note
    )


def _pooled(shares: Sequence[Measurement]) -> Measurement:
    total = sum(share.n for share in shares)
    missing = sum(round(share.n * (1.0 - share.value)) for share in shares)
    return replace(share_of(total, missing), method=_USUAL)
