"""The replay: assembly, checks, sample, judge, rollups and monitor, all on the recording's clock."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ragvigil.exporters import Alert
from ragvigil.scorer.config import Settings
from ragvigil.scorer.detect import nanoseconds
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.dialects.custom import dialects_of
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.incidents.storms import Storms
from ragvigil.scorer.judge import rubric_of
from ragvigil.scorer.judge.judges import judges_of
from ragvigil.scorer.judge.judging import judgement_of
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.process.parts import pipeline_of, watcher_of
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.replay.recording import RecordedInbox, Recording
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.gold import labels_of

_STEP = 1_000_000_000
"""Nanoseconds of event time in one turn; steps lie at whole seconds, whatever the file begins with."""
_LOOKS_A_CHECKPOINT = 64
"""Looks at the series after which the store's log is copied into its file: it grew to a hundred times the recording."""


@dataclass(slots=True)
class Replayed:
    """What a replay did."""

    began: int | None = None
    """First moment of the recording, Unix nanoseconds; None when it is empty."""
    ended: int | None = None
    alerts: list[Alert] = field(default_factory=list[Alert])
    """What would have been sent, in order."""


class Replay:
    """One pass over a recording into a store that no scorer with another clock has written."""

    def __init__(
        self,
        recording: Recording,
        store: SqliteStore,
        settings: Settings,
        *,
        channels: Sequence[str] = (),
        pace: Callable[[int], None] | None = None,
    ) -> None:
        """`channels` get the alerts into the outbox (none: a dry run); `pace` is told each moment before it is.

        Raises StoreError for a store that `serve` has written: its series live on the present's clock.
        """
        watermark = store.records.watermark()
        if watermark is not None and watermark.segment:
            raise StoreError("the store belongs to `ragvigil serve`; name another with --store")
        self._inbox = RecordedInbox(recording, after=watermark)
        self._pace = pace
        self._checkpoint = store.checkpoint
        self._tick = nanoseconds(settings.monitor.tick_seconds)
        self._idle = max(self._tick, nanoseconds(settings.monitor.bucket_seconds))
        self._quiet = max(
            2 * nanoseconds(rule.window_seconds) + nanoseconds(rule.resolve_seconds)
            for rule in settings.monitor.rules
        )
        self._judge, _, self._measuring = judges_of(settings, None)
        self._rubric = rubric_of(settings.judge)
        self._pipeline = pipeline_of(
            settings,
            inbox=self._inbox,
            redaction=Redaction(settings.content, store.pseudonyms),
            store=store,
            dialects=dialects_of(settings.dialects),
            now=lambda: self._inbox.now,
            ticks=lambda: self._inbox.now,
        )
        diagnoser = Diagnoser(store.diagnosing)
        self._monitor = Monitor(store.monitoring, settings.monitor, list(channels), settings.links, diagnoser)
        labels = labels_of(settings.monitor, settings.judge)
        self._watcher = watcher_of(
            settings, store, self._pipeline, labels, channels=list(channels), diagnoser=diagnoser
        )
        # What is to be said is sent at the end: nobody is spared anything by a storm that waits with its news.
        grouping = settings.monitor.model_copy(update={"group_interval_seconds": 0.0})
        self._storms = Storms(store.storms, grouping, settings.links)

    def run(self) -> Replayed:
        """Replay all of it; the same recording, settings and versions write the same scores bit for bit."""
        done = Replayed(began=self._inbox.next_at)
        ticked = quiet_since = looks = 0
        with asyncio.Runner() as runner:
            while (now := self._next_step(ticked, quiet_since)) is not None:
                if self._pace is not None:
                    self._pace(now)
                self._inbox.now = now
                while self._turn(runner):
                    quiet_since = now
                if now // self._tick > ticked // self._tick:
                    done.alerts += self._monitor.tick(now)
                    done.alerts += self._watch(runner, now)
                    self._storms.tick(now)
                    ticked = now
                    looks += 1
                    if looks % _LOOKS_A_CHECKPOINT == 0:
                        self._checkpoint()
                done.ended = now
            while self._turn(runner):  # what was judged at the last look is written, too
                pass
        return done

    def _next_step(self, ticked: int, quiet_since: int) -> int | None:
        """The next moment at which something may happen; None at the end, after a last look at the series."""
        now, event = self._inbox.now, self._inbox.next_at
        if self._pipeline.open_traces:
            return now + _STEP
        period = self._idle if ticked > quiet_since else self._tick
        look = (ticked // period + 1) * period
        if event is None:
            return look if ticked <= quiet_since else None
        at_event = -(-event // _STEP) * _STEP
        watching = ticked and now - quiet_since < self._quiet
        return min(look, at_event) if watching else at_event

    def _turn(self, runner: asyncio.Runner) -> bool:
        """One turn; whether another has something to do. Verdicts are written by the turn after the one they are of."""
        turn = self._pipeline.turn()
        if turn.jobs:
            self._pipeline.judged(self._judged(runner, turn.jobs))
        return turn.worked or bool(turn.jobs)

    def _watch(self, runner: asyncio.Runner, now: int) -> Sequence[Alert]:
        watched = self._watcher.tick(now, caught_up=self._pipeline.caught_up)
        scores = [job for job in watched.jobs if job.purpose == "score"]
        self._pipeline.expect(scores)
        self._pipeline.judged(self._judged(runner, scores))
        canaries = [job for job in watched.jobs if job.purpose == "canary"]
        rejudged = self._judged(runner, canaries)
        self._watcher.rejudged(rejudged)
        self._pipeline.draws.charge(rejudged)
        return watched.alerts

    def _judged(self, runner: asyncio.Runner, jobs: Sequence[Job]) -> list[Judgement]:
        if self._judge is None:
            return []
        return [runner.run(judgement_of(job, self._judge, self._rubric, self._measuring)) for job in jobs]
