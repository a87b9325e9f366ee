"""Each service's detector: planned, waited for, observed, told of, and saved, batch by batch, in event time."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from pydantic import ValidationError

from ragvigil.exporters import Alert
from ragvigil.scorer import config
from ragvigil.scorer.config.judging import ENDPOINTS
from ragvigil.scorer.detect import Monitor
from ragvigil.scorer.detect.sequential.canary import Canary
from ragvigil.scorer.detect.stretches import nanoseconds
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.incidents.causes import CAUSES
from ragvigil.scorer.incidents.pager import Course
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitoring import Incident, is_told, rank
from ragvigil.scorer.passed_time import Clock, Jumps, Standing
from ragvigil.scorer.sample import Sampler
from ragvigil.scorer.series import faithfulness_value
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.watch.batches import observed, planned
from ragvigil.scorer.watch.canary_room import most_to_ask
from ragvigil.scorer.watch.core_settings import core_settings
from ragvigil.scorer.watch.gold import Labels, with_own_floor
from ragvigil.scorer.watch.notes import Notes, restored_notes, saved_notes
from ragvigil.scorer.watch.port import Past, Place, Raised, Seen, WatchStore
from ragvigil.scorer.watch.segments import Book
from ragvigil.scorer.watch.teller import Teller

_log = logging.getLogger(__name__)

_MOST_BATCHES_A_TICK = 16
_LONGEST_GAP = 14 * DAY
_REDRAWN = frozenset({"checked_only", "pending", "judged", "shed", "failed"})
"""States of records that a plan draws again: verdicts that never came count for as many as those that did."""
_WORTH_A_SECOND_DRAW = 1.5
"""Times the probability that a record had: below it the first draw stands."""


class Watched(NamedTuple):
    """What one tick did."""

    alerts: list[Alert]
    jobs: list[Job]
    """To judge: scores of a burst, and canaries."""
    withdrawn: list[int]
    """Records whose canaries nobody waits for any more."""


@dataclass(slots=True)
class _Detector:
    notes: Notes
    core: Monitor
    asked: dict[int, Past] = field(default_factory=dict[int, Past])
    """Canaries that are being judged, by record."""
    asked_at: int = 0
    scheduled: bool = False
    """Whether they were asked because it was time."""
    crowded_out: bool = False
    """Whether a canary is wanted for which there was no room."""
    answers: dict[int, tuple[str, int]] = field(default_factory=dict[int, tuple[str, int]])
    """Their judge version and verdict, 1, 0 or -1."""


class Watcher:
    """Feeds one core per service and environment; all that it must remember is in the store."""

    def __init__(
        self,
        store: WatchStore,
        settings: config.Settings,
        labels: Labels,
        channels: Sequence[str],
        *,
        sampler: Sampler,
        room: Callable[[Place], int],
        diagnoser: Diagnoser | None = None,
        ticks: Clock | None = None,
    ) -> None:
        """`room` is how many records more of a place may wait for the judge; `ticks` is a clock that nobody sets.

        A batch that was closed stays closed, so a wall clock that jumps must stand before any is closed by it.
        """
        if settings.detect.slo is not None and labels.source != "file":
            _log.warning("detect.slo pages nobody until monitor.gold names labels of yours")
        settings = settings.model_copy(update={"detect": with_own_floor(settings.detect, labels)})
        self._store = store
        self._detect = settings.detect
        self._labels = labels
        self._judging = settings.judge.kind != "none"
        self._every = (
            nanoseconds(settings.detect.canary_hours * 3600) if settings.judge.kind in ENDPOINTS else 0
        )
        self._sampler = sampler
        self._room, self._most_jobs = room, settings.judge.max_jobs
        self._teller = Teller(store, settings, channels, diagnoser)
        self._core_settings = core_settings(settings)
        self._batch = nanoseconds(settings.detect.batch_seconds)
        self._late = nanoseconds(settings.detect.late_seconds)
        self._kept = nanoseconds(settings.detect.keep_days * 86_400)
        self._detectors: dict[Place, _Detector] = {}
        self._environments = settings.monitor.page_environments
        self._first: Sequence[Place] = ()
        """Those to watch where there are too many, as they were ranked in the batch's time `_ranked`."""
        self._ranked = -1
        self._clock, self._jumps = Standing(ticks), Jumps(ticks)
        self._kept_since = 0

    def history(self, incident: Incident, end: int) -> Course:
        """When the course of an incident's rate begins, and its values from there on, until `end`."""
        return self._teller.history(incident, end)

    def tick(self, now: int, *, caught_up: bool = True) -> Watched:
        """Take every service as far as it can be taken at `now` (Unix nanoseconds).

        A batch is not begun while what has arrived is not stored (`caught_up`). A service that cannot be watched is
        logged and taken up again from its saved state at the next tick.
        """
        done = Watched([], [], [])
        if not self._detect.enabled:
            return done
        now = self._clock.shows(now)
        self._kept_since = self._jumps.ago(now, self._kept)
        for place in self._chosen(now):
            try:
                self._advance(place, now, caught_up, done)
            except Exception:
                _log.exception("the detector of %s failed; the next tick tries again", place)
                self._detectors.pop(place, None)
        return done

    def _chosen(self, now: int) -> Sequence[Place]:
        """The places to watch: where there are too many, those that page, in an incident, and that answer most.

        They are ranked once in the time of a batch. What waits of the others is kept as long as any record is, so
        that a place that is chosen later begins there.
        """
        places, most = self._store.places(), self._detect.most_places
        for gone in self._detectors.keys() - places:
            del self._detectors[gone]
        if len(places) <= most:
            return places
        if now // self._batch != self._ranked:
            self._ranked = now // self._batch
            ill = self._store.in_incident()
            places = sorted(places, key=lambda place: self._rank(place, now, ill))
            self._first = places[:most]
            with self._store.transaction():
                for place in places[most:]:
                    self._detectors.pop(place, None)
                    self._store.forget_sightings(place, self._kept_since)
            _log.warning(
                "%d of %d services and environments have a sequential detector, those that page and answer most "
                "(detect.most_places); window rules watch the others, too",
                most,
                len(places),
            )
        return self._first

    def _rank(self, place: Place, now: int, ill: Collection[Place]) -> tuple[bool, bool, float, bool]:
        return rank(
            told=is_told(place.environment, self._environments),
            ill=place in ill,
            answers=self._store.answers(place, now - DAY),
            chosen=place in self._detectors,
        )

    def rejudged(self, judgements: Sequence[Judgement]) -> None:
        """Take the answers to canaries."""
        for judgement in judgements:
            for detector in self._detectors.values():
                asked = detector.asked.get(judgement.job.record_id)
                verdict = judgement.verdict
                if asked is not None and (verdict is not None or asked.job is judgement.job):
                    value = None if verdict is None else faithfulness_value(verdict)
                    version = "" if verdict is None else f"{verdict.judge} {verdict.judge_version}"
                    passed = -1 if value is None else int(value)
                    detector.answers[judgement.job.record_id] = (version, passed)

    def _advance(self, place: Place, now: int, caught_up: bool, done: Watched) -> None:
        detector = self._detectors.get(place) or self._restore(place)
        if detector is None:
            return
        self._detectors[place] = detector
        self._pull_back(place, detector, now)
        if detector.asked:
            self._answer_canary(place, detector, now, done)
        if detector.crowded_out:
            self._ask_canary(place, detector, detector.notes.start, now, done)
        for _ in range(_MOST_BATCHES_A_TICK):
            end = detector.notes.start + self._batch
            if detector.notes.planned_at is None:
                if not caught_up or now < end + nanoseconds(self._detect.settle_seconds):
                    return
                self._plan(place, detector, end, now, done)
            if not self._is_over(place, detector, end, now):
                return
            self._observe(place, detector, end, now, done)

    def _pull_back(self, place: Place, detector: _Detector, now: int) -> None:
        """Take up where the last record was, once a clock that was ahead is right again; the core's follows."""
        if not self._clock.stands or detector.notes.start <= now + self._batch:
            return
        newest = self._store.newest_taken(place)
        first = self._store.first_waiting(place) if newest is None else newest
        start = self._floor(now if first is None else min(first, now))
        _log.warning("the clock was ahead: the detector of %s is taken back to now", place)
        with self._store.transaction():
            detector.notes.pull_back(start, now)
            detector.asked_at = min(detector.asked_at, now)
            self._save(place, detector)

    def _is_over(self, place: Place, detector: _Detector, end: int, now: int) -> bool:
        """Whether the batch's verdicts and the canary are in, or were waited for long enough."""
        patience = nanoseconds(self._detect.verdict_seconds)
        if detector.asked and now - detector.asked_at < patience:
            return False
        planned_at = now if detector.notes.planned_at is None else detector.notes.planned_at
        since = detector.notes.start - self._late
        return now - planned_at >= patience or not self._store.waits(place, end, since)

    def _plan(self, place: Place, detector: _Detector, end: int, now: int, done: Watched) -> None:
        notes = detector.notes
        with self._store.transaction():
            notes.too_late += self._store.take(place, end, notes.start - self._late)
            rows = self._store.batch(place, end, notes.start - self._late)
            busy = self._busy(place, detector)
            detector.core.forget(notes.book.learn([row.segment for row in rows], at=end, busy=busy))
            codes = [notes.book.code(row.segment) for row in rows]
            self._store.set_streams([(code, row.record_id) for code, row in zip(codes, rows, strict=True)])
            segments = [notes.book.place(code) for code in codes]
            jobs = self._store.raise_inclusion(self._raised(place, detector.core, rows, segments, end), now)
            notes.planned_at = now
            self._save(place, detector)
        done.jobs.extend(jobs)

    def _busy(self, place: Place, detector: _Detector) -> set[int]:
        """Places of the core that are in an alarm, or whose incident is open."""
        segments, book = self._detect.segments, detector.notes.book
        streams = [one.stream for one in self._store.open_incidents(place) if one.key.name in CAUSES]
        told = {segments + 1 if code is None else book.place(code) for code in streams}
        return detector.core.alarmed() | {segments if one < 0 else one for one in told}

    def _raised(
        self, place: Place, core: Monitor, rows: Sequence[Seen], segments: Sequence[int], end: int
    ) -> list[Raised]:
        """The records that the plan wants judged much more often than they were drawn, drawn again."""
        if not self._judging or self._labels.source == "none" or not rows:
            return []
        chances = core.plan(planned(rows, segments, end - self._batch, end))
        found = [
            (row, float(chance))
            for row, chance in zip(rows, chances, strict=True)
            if row.state in _REDRAWN
            and row.cheap is not None
            and 0.0 < row.inclusion < float(chance) / _WORTH_A_SECOND_DRAW
        ]
        expected = sum(chance - row.inclusion for row, chance in found)
        if expected > self._room(place):
            return []
        raised: list[Raised] = []
        for row, chance in found:
            decision = self._sampler.redraw(row.trace_id, row.inclusion, chance)
            raised.append(Raised(row.record_id, decision.inclusion, decision.judged))
        return raised

    def _observe(self, place: Place, detector: _Detector, end: int, now: int, done: Watched) -> None:
        notes = detector.notes
        since = notes.start - self._late
        with self._store.transaction():
            rows = self._store.batch(place, end, since)
            seen = [row._replace(stream=notes.book.place(row.stream)) for row in rows]
            found = detector.core.observe(observed(seen, notes.start, end))
            told = self._teller.tell(place, found, notes.book, end=end, now=now)
            told += self._teller.attend(
                place, end=end, now=now, any_traffic=bool(rows), level=detector.core.level
            )
            self._store.forget_sightings(place, min(end - self._kept, self._kept_since))
            notes.start, notes.planned_at = end, None
            self._skip_gap(place, notes, now)
            self._save(place, detector)
        done.alerts.extend(told)
        self._ask_canary(place, detector, end, now, done)

    def _skip_gap(self, place: Place, notes: Notes, now: int) -> None:
        """A service that was silent for two weeks is met again where it is."""
        if now - notes.start > _LONGEST_GAP:
            first = self._store.first_waiting(place)
            notes.start = max(notes.start, self._floor(now if first is None else first))

    def _ask_canary(self, place: Place, detector: _Detector, end: int, now: int, done: Watched) -> None:
        """Have past traces judged again: from before yesterday, because what fell may have fallen since.

        Where there is no room for them the next tick tries again, and a core that waits too long decides without.
        """
        wanted = detector.core.canary_wanted
        due = self._every and not detector.asked and now - detector.notes.canaried_at >= self._every
        detector.crowded_out = False
        if not self._judging or not (wanted or due):
            return
        asked = sum(len(one.asked) - len(one.answers) for one in self._detectors.values())
        most = most_to_ask(wanted or self._detect.canary_size, self._most_jobs, asked)
        if not most:
            detector.crowded_out = True
            return
        with self._store.transaction():
            found = (
                self._store.past(place, end - DAY, most)
                if wanted
                else self._store.frozen(place, end - DAY, most, now)
            )
        past = [one._replace(job=replace(one.job, purpose="canary")) for one in found]
        detector.asked = {one.job.record_id: one for one in past}
        detector.answers, detector.asked_at, detector.scheduled = {}, now, not wanted
        done.jobs.extend(one.job for one in past)

    def _answer_canary(self, place: Place, detector: _Detector, now: int, done: Watched) -> None:
        if len(detector.answers) < len(detector.asked):
            patience = nanoseconds(self._detect.verdict_seconds)
            if now - detector.asked_at < patience:
                return
        done.withdrawn.extend(detector.asked.keys() - detector.answers.keys())
        rows = [
            (one.job.record_id, one.passed, *detector.answers[one.job.record_id])
            for one in detector.asked.values()
            if one.job.record_id in detector.answers
        ]
        detector.asked, detector.answers = {}, {}
        if not rows:
            return  # nobody answered: the core waits, and decides without after some batches; what is due is due
        with self._store.transaction():
            self._store.save_canary([(record, now, version, was, is_) for record, was, version, is_ in rows])
            old, new = (np.array([row[column] for row in rows]) for column in (1, 3))
            replies = Canary()
            replies.add(old, new, 0.0, 1.0)
            if replies.moved:
                self._store.refreeze([(is_, record) for record, _, _, is_ in rows if is_ >= 0])
            found = detector.core.canary(old, new)
            end = detector.notes.start
            if detector.scheduled:
                detector.notes.canaried_at = detector.asked_at
            told = self._teller.tell(place, found, detector.notes.book, end=end, now=now)
            self._save(place, detector)
        done.alerts.extend(told)

    def _restore(self, place: Place) -> _Detector | None:
        """The detector as it was saved; a new one once the service has a record; None before."""
        notes, core = self._store.detector(place)
        named, given = self._detect.segment_by or None, 0
        if notes is not None and core is not None:
            try:
                kept = restored_notes(notes)
                given = kept.book.given
                detector = _Detector(kept, self._core_of(core))
            except (ValidationError, ValueError) as error:
                _log.warning("the detector of %s begins anew: %s", place, error)
            else:
                kept.labels, kept.book.named = self._labels.source, named
                return detector
        first = self._store.first_waiting(place)
        if first is None:
            return None
        book = Book(self._detect.segments, named, named=named, given=given)
        fresh = Notes(self._floor(first), book, labels=self._labels.source, began=self._floor(first))
        return _Detector(fresh, Monitor(self._core_settings, self._labels.gold))

    def _core_of(self, saved: str) -> Monitor:
        """The saved core under today's settings and labels.

        Raises ValueError where they changed what its memory is made of.
        """
        state = json.loads(saved)
        fresh = Monitor(self._core_settings, self._labels.gold).state()
        if not isinstance(fresh, dict):
            raise TypeError("a core's state is a JSON object")
        for name in ("segments", "batch_seconds"):
            if state["settings"][name] != getattr(self._core_settings, name):
                raise ValueError(f"detect.{name} was changed")
        relabelled = state["gold"] != fresh["gold"]
        memory = {**state["memory"], "judge_moved": 0.0} if relabelled else state["memory"]
        return Monitor.restore({**fresh, "version": state["version"], "memory": memory})

    def _save(self, place: Place, detector: _Detector) -> None:
        core = json.dumps(detector.core.state(), allow_nan=False, separators=(",", ":"))
        self._store.save_detector(place, saved_notes(detector.notes), core)

    def _floor(self, moment: int) -> int:
        return moment - moment % self._batch
