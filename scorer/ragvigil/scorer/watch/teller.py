"""From the core's alerts to incidents: one cause, one page; what explains it away, and when it is over."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from ragvigil.exporters import Action, Alert, Example, Measurement
from ragvigil.scorer import config
from ragvigil.scorer.causes import CAUSES, likely_cause, rank
from ragvigil.scorer.detect import Alert as Found
from ragvigil.scorer.detect import follow, split, total
from ragvigil.scorer.detect.stretches import nanoseconds
from ragvigil.scorer.estimate import rate
from ragvigil.scorer.history import STRETCHES, course, drawn_from
from ragvigil.scorer.incidents import advanced, corrected, dedup_key, measurement, reopened, settling
from ragvigil.scorer.monitoring import AnyName, Bucket, Incident, Sums
from ragvigil.scorer.pages import label, page
from ragvigil.scorer.watch.port import Place, WatchStore
from ragvigil.scorer.watch.segments import Book

_RECENT = 2 * 86_400 * 10**9
_GRAINS_A_BATCH = 6
_TICKET_NANOSECONDS = 86_400 * 10**9
_EXAMPLES = 3
_LEAST_SAMPLE = 50
_REOPEN_BATCHES = 2
"""A fall so soon after the last one resolved re-opens that incident."""
_GONE = 0.35
"""Share of a fall that may be left where it counts as gone."""


class Teller:
    """Opens, amends and resolves the incidents that the sequential detectors find."""

    def __init__(self, store: WatchStore, settings: config.Settings, channels: Sequence[str]) -> None:
        self._store = store
        self._environments = settings.monitor.page_environments
        self._links = settings.links
        self._channels = tuple(channels)
        self._segments = settings.detect.segments
        self._batch_seconds = settings.detect.batch_seconds
        self._grain = max(60 * 10**9, nanoseconds(settings.detect.batch_seconds) // _GRAINS_A_BATCH)
        self._kept = nanoseconds(settings.detect.keep_days * 86_400)

    def tell(self, place: Place, found: Sequence[Found], book: Book, *, end: int, now: int) -> list[Alert]:
        """Incidents and alerts of what the core found in the batch that ended at `end`."""
        alerts: list[Alert] = []
        for one in sorted(found, key=lambda one: rank(one.metric)):
            if one.metric == "judge" and one.evidence.get("why") == "the judge is not informative":
                continue  # no labels: status says so, and nobody is told every half an hour
            alerts += self._tell(place, one, book, end, now)
        return alerts

    def attend(self, place: Place, *, end: int, now: int, any_traffic: bool) -> list[Alert]:
        """See which open incidents are over, and tell of those that nothing explains any more."""
        alerts: list[Alert] = []
        for incident in self._store.open_incidents(place):
            if incident.detector != "sequential":
                continue
            if incident.key.name in CAUSES:
                after, action = self._course(incident, end, now)
            else:
                after, action = _ticket_course(incident, now, any_traffic)
            if not after.told and after.resolved_at is None and self._explaining(place, after) is None:
                after, action = replace(after, told=True), "trigger"
            if after != incident:
                alerts += self._save(after, action if after.told else None, now, end)
        return alerts

    def _tell(self, place: Place, found: Found, book: Book, end: int, now: int) -> list[Alert]:
        name: AnyName = found.metric
        open_ = self._store.open_incidents(place)
        segment = book.name(found.segment)
        same = next((one for one in open_ if one.key.name == name), None)
        if same is not None:
            return self._repeat(same, found, segment, now, end)
        incident = self._opened(place, found, segment, end, now)
        if self._is_past(incident, end):
            return []
        incident = self._again(incident, now)
        root = self._explaining(place, incident)
        if root is None:
            return self._save(replace(incident, told=True), "trigger", now, end)
        alerts = self._save(replace(incident, told=False), None, now, end)
        if rank(name) < rank(root.key.name):
            note = likely_cause(root, incident, label(name))
            alerts += self._save(replace(root, note=note), "update", now, end)
        return alerts

    def _repeat(self, same: Incident, found: Found, segment: str | None, now: int, end: int) -> list[Alert]:
        """An open incident is not opened twice; a segment that nobody named yet is an update."""
        if found.kind == "ticket":
            return self._save(replace(same, recovering_since=now), None, now, end)
        named = segment or "all traffic"
        if segment == same.segment or named in (same.note or ""):
            return []
        after = replace(same, note=_joined(same.note, f"Seen in {named}, too."))
        return self._save(after, "update" if same.told else None, now, end)

    def _is_past(self, incident: Incident, end: int) -> bool:
        """Whether the last batch alone shows that most of the fall is gone, so that nobody is woken up."""
        if incident.key.name not in CAUSES or incident.before.method == "floor":
            return False
        last = total(self._levels(incident, end - nanoseconds(self._batch_seconds), end))
        level = rate(last)
        fall = incident.before.value - incident.worst.value
        return level is not None and incident.before.value - level.value < _GONE * fall

    def _again(self, incident: Incident, now: int) -> Incident:
        """The one of the same stream that resolved a moment ago, open again; else the incident as it is."""
        soon = _REOPEN_BATCHES * nanoseconds(self._batch_seconds)
        for last in self._store.neighbours(incident.key, now - soon):
            same = (last.key, last.segment, last.detector) == (incident.key, incident.segment, "sequential")
            if same and incident.key.name in CAUSES and last.resolved_at is not None and not last.withdrawn:
                return reopened(last, incident)
        return incident

    def _explaining(self, place: Place, incident: Incident) -> Incident | None:
        """The told incident of this service with which this one shares its cause."""
        if incident.key.name not in CAUSES:
            return None
        told = (one for one in self._store.open_incidents(place) if one.told and one.key.name in CAUSES)
        return next((one for one in told if one.key != incident.key), None)

    def _opened(self, place: Place, found: Found, segment: str | None, end: int, now: int) -> Incident:
        since = end - nanoseconds(self._batch_seconds)
        before, level, note = _figures(found)
        measured = found.kind == "page" and "slo" not in found.evidence
        if measured:
            before, level, since = self._fall(place, found, end)
        key = place.key(found.metric)
        name = dedup_key(key, since, grain_seconds=self._batch_seconds)
        return Incident(
            id="inc-" + hashlib.sha256(f"{name} {segment}".encode()).hexdigest()[:16],
            key=key,
            dedup_key=name,
            opened_at=now,
            since=since,
            before=before,
            worst=level,
            now=level,
            recovering_since=now if found.kind == "ticket" else None,
            detector="sequential",
            segment=segment,
            stream=self._stream(found),
            note=note,
            first=level if measured else None,
            first_until=end if measured else None,
        )

    def _fall(self, place: Place, found: Found, end: int) -> tuple[Measurement, Measurement, int]:
        """(what was before, what is now, since when), from the sums of the stream that fell."""
        key, stream = place.key(found.metric), self._stream(found)
        recent = self._store.levels(key, stream, end - _RECENT, end, self._grain)
        older = total(self._store.levels(key, stream, end - self._kept, end - _RECENT, _RECENT))
        cut = split(recent, before=older if older.n else None, falling=True)
        index = cut.index if cut is not None else max(0, len(recent) - _GRAINS_A_BATCH)
        since = recent[index].start if recent else end - nanoseconds(self._batch_seconds)
        before, after = older + total(recent[:index]), total(recent[index:])
        return _shown(before if before.n else after), _shown(after), since

    def _course(self, incident: Incident, end: int, now: int) -> tuple[Incident, Action | None]:
        """Over when the stream has been back, by half of its fall at least, for a batch or half an hour."""
        before = total(self._levels(incident, incident.since - self._kept, incident.since))
        during: Sequence[Bucket] = self._levels(incident, incident.since, end)
        fall = incident.before.value - incident.worst.value
        rule = config.Rule(
            min_drop=min(0.9, max(0.01, fall)),
            min_sample=_LEAST_SAMPLE,
            resolve_seconds=max(1800.0, self._batch_seconds),
        )
        if not during:
            return incident, None
        if incident.first_until is not None:
            stretch = total(self._levels(incident, incident.since, incident.first_until))
            after, action = corrected(incident, rate(before), rate(stretch), rule, at=now)
            if action is not None:
                return after, action
        course = follow(before, during, settling(rule, incident), bucket_seconds=self._grain / 1e9)
        return advanced(incident, course, rule, at=now)

    def _stream(self, found: Found) -> int | None:
        """As records carry it: -1 for `other`."""
        return -1 if found.segment == self._segments else found.segment

    def _levels(self, incident: Incident, since: int, until: int) -> Sequence[Bucket]:
        return self._store.levels(incident.key, incident.stream, since, until, self._grain)

    def _save(self, incident: Incident, action: Action | None, now: int, end: int) -> list[Alert]:
        """Write the incident, and with it the alert to every channel where its environment pages."""
        environment = incident.key.environment
        if action is None or not (environment is None or environment in self._environments):
            self._store.save_incident(incident, None, ())
            return []
        falls = incident.key.name in CAUSES
        examples = self._examples(incident, end) if falls and action != "resolve" else ()
        history = self._history(incident, end) if falls else ()
        alert = page(incident, action, examples, self._links, at=now, history=history)
        self._store.save_incident(incident, alert, self._channels)
        return [alert]

    def _examples(self, incident: Incident, end: int) -> Sequence[Example]:
        return self._store.examples(incident.key, incident.stream, incident.since, end, _EXAMPLES)

    def _history(self, incident: Incident, end: int) -> tuple[float | None, ...]:
        begin = drawn_from(incident.since, end, self._grain * STRETCHES)
        return course(self._levels(incident, begin, end), begin, end, self._grain)


def _joined(note: str | None, more: str) -> str:
    return f"{note} {more}" if note else more


def _shown(sums: Sums) -> Measurement:
    """The level with its interval; its bare value where there are too few observations for one."""
    estimate = rate(sums)
    if estimate is not None:
        return measurement(estimate)
    value = sums.wx / sums.w if sums.w > 0.0 else 0.0
    return Measurement(value, 0.0, 1.0, sums.n, round(sums.w), "too-few")


def _figures(found: Found) -> tuple[Measurement, Measurement, str | None]:
    """(reference, figure, words) of an alert that is no fall between two stretches."""
    evidence = found.evidence
    if "slo" in evidence:
        slo, level, upper = (float(evidence[name]) for name in ("slo", "level", "upper"))
        words = (
            f"The level, corrected for the judge's errors, lies under the floor of {slo:.1%} (detect.slo)."
        )
        return _point(slo, "floor"), Measurement(level, level, upper, 0, None, "rogan-gladen", True), words
    if found.metric == "traffic":
        seen, before = float(evidence["traces"]), float(evidence["a_week_before"])
        share = min(1.0, seen / max(before, 1.0))
        words = f"{seen:,.0f} traces in an hour, {before:,.0f} in the same hour a week before."
        return _point(1.0, "a week before"), _point(share, "share"), words
    if "missing" in evidence:
        missing, calls = float(evidence["missing"]), float(evidence["calls"])
        words = (
            f"{missing:,.0f} of the last {calls:,.0f} verdicts are missing; none is learned from meanwhile."
        )
        return _point(1.0, "asked"), _point(max(0.0, 1.0 - missing / max(calls, 1.0)), "answered"), words
    if "change" in evidence:
        change, error = float(evidence["change"]), float(evidence["error"])
        sure = f" (standard error {error:.1%})" if error < 1.0 else ""
        words = (
            f"On past answers its pass rate moved by {change:+.1%}{sure}: it is the judge that changed, not the "
            "answers. Calibrate it again."
        )
        return _point(0.0, "unchanged"), _point(min(1.0, abs(change)), "canary"), words
    return _point(0.0, "none"), _point(0.0, "none"), str(evidence.get("why", "")) or None


def _point(value: float, method: str) -> Measurement:
    return Measurement(value, value, value, 0, None, method)


def _ticket_course(incident: Incident, now: int, any_traffic: bool) -> tuple[Incident, Action | None]:
    """A ticket is over when it was not repeated for a day; one about traffic when there is some."""
    seen = incident.opened_at if incident.recovering_since is None else incident.recovering_since
    back = incident.key.name == "traffic" and any_traffic and now > seen
    if back or now - seen >= _TICKET_NANOSECONDS:
        return replace(incident, resolved_at=now), "resolve"
    return incident, None
