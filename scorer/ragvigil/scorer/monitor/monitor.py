"""The monitor: looks at every series, opens and closes incidents, writes what there is to say."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragvigil.exporters import Action, Alert, Example, Measurement
from ragvigil.scorer import config
from ragvigil.scorer.detect import (
    Evaluation,
    evaluate,
    fills_its_window,
    follow,
    nanoseconds,
    outside,
    stretches,
    told_from,
    untouched,
    without,
)
from ragvigil.scorer.detect.stretches import Span
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.incidents.causes import explaining, likely_cause, rank
from ragvigil.scorer.incidents.life import advanced, again, corrected, measurement, opened, settling
from ragvigil.scorer.incidents.pager import Course, Pager
from ragvigil.scorer.incidents.pages import CAUSE_FOUND, label
from ragvigil.scorer.moments import MINUTE
from ragvigil.scorer.monitor.series_course import course, drawn_from
from ragvigil.scorer.monitoring import Bucket, Incident, MonitorStore, SeriesKey, SeriesState, Sums

_log = logging.getLogger(__name__)

_EXAMPLES = 3
_BASELINE_STALE_SHARE = 0.001
"""The baseline is read again when it is older than this share of its own length (10 minutes of a week)."""
_RENEWED_A_TICK = 10
_JUDGED_WITHIN = MINUTE
"""A judge may take so long for one answer whatever the window."""
_LONGEST_WAIT = 10.0
"""Times that age, after which it is read whatever else is to be read."""


@dataclass(frozen=True, slots=True)
class _Baseline:
    end: int
    spans: tuple[Span, ...]
    sums: Sums


class Monitor:
    """Evaluates every series from rollups; all that it must remember is in the store.

    What it keeps in memory is a copy of baselines, which saves reading a week of buckets at every tick: a
    restarted monitor reads them again and continues the same incidents.
    """

    def __init__(
        self,
        store: MonitorStore,
        settings: config.Monitor,
        channels: Sequence[str],
        links: config.Links,
        diagnoser: Diagnoser | None = None,
    ) -> None:
        """Without a `diagnoser` pages say what fell, and not why."""
        self._store = store
        self._settings = settings
        self._pager = Pager(
            store,
            channels=channels,
            environments=settings.page_environments,
            links=links,
            diagnoser=diagnoser,
        )
        self._baselines: dict[SeriesKey, _Baseline] = {}
        self._renewed = 0
        self._waits: Mapping[tuple[str, str | None], int] | None = None
        """Since when verdicts are waited for, read once a tick: all that waits is looked through for it."""
        self._reach = max(stretches(rule)[-1] + nanoseconds(rule.baseline_seconds) for rule in settings.rules)
        """How far back an evaluation looks."""

    def tick(self, now: int) -> list[Alert]:
        """Look at each series that anything came of once, at `now` (Unix nanoseconds); the alerts that were posted.

        A series that cannot be evaluated is logged and does not keep the others from being looked at.
        """
        alerts: list[Alert] = []
        self._renewed, self._waits = 0, None
        keys = self._store.series(now - self._reach)
        self._baselines = {key: self._baselines[key] for key in keys if key in self._baselines}
        for key in keys:
            try:
                alert = self._look(key, now)
            except Exception:
                _log.exception("series %s could not be evaluated", key)
                continue
            if alert is not None:
                alerts.append(alert)
        return alerts

    def _look(self, key: SeriesKey, now: int) -> Alert | None:
        incident = self._store.open_incident(key)
        if incident is None or incident.detector != "window":
            return self._watch(key, now, taken=incident is not None)
        return self._attend(incident, now)

    def _watch(self, key: SeriesKey, now: int, *, taken: bool) -> Alert | None:
        """Look at a series that is in no incident of these rules; one that is in another's opens none."""
        rule = self._settings.rule(key.name)
        longest = stretches(rule)[-1]
        spans = self._spans(key, now - longest, rule)
        older = self._older(key, now - longest, rule, spans)
        recent = without(self._store.buckets(key, older.end, now), spans)
        first = self._store.first_seen(key)
        found = evaluate(recent, older.sums, rule, now=now, history=0 if first is None else now - first)
        if not taken:
            found = self._from_its_beginning(key, found, recent, now, rule, spans)
        if found.state == "no_data":
            found = replace(found, state=self._silence_of(key, now, rule, waits="insufficient_sample"))
        last_end = max((stop for _, stop in spans if stop is not None), default=0)
        incident = None if taken else opened(key, found, rule, at=now, not_before=last_end)
        alert = None if incident is None else self._begin(incident, rule, now)
        self._save_state(key, found, now, spans)
        return alert

    def _from_its_beginning(
        self,
        key: SeriesKey,
        found: Evaluation,
        recent: Sequence[Bucket],
        now: int,
        rule: config.Rule,
        spans: tuple[Span, ...],
    ) -> Evaluation:
        """A fall that fills its longest window began before it: told from there, or its start would be its baseline."""
        length, baseline = stretches(rule)[-1], nanoseconds(rule.baseline_seconds)
        while fills_its_window(found, recent) and length < baseline:
            length = min(2 * length, baseline)
            older = self._older(key, now - length, rule, spans)
            recent = without(self._store.buckets(key, older.end, now), spans)
            found = told_from(found, recent, older.sums)
        return found

    def _begin(self, incident: Incident, rule: config.Rule, now: int) -> Alert | None:
        """Open it, or the one that resolved a moment ago; what another incident explains is kept and not told."""
        root = self._root(incident, rule, now)
        soon = now - nanoseconds(rule.reopen_seconds)
        near = self._store.neighbours(incident.key, min(soon, incident.since))
        incident = again(near, incident, since=soon)
        if root is None:
            return self._save(replace(incident, told=True), "trigger", now)
        self._save(replace(incident, told=False), None, now)
        if root.resolved_at is not None or rank(incident.key.name) > rank(root.key.name):
            return None
        note = likely_cause(root, incident, label(incident.key.name))
        return self._save(replace(root, note=note), "update", now, news=CAUSE_FOUND)

    def _root(self, incident: Incident, rule: config.Rule, now: int) -> Incident | None:
        within = stretches(rule)[0]
        near = self._store.neighbours(incident.key, now - within)
        return explaining(incident, near, within=within, now=now)

    def _attend(self, incident: Incident, now: int) -> Alert | None:
        """Look at a series that is in an incident, against the baseline of before it."""
        key = incident.key
        rule = self._settings.rule(key.name)
        earlier = [span for span in self._spans(key, incident.since, rule) if span[0] < incident.since]
        before = self._older(key, incident.since, rule, tuple(earlier)).sums
        begin = max(incident.since, now - nanoseconds(rule.baseline_seconds))
        during = self._store.buckets(key, begin, now)
        course = follow(
            before, during, settling(rule, incident), bucket_seconds=self._settings.bucket_seconds
        )
        after, action = self._revised(incident, before, rule, now)
        if action is None:
            after, action = advanced(incident, course, rule, at=now)
        if not after.told:
            after, action = self._untold(after, rule, now)
        clearer = action is None and self._pager.is_clearer(after, now)
        action = "update" if clearer else action
        alert = (
            self._save(after, action, now, news=CAUSE_FOUND if clearer else None)
            if clearer or after != incident
            else None
        )
        silent = not during or during[-1].start < now - stretches(rule)[0]
        state: SeriesState = "ok" if after.resolved_at else "alert"
        found = Evaluation(state, rate(before), course.now, counted_since=course.counted_since)
        if silent and not after.resolved_at:
            found = replace(found, state=self._silence_of(key, now, rule, waits="alert"), now=None)
        self._save_state(key, found, now, ())
        return alert

    def _revised(
        self, incident: Incident, before: Sums, rule: config.Rule, now: int
    ) -> tuple[Incident, Action | None]:
        """What late data say about the stretch with which it opened."""
        if incident.first_until is None:
            return incident, None
        stretch = self._store.sums(incident.key, incident.since, incident.first_until)
        return corrected(incident, rate(before), rate(stretch), rule, at=now)

    def _untold(self, incident: Incident, rule: config.Rule, now: int) -> tuple[Incident, Action | None]:
        """What another incident explained is told once nothing explains it any more and it does not recover."""
        waits = incident.resolved_at is not None or incident.recovering_since is not None
        if waits or self._root(incident, rule, now) is not None:
            return incident, None
        return replace(incident, told=True), "trigger"

    def _spans(self, key: SeriesKey, end: int, rule: config.Rule) -> tuple[Span, ...]:
        """Incidents that may lie in the baseline before `end`, or after it."""
        reach = 2 * nanoseconds(rule.baseline_seconds)
        return tuple(self._store.incident_spans(key, end - reach))

    def _older(self, key: SeriesKey, end: int, rule: config.Rule, spans: tuple[Span, ...]) -> _Baseline:
        """The baseline that ends at `end`, or a little before it."""
        length = nanoseconds(rule.baseline_seconds)
        known = self._baselines.get(key)
        if (
            known is not None
            and known.spans == spans
            and 0 <= end - known.end <= length * self._stale_share()
        ):
            return known
        self._renewed += 1
        begin = untouched(end, length, spans)
        parts = [self._store.sums(key, low, high) for low, high in outside(begin, end, spans)]
        sums = sum(parts, Sums())
        self._baselines[key] = _Baseline(end, spans, sums)
        return self._baselines[key]

    def _stale_share(self) -> float:
        """Of many series not all are read again in one tick: what a baseline lacks counts as recent."""
        return _BASELINE_STALE_SHARE * (1.0 if self._renewed < _RENEWED_A_TICK else _LONGEST_WAIT)

    def _silence_of(self, key: SeriesKey, now: int, rule: config.Rule, *, waits: SeriesState) -> SeriesState:
        """What a window without an observation is: nobody asks, the judge does not answer, or it `waits` for it."""
        if key.name == "citation":
            return "no_data"
        if self._waits is None:
            self._waits = self._store.waits_since()
        since = self._waits.get((key.service, key.environment))
        if since is None or since >= now:
            return "no_data"
        patience = max(stretches(rule)[0], _JUDGED_WITHIN)
        return "judge_unavailable" if since < now - patience else waits

    def _save(
        self, incident: Incident, action: Action | None, now: int, *, news: str | None = None
    ) -> Alert | None:
        return self._pager.save(
            incident,
            action,
            now=now,
            end=now,
            examples=lambda: () if action == "resolve" else self._examples(incident, now),
            course=lambda: self.history(incident, now),
            news=news,
        )

    def _examples(self, incident: Incident, now: int) -> Sequence[Example]:
        return self._store.examples(incident.key, incident.since, now, _EXAMPLES)

    def history(self, incident: Incident, now: int) -> Course:
        """When it begins, and the course of the rate from there on."""
        shortest = 2 * stretches(self._settings.rule(incident.key.name))[0]
        begin = drawn_from(incident.since, now, shortest)
        grain = nanoseconds(self._settings.bucket_seconds)
        return begin, course(self._store.buckets(incident.key, begin, now), begin, now, grain)

    def _save_state(self, key: SeriesKey, found: Evaluation, now: int, spans: Sequence[Span]) -> None:
        def shown(estimate: Estimate | None) -> Measurement | None:
            return None if estimate is None else measurement(estimate)

        counted = (
            ()
            if found.now is None or found.counted_since is None
            else outside(found.counted_since, now, spans)
        )
        self._store.save_state(key, found.state, now, shown(found.before), shown(found.now), counted)
