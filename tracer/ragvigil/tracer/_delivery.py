"""Sends ended spans to the scorer from one background thread, bounded in memory and in time.

The SDK's own batch processor counts spans, not bytes, logs on its own account, and cannot be shut down within
a given time; a RAG span carries up to 256 kB, and the service must not wait for us.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import TypeAlias

from opentelemetry import context as otel_context
from opentelemetry import metrics
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragvigil.tracer import attributes as names
from ragvigil.tracer._findings import Findings
from ragvigil.tracer._notices import Notices
from ragvigil.tracer._writing import SPAN_OVERHEAD_BYTES, Queued, weight_of, with_attributes, written

MAX_QUEUED_SPANS = 4_096
MAX_QUEUED_BYTES = 64 * 2**20
MAX_BATCH_SPANS = 512
MAX_BATCH_BYTES = 2 * 2**20

TURN_SECONDS = 0.001
"""How long spans are written before the interpreter is offered to the service; its own turns last five times this."""

Wake: TypeAlias = threading.Event | None
"""What wakes the sender early: a full batch (None), or somebody who waits until all is sent (an event)."""


class Delivery(SpanProcessor):
    """Queues ended spans, writes and exports them in batches; full or closed, it drops and counts.

    A span whose findings are in ``pending`` gets its attributes here, on the sending thread.
    """

    def __init__(
        self, make_exporter: Callable[[], SpanExporter], *, notices: Notices, delay_seconds: float = 1.0
    ) -> None:
        self._make_exporter = make_exporter
        self._notices = notices
        self._delay = delay_seconds
        self._closed_at: int | None = None
        self.dropped = 0
        """Spans dropped because the queue was full, delivery failed, or the tracer was shut down."""
        self.pending: dict[int, Findings] = {}
        self._told = 0
        """Of the dropped spans, those that the scorer has heard of."""
        self._counter = metrics.get_meter(names.SCOPE_NAME).create_counter(
            "ragvigil.tracer.dropped_spans",
            unit="{span}",
            description="RAG spans that never reached the scorer",
        )
        self._exporter: SpanExporter | None = None
        self._sender: threading.Thread | None = None
        self._woken = False
        self.renew()
        self._exporter = make_exporter()
        if hasattr(os, "register_at_fork"):
            itself: weakref.ref[Delivery] = weakref.ref(self)
            os.register_at_fork(after_in_child=lambda: _renew(itself))

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
            weight = SPAN_OVERHEAD_BYTES + findings.weight() if findings else weight_of(span.attributes)
            with self._lock:
                closed_at = self._closed_at
                if closed_at is not None and (span.start_time or 0) > closed_at:
                    return  # on a provider of the service's own, which others deliver
                if closed_at is not None or not self._has_room(weight):
                    self._drop(1, "spans dropped", "closed" if closed_at else "the queue is full")
                    return
                self._spans.append(Queued(span, findings, weight))
                self._bytes += weight
                full = not self._woken and (
                    self._bytes >= MAX_BATCH_BYTES or len(self._spans) >= MAX_BATCH_SPANS
                )
                self._woken = self._woken or full
                if self._sender is None:
                    self._sender = self._start()
            if full:
                self._wake.put(None)
        except Exception as error:
            self._notices.say("a span could not be queued", error)

    def force_flush(self, timeout_millis: int | None = 30_000) -> bool:
        """Whether all that is queued was handed to the exporter within the time."""
        with self._lock:
            if self._sender is None or not self._sender.is_alive():
                return not self._spans
        done = threading.Event()
        self._wake.put(done)
        return done.wait(None if timeout_millis is None else timeout_millis / 1000)

    def shutdown(self) -> None:
        """Send what is queued, for at most three seconds."""
        self.close(timeout_seconds=3.0)

    def close(self, *, timeout_seconds: float) -> bool:
        """Stop taking spans, send what is queued for at most so long, and drop the rest; whether all was sent."""
        with self._lock:
            already = self._closed_at is not None
            self._closed_at = self._closed_at or time.time_ns()
        if already:
            return not self._spans
        deadline, lost = time.monotonic() + timeout_seconds, self.dropped
        handed = self.force_flush(int(timeout_seconds * 1000))
        self._stopping = True
        self._wake.put(None)
        self._stop_exporter()
        if self._sender is not None:
            self._sender.join(max(0.1, deadline - time.monotonic()))
        if left := len(self._spans):
            self._drop(left, "spans dropped", "the tracer was shut down before they were sent")
        return handed and self.dropped == lost

    def after_fork(self) -> None:
        """Start afresh in a forked child, where another thread may have held any lock of the parent's."""
        self._notices.forget()
        self.renew()

    def renew(self) -> None:
        """Fresh queue, lock, exporter and, with the first span, thread: at first, and in a forked child.

        The spans of before the fork are the parent's to send.
        """
        self._lock = threading.RLock()  # re-entrant: a finaliser may end a span while this thread holds it
        self._spans: deque[Queued] = deque()
        self._held: ReadableSpan | None = None
        self.pending.clear()
        self._bytes = 0
        self._wake: SimpleQueue[Wake] = SimpleQueue()
        self._woken = False
        self._stopping = False
        self._sender = None
        self._exporter = None

    def _stop_exporter(self) -> None:
        """Interrupt the exporter's wait between two attempts, and close its connections."""
        try:
            if self._exporter is not None:
                self._exporter.shutdown()
        except Exception as error:
            self._notices.say("the exporter could not be shut down", error)

    def _has_room(self, weight: int) -> bool:
        return len(self._spans) < MAX_QUEUED_SPANS and self._bytes + weight <= MAX_QUEUED_BYTES

    def _drop(self, count: int, cause: str, reason: BaseException | str) -> None:
        with self._lock:
            self.dropped += count
        self._notices.say(cause, reason)
        try:
            self._counter.add(count, {"reason": cause})
        except Exception as error:
            self._notices.say("dropped spans are no metric", error)

    def _start(self) -> threading.Thread:
        sender = threading.Thread(target=self._run, name="ragvigil-delivery", daemon=True)
        sender.start()
        return sender

    def _run(self) -> None:
        otel_context.attach(otel_context.set_value("suppress_instrumentation", True))
        while not self._stopping:
            waiting = self._sleep()
            self._send_all()
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
        self._woken = False
        while not self._stopping and (batch := self._take_batch()):
            lost = self.dropped
            if lost > self._told:
                batch[0] = with_attributes(batch[0], {names.RAGVIGIL_DROPPED_SPANS: lost - self._told})
            try:
                if self._exporter is None:
                    self._exporter = self._make_exporter()
                if self._exporter.export(batch) is not SpanExportResult.SUCCESS:
                    self._drop(len(batch), "spans were not delivered", "the exporter says FAILURE")
                else:
                    self._told = lost
            except (Exception, SystemExit) as error:
                self._drop(len(batch), "spans were not delivered", error)

    def _take_batch(self) -> list[ReadableSpan]:
        """The oldest spans that make one request; only the sending thread takes, so it needs no lock for that."""
        batch: list[ReadableSpan] = []
        taken = size = 0
        turn_began = time.perf_counter()
        while (self._held is not None or self._spans) and len(batch) < MAX_BATCH_SPANS:
            span = self._held
            if span is None:
                queued = self._spans.popleft()
                taken += queued.weight
                span = written(queued, self._notices)
            size += weight_of(span.attributes)
            self._held = span if batch and size > MAX_BATCH_BYTES else None
            if self._held is not None:
                break
            batch.append(span)
            turn_began = self._turn(turn_began)
        with self._lock:
            self._bytes -= taken
        return batch

    def _turn(self, began: float) -> float:
        """When the present turn began: a new one after each millisecond, unless the queue fills up.

        A service that waits for the network gives the interpreter away, and would get it back five milliseconds
        later while we write.
        """
        now = time.perf_counter()
        if now - began < TURN_SECONDS:
            return began
        if len(self._spans) < MAX_QUEUED_SPANS // 2 and self._bytes < MAX_QUEUED_BYTES // 2:
            time.sleep(0)
            return time.perf_counter()
        return now


def _renew(reference: weakref.ref[Delivery]) -> None:
    if (delivery := reference()) is not None:
        delivery.after_fork()
