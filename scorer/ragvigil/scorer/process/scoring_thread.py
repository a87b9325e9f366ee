"""The thread that scores, and alone writes the store."""

from __future__ import annotations

import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import TypeVar

from ragvigil.scorer import config
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.dialects.custom import dialects_of
from ragvigil.scorer.erasure.forget_requests import forget_requests
from ragvigil.scorer.erasure.forgetting import Desk
from ragvigil.scorer.erasure.retention import MINUTES_DAYS, Retention
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import InboxReader
from ragvigil.scorer.inbox.leaving import leave
from ragvigil.scorer.incidents.after_silence import AfterSilence
from ragvigil.scorer.incidents.anew import Draw, Retold
from ragvigil.scorer.incidents.escalation import Escalation
from ragvigil.scorer.incidents.oncall import OrderDesk, order_requests
from ragvigil.scorer.incidents.storms import Storms
from ragvigil.scorer.judge.backlog import Backlog
from ragvigil.scorer.judge.endpoint.trouble import Trouble
from ragvigil.scorer.judge.judging import UNASKED
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.labels.clerk import LabelClerk, label_requests
from ragvigil.scorer.metrics.collect import Vitals
from ragvigil.scorer.monitor.arrivals import ArrivalWatch
from ragvigil.scorer.monitor.coverage import CoverageWatch
from ragvigil.scorer.monitor.health import HealthWatch
from ragvigil.scorer.monitor.leaks import LeakWatch
from ragvigil.scorer.monitor.monitor import Monitor
from ragvigil.scorer.monitoring import Detector
from ragvigil.scorer.passed_time import since_boot
from ragvigil.scorer.process.parts import pipeline_of, watcher_of
from ragvigil.scorer.process.tick_parts import Attempts
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.sample import Spent
from ragvigil.scorer.store.port import Job, Judgement, Purpose
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.gold import labels_of

_log = logging.getLogger(__name__)

_IDLE_SECONDS = 0.05
_BACK_OFF_SECONDS = 1.0
_DRAIN_SECONDS = 10.0
_SHORTEST_TICK_SECONDS = 1.0
_FORGETTING_SECONDS = 0.1


T = TypeVar("T")


