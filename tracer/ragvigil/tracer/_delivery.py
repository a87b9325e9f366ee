"""Sends ended spans to the scorer from one background thread, bounded in memory and in time.

The SDK's own batch processor counts spans, not bytes, logs on its own account, and cannot be shut down within
a given time; a RAG span carries up to 1 MiB, and the service must not wait for us.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Protocol, TypeAlias, runtime_checkable

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragvigil.tracer import _queue
from ragvigil.tracer import attributes as names
from ragvigil.tracer._findings import Findings
from ragvigil.tracer._gate import FAILURES_IN_A_ROW, Gate, pause_seconds, sdk
from ragvigil.tracer._losses import Losses
from ragvigil.tracer._notices import Notices
from ragvigil.tracer._queue import Outgoing, Queue
from ragvigil.tracer._sizes import bound_beside
from ragvigil.tracer._writing import Queued

STALLED_SECONDS = 5.0
"""How long nothing got through before it is no longer worth making spans."""

Wake: TypeAlias = threading.Event | None
"""What wakes the sender early: a full batch (None), or somebody who waits until all is sent (an event)."""


@runtime_checkable
class TakesEncoded(Protocol):
    """An exporter that need not encode spans itself."""

    def export_encoded(self, batch: Sequence[Outgoing]) -> SpanExportResult:
        """Deliver a batch."""
        ...


class Delivery(SpanProcessor):
    """Queues ended spans, writes and exports them in batches; full or closed, it drops and counts.

    A span whose findings are in ``pending`` gets its attributes here, on the sending thread. When nothing gets through
    for a while, ``gate`` is shut: calls are counted then, not traced, and one span at a time tries, after a second
    and then after up to thirty.
    """

    def __init__(
        self,
        make_exporter: Callable[[], SpanExporter],
        *,
        notices: Notices,
        delay_seconds: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make_exporter = make_exporter
        self._notices = notices
        self._delay = delay_seconds
        self._clock = clock
        self._closed_at: int | None = None
        self.gate = Gate(clock=clock)
        """Shut while spans would only be dropped."""
        self._losses = Losses(notices, self.gate)
        self.pending: dict[int, Findings] = {}
        self._exporter: SpanExporter | None = None
        self._sender: threading.Thread | None = None
        self._woken = False
        self.renew()
        self._exporter = make_exporter()
        itself: weakref.ref[Delivery] = weakref.ref(self)
        sdk.listener = lambda: _start_sender(itself)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: _renew(itself))

    @property
    def dropped(self) -> int:
        """Spans dropped because the queue was full, delivery failed or stood still, or the tracer was shut down."""
        return self._losses.total

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing happens at a span's start."""

    def on_end(self, span: ReadableSpan) -> None:
        """Queue a span; never blocks, never raises."""
        try:
            scope = span.instrumentation_scope
            if span.context is None or scope is None or scope.name != names.SCOPE_NAME:
                return
            findings = self.pending.pop(span.context.span_id, None)
            if not span.context.trace_flags.sampled:
                return
            self.take(span, bound_beside(span) + (findings.weight() if findings else 0), findings)
        except (Exception, SystemExit) as error:
            self._losses.drop(1, "spans could not be queued", error)

    def take(self, span: ReadableSpan, weight: int, findings: Findings | None = None) -> None:
        """Queue a span that holds at least so many bytes; never blocks, never raises."""
        try:
            with self._lock:
                closed_at = self._closed_at
                if closed_at is not None and (span.start_time or 0) > closed_at:
                    return  # on a provider of the service's own, which others deliver
                if closed_at is not None or not self._queue.append(Queued(span, findings, weight)):
                    self._losses.drop(1, "spans dropped", "closed" if closed_at else "the queue is full")
                    self._look_whether_stalled()
                    return
                full = not self._woken and self._queue.fills_a_batch
                self._woken = self._woken or full
                if self._sender is None:
                    self._sender = self._start()
            if full:
                self._wake.put(None)
        except (Exception, SystemExit) as error:
            self._losses.drop(1, "spans could not be queued", error)

    def force_flush(self, timeout_millis: int | None = 30_000) -> bool:
        """Whether all that is queued was handed to the exporter within the time."""
        with self._lock:
            if self._sender is None and self._queue and not self._stopping:
                self._sender = self._start()
            if self._sender is None or not self._sender.is_alive():
                return not self._queue
        done = threading.Event()
        self._wake.put(done)
        in_time = done.wait(None if timeout_millis is None else timeout_millis / 1000)
        return in_time and not (self._shut and self._queue)

    def shutdown(self) -> None:
        """Send what is queued, for at most three seconds."""
        self.close(timeout_seconds=3.0)

    def close(self, *, timeout_seconds: float) -> bool:
        """Stop taking spans, send what is queued for at most so long, and drop the rest; whether all was sent."""
        with self._lock:
            already = self._closed_at is not None
            self._closed_at = self._closed_at or time.time_ns()
        if already:
            return not self._queue
        deadline, lost = time.monotonic() + timeout_seconds, self.dropped
        handed = self.force_flush(int(timeout_seconds * 1000))
        self._stopping = True
        self._wake.put(None)
        self._stop_exporter()
        if (sender := self._sender) is not None:
            sender.join(max(0.1, deadline - time.monotonic()))
        if left := len(self._queue):
            self._losses.drop(left, "spans dropped", "the tracer was shut down before they were sent")
        self._losses.collect()
        return handed and self.dropped == lost

    def after_fork(self) -> None:
        """Start afresh in a forked child, where another thread may have held any lock of the parent's."""
        self._notices.forget()
        self._losses.renew()
        self.gate.renew()
        self.renew()

    def renew(self) -> None:
        """Fresh queue, lock, exporter and, with the first span, thread: at first, and in a forked child.

        The spans of before the fork are the parent's to send.
        """
        self._lock = threading.RLock()  # re-entrant: a finaliser may end a span while this thread holds it
        self._queue = Queue(self._notices, self._losses.drop)
        self.pending.clear()
        self._wake: SimpleQueue[Wake] = SimpleQueue()
        self._woken = False
        self._stopping = False
        self._sender = None
        self._exporter = None
        self._failures = 0
        self._shut = False
        self._failing_since: float | None = None
        """Beginning of the first of the failures in a row, or of the export under way."""
        self._next_try = 0.0

    def start(self) -> None:
        """Start the sending thread, unless it runs: it also counts what was never made."""
        with self._lock:
            if self._sender is None and self._closed_at is None:
                self._sender = self._start()

    def _look_whether_stalled(self) -> None:
        """Shut the gate when the queue is full behind an export that stands still."""
        since = self._failing_since
        if not self._shut and since is not None and self._clock() - since >= STALLED_SECONDS:
            self._shut_gate()

    def _shut_gate(self) -> None:
        with self._lock:
            self._shut = True
            pause = pause_seconds(self._failures)
            self._next_try = self._clock() + pause
            self.gate.shut(try_in_seconds=pause)

    def _stop_exporter(self) -> None:
        """Interrupt the exporter's wait between two attempts, and close its connections."""
        try:
            if self._exporter is not None:
                self._exporter.shutdown()
        except (Exception, SystemExit) as error:
            self._notices.say("the exporter could not be shut down", error)

    def _start(self) -> threading.Thread:
        sender = threading.Thread(target=self._run, name="ragvigil-delivery", daemon=True)
        sender.start()
        return sender

    def _run(self) -> None:
        """Send until told to stop; a thread that is killed, as a greenlet can be, leaves its place to another."""
        otel_context.attach(otel_context.set_value("suppress_instrumentation", True))
        try:
            while not self._stopping:
                self._work(self._sleep())
        except BaseException as error:
            with self._lock:
                if self._sender is threading.current_thread():
                    self._sender, self._woken = None, False
            self._notices.say("the sending thread ended, the next span starts another", error)

    def _work(self, waiting: list[threading.Event]) -> None:
        """Send what there is, if it is time to or somebody waits for it."""
        try:
            self._losses.collect()
            if waiting or not self._shut or self._clock() >= self._next_try:
                self._send_all()
        finally:
            for done in waiting:
                done.set()

    def _sleep(self) -> list[threading.Event]:
        """Wait for the delay or for somebody to wake us; who waits for an answer."""
        waiting: list[threading.Event] = []
        try:
            wake = self._wake.get(timeout=self._delay)
            while True:
                if wake is not None:
                    waiting.append(wake)
                wake = self._wake.get_nowait()
        except Empty:
            return waiting

    def _send_all(self) -> None:
        """Send what is queued; while the gate is shut one span alone, and the rest when that got through."""
        self._woken = False
        while not self._stopping:
            batch, weight = self._queue.take(1 if self._shut else _queue.MAX_BATCH_SPANS)
            with self._lock:
                self._queue.bytes -= weight
            if not batch or not (self._delivered(batch) or not self._shut):
                return

    def _delivered(self, batch: list[Outgoing]) -> bool:
        """Whether this batch got through; the first span tells how many others never did."""
        since = self._failing_since = self._failing_since or self._clock()
        try:
            lost = self._losses.collect()
            if lost > self._losses.told:
                first = batch[0].written.marked(names.RAGVIGIL_DROPPED_SPANS, lost - self._losses.told)
                batch[0] = Outgoing(first, first.encoded())
            if self._exporter is None:
                self._exporter = self._make_exporter()
            if _export(self._exporter, batch) is SpanExportResult.SUCCESS:
                self._losses.told = lost
                self._failures, self._failing_since = 0, None
                if self._shut:
                    self._shut = False
                    self.gate.open()
                return True
            reason: BaseException | str = "the exporter says FAILURE"
        except BaseException as error:  # whatever it is, without this thread nothing would be sent any more
            reason = error
        self._losses.drop(len(batch), "spans were not delivered", reason)
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW or self._clock() - since >= STALLED_SECONDS:
            self._shut_gate()
        return False


def _export(exporter: SpanExporter, batch: list[Outgoing]) -> SpanExportResult:
    """Export through an exporter that takes what is encoded, or, as the SDK's do, spans."""
    if isinstance(exporter, TakesEncoded):
        return exporter.export_encoded(batch)
    return exporter.export([one.written.readable() for one in batch])


def _renew(reference: weakref.ref[Delivery]) -> None:
    if (delivery := reference()) is not None:
        delivery.after_fork()


def _start_sender(reference: weakref.ref[Delivery]) -> None:
    if (delivery := reference()) is not None:
        delivery.start()
