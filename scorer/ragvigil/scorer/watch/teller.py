"""From the core's alerts to incidents: one cause, one page; what explains it away, and when it is over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragvigil.exporters import Action, Alert, Example, Measurement, percent, shown
from ragvigil.scorer import config
from ragvigil.scorer.detect import Alert as Found
from ragvigil.scorer.detect import follow, split, total
from ragvigil.scorer.detect.stretches import nanoseconds, without
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.incidents.causes import CAUSES, explaining, joined, likely_cause, rank
from ragvigil.scorer.incidents.life import (
    advanced,
    again,
    corrected,
    dedup_key,
    incident_id,
    settling,
)
from ragvigil.scorer.incidents.pager import Course, Pager
from ragvigil.scorer.incidents.pages import CAUSE_FOUND, label
from ragvigil.scorer.moments import DAY, MINUTE
from ragvigil.scorer.monitor.arrivals_page import closed
from ragvigil.scorer.monitor.series_course import STRETCHES, course, drawn_from
from ragvigil.scorer.monitoring import AnyName, Bucket, Incident, SeriesKey
from ragvigil.scorer.watch.figures import bare, figures
from ragvigil.scorer.watch.floor import BREACH_NANOSECONDS, follow_floor
from ragvigil.scorer.watch.port import Place, WatchStore
from ragvigil.scorer.watch.segments import Book

_RECENT = 2 * DAY
_GRAINS_A_BATCH = 6
_TICKET_NANOSECONDS = DAY
_EXAMPLES = 3
_LEAST_SAMPLE = 50
_LEAST_RESOLVE_SECONDS = 1_800.0
_REOPEN_BATCHES = 2
"""A fall so soon after the last one resolved re-opens that incident."""
_IN_IT = "Nearly all of it in"
_ALSO = re.compile(r"Seen in ([^ ]+=.*?), too\.")
_GONE = 0.35
"""Share of a fall that may be left where it counts as gone."""


class Teller:
    """Opens, amends and resolves the incidents that the sequential detectors find."""

    def __init__(
        self,
        store: WatchStore,
        settings: config.Settings,
        channels: Sequence[str],
        diagnoser: Diagnoser | None = None,
    ) -> None:
        """Without a `diagnoser` pages say what fell, and not why."""
        self._store = store
        self._pager = Pager(
            store,
            channels=channels,
            environments=settings.monitor.page_environments,
            links=settings.links,
            diagnoser=diagnoser,
        )
        self._channels, self._links = tuple(channels), settings.links
        self._rules = settings.monitor
        self._floor = settings.detect.slo
        self._batch_seconds = settings.detect.batch_seconds
        self._grain = max(MINUTE, nanoseconds(settings.detect.batch_seconds) // _GRAINS_A_BATCH)
        self._kept = nanoseconds(settings.detect.keep_days * 86_400)

    def tell(self, place: Place, found: Sequence[Found], book: Book, *, end: int, now: int) -> list[Alert]:
        """Incidents and alerts of what the core found in the batch that ended at `end`."""
        alerts: list[Alert] = []
        for one in sorted(found, key=lambda one: rank(one.metric)):
            if one.metric == "judge" and one.evidence.get("why") == "the judge is not informative":
                continue  # no labels: status says so, and nobody is told every half an hour
            stream = None if one.segment is None else book.code_at(one.segment)
            alerts += self._tell(place, replace(one, segment=stream), book, end, now)
        return alerts

    def attend(
        self, place: Place, *, end: int, now: int, any_traffic: bool, level: Estimate | None = None
    ) -> list[Alert]:
        """See which open incidents are over, and tell of those that nothing explains any more.

        `level` is the faithful share of the last day, where a floor is set for it.
        """
        alerts: list[Alert] = []
        for incident in self._store.open_incidents(place):
            if incident.detector != "sequential":
                continue
            if not incident.under_floor and self._is_gone(incident, end):
                alerts += self._close(incident, end, now)
                continue
            if incident.under_floor:
                rule = settling(self._floor_rule(incident), incident)
                after, action = follow_floor(incident, level, self._floor, rule, end=end, at=now)
            elif incident.key.name in CAUSES:
                after, action = self._course(incident, end, now)
            else:
                after, action = _ticket_course(incident, now, any_traffic)
            alerts += self._followed(incident, after, action, end=end, now=now)
        return alerts

    def _followed(
        self, before: Incident, after: Incident, action: Action | None, *, end: int, now: int
    ) -> list[Alert]:
        """Keep what became of an incident, and tell of it where that, or why it fell, is news."""
        stands = after.resolved_at is None and after.recovering_since is None
        if not after.told and stands and self._explaining(after, now) is None:
            after, action = replace(after, told=True), "trigger"
        if action is None and self._pager.is_clearer(after, now):
            after = self._corrected(after, now)
            return self._save(after, "update" if after.told else None, now, end, news=CAUSE_FOUND)
        return [] if after == before else self._save(after, action if after.told else None, now, end)

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
        root = self._explaining(incident, now)
        if root is None:
            return self._save(replace(incident, told=True), "trigger", now, end)
        alerts = self._save(replace(incident, told=False), None, now, end)
        if root.resolved_at is None and rank(name) < rank(root.key.name):
            note = likely_cause(root, incident, label(name))
            alerts += self._save(replace(root, note=note), "update", now, end, news=CAUSE_FOUND)
        return alerts

    def _repeat(self, same: Incident, found: Found, segment: str | None, now: int, end: int) -> list[Alert]:
        """An open incident is not opened twice; a segment that nobody named yet is an update."""
        if found.kind == "ticket":
            return self._save(replace(same, recovering_since=now), None, now, end)
        if same.under_floor != ("slo" in found.evidence):
            return self._both(same, found, segment, now, end)
        named = segment or "all traffic"
        if segment == same.segment or named in (same.note or ""):
            return []
        news = f"Seen in {named}, too"
        if segment is not None and same.segment is None and same.told:
            news = f"{_IN_IT} {named}" if self._pager.is_where(same, segment, now) else news
        after = replace(same, note=joined(same.note, f"{news}."))
        return self._save(after, "update" if same.told else None, now, end, news=news)

    def _corrected(self, incident: Incident, now: int) -> Incident:
        """With "too" taken back of the segment that is all of the fall, as is known by now."""
        if incident.segment is not None or not incident.note:
            return incident
        for segment in _ALSO.findall(incident.note):
            if self._pager.is_where(incident, segment, now):
                said = f"Seen in {segment}, too."
                return replace(incident, note=incident.note.replace(said, f"{_IN_IT} {segment}."))
        return incident

    def _both(self, same: Incident, found: Found, segment: str | None, now: int, end: int) -> list[Alert]:
        """A level that is under the floor fell as well, or the other way round: an update, told once."""
        if same.under_floor:
            before, level, _ = self._fall(same.key, found, end)
            news = f"Fell in {segment or 'all traffic'}"
            more = f"{news}: {shown(before)} to {shown(level)}."
        else:
            floor, level, _ = figures(found)
            news = f"Under its floor of {percent(floor.value)}"
            more = f"{news} (detect.slo): {shown(level)}."
        if news in (same.note or ""):
            return []
        after = replace(same, note=joined(same.note, more))
        return self._save(after, "update" if same.told else None, now, end, news=news)

    def _floor_rule(self, incident: Incident) -> config.Rule:
        seconds = max(_LEAST_RESOLVE_SECONDS, self._batch_seconds)
        return self._rules.rule(incident.key.name).model_copy(update={"resolve_seconds": seconds})

    def _is_past(self, incident: Incident, end: int) -> bool:
        """Whether the last batch alone shows that most of the fall is gone, so that nobody is woken up."""
        if incident.key.name not in CAUSES or incident.under_floor:
            return False
        last = total(self._levels(incident, end - nanoseconds(self._batch_seconds), end))
        level = rate(last)
        fall = incident.before.value - incident.worst.value
        return level is not None and incident.before.value - level.value < _GONE * fall

    def _again(self, incident: Incident, now: int) -> Incident:
        """The one of the same stream that resolved a moment ago, open again; else the incident as it is."""
        if incident.key.name not in CAUSES:
            return incident
        soon = now - _REOPEN_BATCHES * nanoseconds(self._batch_seconds)
        return again(self._store.neighbours(incident.key, min(soon, incident.since)), incident, since=soon)

    def _explaining(self, incident: Incident, now: int) -> Incident | None:
        """The told incident of this service with which this one shares its cause, for they began in the same batch."""
        within = nanoseconds(self._batch_seconds)
        near = self._store.neighbours(incident.key, now - within)
        return explaining(incident, near, within=within, now=now)

    def _opened(self, place: Place, found: Found, segment: str | None, end: int, now: int) -> Incident:
        since = end - nanoseconds(self._batch_seconds)
        before, level, note = figures(found)
        key = place.key(found.metric)
        measured = found.kind == "page" and "slo" not in found.evidence
        if measured:
            before, level, since = self._fall(key, found, end)
        elif found.kind == "page":
            since = max(end - BREACH_NANOSECONDS, self._last_end(key, end))
        name = dedup_key(key, since, grain_seconds=self._batch_seconds, segment=segment)
        return Incident(
            id=incident_id(name),
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
            stream=found.segment,
            note=note,
            first=level if measured else None,
            first_until=end if measured else None,
        )

    def _fall(self, key: SeriesKey, found: Found, end: int) -> tuple[Measurement, Measurement, int]:
        """(what was before, what is now, since when), from the sums of the stream that fell.

        It began after the last incident of its series: what was told then is neither before nor now.
        """
        stream = found.segment
        start = max(end - _RECENT, self._last_end(key, end))
        recent = self._store.levels(key, stream, start, end, self._grain)
        older = total(self._calm(key, stream, end - self._kept, start))
        cut = split(recent, before=older if older.n else None, falling=True)
        index = cut.index if cut is not None else max(0, len(recent) - _GRAINS_A_BATCH)
        since = max(start, recent[index].start) if recent else end - nanoseconds(self._batch_seconds)
        before, after = older + total(recent[:index]), total(recent[index:])
        return bare(before if before.n else after), bare(after), since

    def _last_end(self, key: SeriesKey, end: int) -> int:
        """When the last incident of the series was over; before the batch that ends at `end` in any case."""
        earlier = (
            one.resolved_at or 0 for one in self._store.neighbours(key, end - _RECENT) if one.key == key
        )
        return min(max(earlier, default=0), end - nanoseconds(self._batch_seconds))

    def _calm(self, key: SeriesKey, stream: int | None, since: int, until: int) -> Sequence[Bucket]:
        """The levels of that stretch without those of incidents that are over."""
        spans = [
            (one.since, one.resolved_at)
            for one in self._store.neighbours(key, since)
            if one.key == key and one.resolved_at is not None and not (one.withdrawn or one.under_floor)
        ]
        return without(self._store.levels(key, stream, since, until, self._grain), spans)

    def _course(self, incident: Incident, end: int, now: int) -> tuple[Incident, Action | None]:
        """Over when the stream has been back, by half of its fall at least, for a batch or half an hour."""
        since = incident.since
        before = total(self._calm(incident.key, incident.stream, since - self._kept, since))
        during: Sequence[Bucket] = self._levels(incident, since, end)
        fall = incident.before.value - incident.worst.value
        rule = config.Rule(
            min_drop=min(0.9, max(0.01, fall)),
            min_sample=_LEAST_SAMPLE,
            resolve_seconds=max(_LEAST_RESOLVE_SECONDS, self._batch_seconds),
        )
        if not during:
            return incident, None
        if incident.first_until is not None:
            stretch = total(self._levels(incident, incident.since, incident.first_until))
            after, action = corrected(
                incident, rate(before), rate(stretch), self._late(incident, fall), at=now
            )
            if action is not None:
                return after, action
        course = follow(before, during, settling(rule, incident), bucket_seconds=self._grain / 1e9)
        return advanced(incident, course, rule, at=now)

    def _is_gone(self, incident: Incident, end: int) -> bool:
        """Whether nothing came of its segment for as long as records are kept, so that nobody will see it recover."""
        begin = end - self._kept
        fell = incident.key.name in CAUSES and incident.stream is not None and incident.since < begin
        return fell and not self._levels(incident, begin, end)

    def _close(self, incident: Incident, end: int, now: int) -> list[Alert]:
        """End an incident of a segment that is gone, such as a tenant that left."""
        after = replace(incident, resolved_at=now)
        alert = closed(after, now, end - self._kept, self._links, by="detect.keep_days")
        told = incident.told and incident.key.is_told(self._rules.page_environments)
        self._store.save_incident(after, alert if told else None, self._channels)
        return [alert] if told else []

    def _late(self, incident: Incident, fall: float) -> config.Rule:
        """By how much late data must move the level: what the series counts as a fall, not all of this one."""
        usual = self._rules.rule(incident.key.name)
        return usual.model_copy(update={"min_drop": min(usual.min_drop, max(0.01, fall))})

    def _levels(self, incident: Incident, since: int, until: int) -> Sequence[Bucket]:
        return self._store.levels(incident.key, incident.stream, since, until, self._grain)

    def _save(
        self, incident: Incident, action: Action | None, now: int, end: int, *, news: str | None = None
    ) -> list[Alert]:
        falls = incident.key.name in CAUSES
        alert = self._pager.save(
            incident,
            action,
            now=now,
            end=end,
            examples=lambda: self._examples(incident, end) if falls and action != "resolve" else (),
            course=lambda: self.history(incident, end) if falls else (end, ()),
            news=news,
        )
        return [] if alert is None else [alert]

    def _examples(self, incident: Incident, end: int) -> Sequence[Example]:
        return self._store.examples(incident.key, incident.stream, incident.since, end, _EXAMPLES)

    def history(self, incident: Incident, end: int) -> Course:
        """When it begins, and the course of the rate from there on."""
        begin = drawn_from(incident.since, end, self._grain * STRETCHES)
        return begin, course(self._levels(incident, begin, end), begin, end, self._grain)


def _ticket_course(incident: Incident, now: int, any_traffic: bool) -> tuple[Incident, Action | None]:
    """A ticket is over when it was not repeated for a day; one about traffic when there is some."""
    seen = incident.opened_at if incident.recovering_since is None else incident.recovering_since
    back = incident.key.name == "traffic" and any_traffic and now > seen
    if back or now - seen >= _TICKET_NANOSECONDS:
        return replace(incident, resolved_at=now), "resolve"
    return incident, None