class Scoring(threading.Thread):
    """The pipeline's thread, sole writer of the store; others reach the store through `call`."""

    def __init__(
        self,
        settings: config.Settings,
        *,
        hand_out: Callable[[Sequence[Job]], None],
        drop: Callable[[Collection[str]], None] = lambda _: None,
        withdraw: Callable[[Collection[int], Purpose], None] = lambda _, __: None,
        paid: Paid | None = None,
        trouble: Trouble | None = None,
    ) -> None:
        super().__init__(name="scoring", daemon=True)
        self._trouble = trouble or Trouble()
        self._withdraw = withdraw
        self._paid = paid
        self._settings = settings
        self._hand_out = hand_out
        self._drop = drop
        self._dialects = dialects_of(settings.dialects)
        self._labels = labels_of(settings.monitor, settings.judge)
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._open: Future[None] = Future()
        self.ended: Future[None] = Future()
        self._ticked_at = 0.0
        self.succeeded_at = 0.0
        """When the series were last evaluated without a failure, on the monotonic clock."""
        self._retaining = False
        self._failing: str | None = None
        self._attempts = Attempts()
        self._spent = (Spent(), Spent())

    def open(self) -> None:
        """Start, and wait until the store is open; raises what opening it raised."""
        self.start()
        self._open.result()

    def stop(self) -> None:
        """Commit what has arrived, for some seconds at most, and end; returns when it has ended."""
        self._stopping.set()
        self._calls.put(lambda: None)
        self.join()

    def call(self, work: Callable[[], T]) -> Future[T]:
        """Run `work` on this thread, between two turns."""
        answer: Future[T] = Future()

        def run() -> None:
            try:
                answer.set_result(work())
            except BaseException as error:
                answer.set_exception(error)

        self._calls.put(run)
        return answer

    def vitals(self) -> Vitals:
        """How it is; from any thread."""
        reading = self.pipeline.reading
        lag = 0.0 if reading is None else max(0.0, time.time() - reading / 1e9)
        ago = time.monotonic() - self.succeeded_at
        evaluated = time.time() - ago if self.succeeded_at else None
        return Vitals(
            lag,
            self.pipeline.open_traces,
            self.pipeline.waiting,
            evaluated,
            self.coverage.latest,
            pressures=self.pipeline.pressures,
        )

    def tick(self) -> None:
        """Evaluate every series; on this thread. What fails costs its own evaluation only, and the heartbeat."""
        self._ticked_at = time.monotonic()
        now = time.time_ns()
        parts: tuple[tuple[str, Callable[[], object]], ...] = (
            ("the sign of life", lambda: self.store.beat(now)),
            ("the evaluation of the series", lambda: self._evaluate(now)),
            ("the backlog", lambda: self.backlog.tick(now)),
            ("the sequential detectors", lambda: self._watch(now)),
            ("the look for leaks", lambda: self.leaks.tick(now)),
            # Before coverage, which falls when it is ill: that is no second page.
            ("the look at ragvigil's own health", lambda: self.health.tick(now)),
            ("coverage", lambda: self.coverage.tick(now)),
            ("the look for services that stopped", lambda: self.arrivals.tick(now)),
            ("storms", lambda: self.storms.tick(now)),
            ("escalation", lambda: self.escalation.tick(now)),
            ("the pruning of what was sent out", self.store.outgoing.prune),
            ("the checkpoint", self.store.checkpoint),
        )
        succeeded = [self._attempts.succeeds(name, part) for name, part in parts]
        if all(succeeded):
            self.succeeded_at = time.monotonic()
        self._retaining = True

    def judged(self, judgements: Sequence[Judgement]) -> None:
        """Take what the judge said, each to whom it concerns; on this thread."""
        scores = [one for one in judgements if one.job.purpose == "score"]
        failed = sum(one.failure not in (None, UNASKED) for one in scores)
        self.health.judged(time.time_ns(), answered=len(scores) - failed, failed=failed)
        canaries = [one for one in judgements if one.job.purpose == "canary"]
        self.watcher.rejudged(canaries)
        self.pipeline.draws.charge(one for one in canaries if one.failure != UNASKED)
        self.pipeline.judged(scores)

    def _forgotten(self, traces: Collection[str]) -> None:
        self._drop(traces)
        self._unremember(traces)

    def _expired(self, records: Collection[int]) -> None:
        self._withdraw(records, "score")
        self.pipeline.room.expire(records)

    def _unremember(self, traces: Collection[str]) -> None:
        """What the judge said of these traces is not kept either, nor what memory holds of them."""
        self.pipeline.unremember(traces)
        if self._paid is not None:
            self._paid.forget(traces)

    def _spent_by_all(self) -> tuple[Spent, Spent]:
        """What everybody spent; while nobody can tell, what was known last."""
        if self._paid is not None:
            with contextlib.suppress(sqlite3.Error):
                self._spent = self._paid.spent()
        return self._spent

    def _evaluate(self, now: int) -> None:
        with self.store.transaction():
            self.monitor.tick(now)

    def _watch(self, now: int) -> None:
        watched = self.watcher.tick(now, caught_up=self.pipeline.caught_up)
        if watched.withdrawn:
            self._withdraw(watched.withdrawn, "canary")
        jobs = watched.jobs
        self.pipeline.expect([job for job in jobs if job.purpose == "score"])
        if jobs:
            self._hand_out(jobs)

    def run(self) -> None:
        """Turn until stopped; `ended` says so, or why it could not go on."""
        try:
            store = SqliteStore(self._settings)
        except BaseException as error:
            self._open.set_exception(error)
            return
        try:
            store.recognise(self._settings.inbox_path)
            with (
                store,
                contextlib.closing(InboxReader(self._settings.inbox_path)) as inbox,
                contextlib.closing(Redaction(self._settings.content, store.pseudonyms)) as redaction,
            ):
                self._equip(store, inbox, redaction)
                store.beat(time.time_ns())  # or it would not live until its first tick, as a restarted one
                self._open.set_result(None)
                self._hand_out(self.pipeline.resume())
                self._turn_until_stopped()
                self._leave(inbox)
        except BaseException as error:
            if not self._open.done():
                self._open.set_exception(error)
            self.ended.set_exception(error)
        else:
            self.ended.set_result(None)

    def _equip(self, store: SqliteStore, inbox: InboxReader, redaction: Redaction) -> None:
        settings = self._settings
        self.store = store
        store.outgoing.begin(settings.export.sinks)
        self.pipeline = pipeline_of(
            settings,
            inbox=inbox,
            store=store,
            redaction=redaction,
            dialects=self._dialects,
            spent=None if self._paid is None else self._spent_by_all,
        )
        diagnoser = Diagnoser(store.diagnosing)
        names = list(settings.channels)
        self.monitor = Monitor(store.monitoring, settings.monitor, names, settings.links, diagnoser)
        self.watcher = watcher_of(
            settings,
            store,
            self.pipeline,
            self._labels,
            channels=names,
            diagnoser=diagnoser,
            ticks=since_boot,
        )
        self.retention = Retention(
            store.retention,
            settings.retention,
            drop=self._unremember,
            minutes_days=max(
                MINUTES_DAYS, *(2.0 * one.baseline_seconds / 86_400 for one in settings.monitor.rules)
            ),
            ticks=since_boot,
        )
        self.desk = Desk(forget_requests(settings.inbox_path), store.erasures, drop=self._forgotten)
        self.backlog = Backlog(
            store.backlog,
            longest_seconds=settings.judge.max_wait_seconds,
            drop=self._expired,
            ticks=time.monotonic_ns,
        )
        self.orders = OrderDesk(order_requests(settings.inbox_path), store.oncall)
        self.clerk = LabelClerk(label_requests(settings.inbox_path), store.labels)
        self.leaks = LeakWatch(store.leaks, settings)
        self.health = HealthWatch(
            store.monitoring,
            self.pipeline,
            settings,
            trouble=lambda: self._trouble.said,
            ticks=time.monotonic_ns,
        )
        self.arrivals = ArrivalWatch(store.arriving, self.pipeline, settings, ticks=time.monotonic_ns)
        draw: dict[Detector, Draw] = {"window": self.monitor.history, "sequential": self.watcher.history}
        anew = Retold(diagnoser, settings.links, draw)
        self.escalation = Escalation(store.escalation, settings.routes, anew, channels=[*settings.channels])
        self.after_silence = AfterSilence(store.escalation, anew)
        self.storms = Storms(store.storms, settings.monitor, settings.links)
        self.coverage = CoverageWatch(
            store.monitoring,
            settings.coverage,
            list(settings.channels),
            environments=settings.monitor.page_environments,
            links=settings.links,
            content=settings.content,
        )

    def _turn_until_stopped(self) -> None:
        deadline = float("inf")
        while time.monotonic() < deadline:
            if self._stopping.is_set() and deadline == float("inf"):
                deadline = time.monotonic() + _DRAIN_SECONDS
            self.store.refuse_when_deleted()  # the inbox would let go of what such a store says it has
            worked = self._turn()
            if not worked and self._stopping.is_set():
                return
            self._answer_calls(wait=0.0 if worked else _IDLE_SECONDS)

    def _leave(self, inbox: InboxReader) -> None:
        """What is stored, redacted, need not lie in the inbox as it came for as long as nobody runs."""
        inbox.close()
        read, kept = self.pipeline.unfinished
        try:
            leave(self._settings.inbox_path, done=self.store.records.watermark(), read=read, kept=kept)
        except (sqlite3.Error, OSError, StoreError) as error:
            _log.info("the inbox keeps what came until the next start: %s", error)
        try:  # apart: a full disk, which takes no writing, hinders no emptying
            self.pipeline.leave()
        except (sqlite3.Error, OSError, StoreError) as error:
            _log.info("sampling goes on from what was last stored: %s", error)

    def _turn(self) -> bool:
        try:
            turn = self.pipeline.turn()
        except (sqlite3.Error, OSError, StoreError) as error:
            self._remember(str(error))
            self._answer_calls(wait=_BACK_OFF_SECONDS)
            return False
        self._remember(None)
        if turn.jobs:
            self._hand_out(turn.jobs)
        self._make_room()
        if turn.verdicts and time.monotonic() - self._ticked_at > _SHORTEST_TICK_SECONDS:
            self.tick()
        if self._retaining:
            self._retaining = self._retain(turn.stored)
        forgetting = self._forget()
        self._follow_orders()
        return turn.worked or forgetting or (self._retaining and not self._stopping.is_set())

    def _remember(self, problem: str | None) -> None:
        """One log line for each new problem of inbox or store, and one when both can be used again."""
        if problem is not None and problem != self._failing:
            _log.error("inbox or store cannot be used (%s); trying again", problem)
        elif problem is None and self._failing is not None:
            _log.warning("inbox and store can be used again")
        self._failing = problem

    def _make_room(self) -> None:
        """Thin what waits of a place that leaves others no room; what fails is tried again after the next turn."""
        crowd = self.pipeline.room.crowded()
        if crowd is not None:
            with contextlib.suppress(sqlite3.Error):
                self.backlog.make_room(*crowd, time.time_ns())

    def _retain(self, stored: int) -> bool:
        """Some steps of retention after a turn that stored so many traces; a failure waits for the next tick."""
        now = time.time_ns()
        try:
            if self._paid is not None:
                self._paid.expire(self.retention.content_since(now) / 1e9)
            return self.retention.keep_up(now, stored)
        except Exception:
            _log.exception("retention failed; the next tick tries again")
            return False

    def _forget(self) -> bool:
        """Some steps of an erasure that was asked for; after a failure it is begun anew.

        One alone between two turns takes an hour under load where a million answers are looked through.
        """
        until = time.monotonic() + _FORGETTING_SECONDS
        try:
            working = self.desk.step()
            while working and time.monotonic() < until and self.desk.step():
                pass
            return working
        except Exception as error:  # no traceback: it may quote the id
            _log.error("an erasure failed and is tried again: %s", type(error).__name__)
            return False

    def _follow_orders(self) -> None:
        """Carry out what people ordered and keep their labels; a failure leaves it where it is."""
        try:
            self.orders.step()
            self.clerk.step()
        except Exception:
            _log.exception("an order could not be carried out and is tried again")

    def _answer_calls(self, wait: float) -> None:
        try:
            work = self._calls.get(timeout=wait) if wait else self._calls.get_nowait()
            while True:
                work()
                work = self._calls.get_nowait()
        except queue.Empty:
            return
