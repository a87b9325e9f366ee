"""While nothing would arrive, calls are counted instead of traced, and it is found out when that is over."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, Tracer
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragvigil.tracer import Tracing, configure, current_trace_id, trace_rag, trace_retriever
from ragvigil.tracer import _delivery as delivery
from ragvigil.tracer import _gate as gates
from ragvigil.tracer import _queue as queue
from ragvigil.tracer._gate import Breaker, Gate
from ragvigil.tracer._runtime import destination


@trace_retriever
def search(query: str) -> list[str]:
    """A retriever."""
    return ["Water boils."]


@trace_rag
def ask(question: str) -> str | None:
    """A service; its answer tells whether it was traced."""
    search(question)
    return current_trace_id()


class Switched(SpanExporter):
    """Fails until it is switched on, and keeps what it took."""

    def __init__(self) -> None:
        self.works = False
        self.attempts: list[int] = []
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Take or refuse a batch."""
        self.attempts.append(len(spans))
        if self.works:
            self.spans += spans
        return SpanExportResult.SUCCESS if self.works else SpanExportResult.FAILURE

    def told(self) -> int:
        """How many lost spans the delivered ones speak of."""
        said = [(span.attributes or {}).get("ragvigil.dropped_spans", 0) for span in self.spans]
        return sum(count for count in said if isinstance(count, int))


def fail_three_times(tracing: Tracing) -> None:
    """Let three batches of one request fail."""
    for _ in range(3):
        assert ask("why") is not None
        assert tracing.flush()


def test_a_dead_scorer_makes_calls_cheap_and_each_is_counted() -> None:
    """After three failures in a row no span is made; what is missing is known to the span."""
    exporter = Switched()
    tracing = configure(service_name="tests", exporter=exporter)
    fail_three_times(tracing)
    assert [ask("why") for _ in range(50)] == [None] * 50
    assert tracing.dropped_spans == 2 * 53
    assert len(exporter.attempts) == 3
    tracing.shutdown()
    assert tracing.dropped_spans == 2 * 53


def test_when_the_scorer_is_back_requests_are_recorded_again_and_the_loss_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One request tries; with its arrival the gate opens, and every call is either delivered or told."""
    monkeypatch.setattr(gates, "FIRST_PAUSE_SECONDS", 1e6)
    exporter = Switched()
    tracing = configure(service_name="tests", exporter=exporter)
    fail_three_times(tracing)
    chosen = destination.current()
    assert chosen is not None
    assert chosen.gate is not None
    chosen.gate.shut(try_in_seconds=0.0)
    assert ask("tries") is not None
    assert ask("waits for the outcome") is None
    assert not tracing.flush(), "one span still waits"
    assert exporter.attempts[3:] == [1], "one span tries, the other waits"
    exporter.works = True
    assert tracing.flush()
    assert ask("why") is not None
    assert tracing.shutdown()
    assert exporter.told() == tracing.dropped_spans == 6 + 2 + 1
    assert len(exporter.spans) + exporter.told() == 2 * 6


def test_calls_not_recorded_are_a_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a reason of their own."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)
    tracing = configure(service_name="tests", exporter=Switched())
    fail_three_times(tracing)
    for _ in range(5):
        ask("why")
    tracing.shutdown()
    data = reader.get_metrics_data()
    assert data is not None
    points = data.resource_metrics[0].scope_metrics[0].metrics[0].data.data_points
    counted = {dict(point.attributes or {})["reason"]: point.value for point in points}  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue] - a counter's points
    assert counted == {"spans were not delivered": 6, "calls not recorded": 10}
    provider.shutdown()


def test_a_hanging_scorer_makes_calls_cheap_once_the_queue_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The export under way has not come back, and there is room for nothing."""
    monkeypatch.setattr(queue, "MAX_QUEUED_SPANS", 4)
    monkeypatch.setattr(delivery, "STALLED_SECONDS", 0.0)
    entered, go = threading.Event(), threading.Event()

    class Stuck(Switched):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            entered.set()
            go.wait(30)
            return super().export(spans)

    exporter = Stuck()
    exporter.works = True
    tracing = configure(service_name="tests", exporter=exporter)
    ask("why")
    asked = 1
    tracing.flush(timeout_seconds=0.0)
    assert entered.wait(10)
    while ask("why") is not None:
        asked += 1
        assert asked < 20
    go.set()
    assert tracing.flush()
    assert tracing.shutdown()
    assert len(exporter.spans) + tracing.dropped_spans == 2 * (asked + 1)


def test_a_request_is_recorded_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that had begun goes on; the rest of one that was passed by is not taken for a request of its own."""
    monkeypatch.setattr(gates, "FIRST_PAUSE_SECONDS", 1e6)
    exporter = Switched()
    tracing = configure(service_name="tests", exporter=exporter)

    @trace_rag
    def slow(question: str, during: str) -> None:
        if during == "shutting":
            fail_three_times(tracing)
        else:
            exporter.works = True
            assert tracing.flush()
        search(question)

    slow("why", "shutting")
    assert ask("why") is None
    slow("why", "opening")
    assert ask("why") is not None
    assert tracing.shutdown()
    names = [span.name for span in exporter.spans]
    assert names == ["retrieval", "invoke_workflow slow", "retrieval", "invoke_workflow ask"]
    assert exporter.told() == tracing.dropped_spans == 6 + 2 + 2


def test_an_sdk_that_raises_is_left_alone_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Three failures, then nothing but counting, then one try."""
    monkeypatch.setattr(gates, "FIRST_PAUSE_SECONDS", 1e6)
    calls = 0
    genuine = Tracer.start_span

    def broken(*_arguments: object, **_keywords: object) -> None:
        nonlocal calls
        calls += 1
        raise RuntimeError("broken")

    exporter = Switched()
    exporter.works = True
    tracing = configure(service_name="tests", exporter=exporter)
    monkeypatch.setattr(Tracer, "start_span", broken)
    assert [ask("why") for _ in range(20)] == [None] * 20
    assert calls == 3
    assert tracing.dropped_spans == 40
    monkeypatch.setattr(Tracer, "start_span", genuine)
    assert ask("why") is None
    gates.sdk.gate.shut(try_in_seconds=0.0)
    assert ask("why") is not None
    assert ask("why") is not None
    assert tracing.shutdown()
    assert len(exporter.spans) == 4
    assert exporter.told() == tracing.dropped_spans == 42
    assert [record.getMessage() for record in caplog.records] == [
        "ragvigil: a call could not be traced: RuntimeError: broken"
    ]


def test_a_span_that_cannot_be_ended_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was to be written on it is dropped with it."""
    from opentelemetry.sdk.trace import Span

    def broken(self: object, end_time: int | None = None) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Span, "end", broken)
    tracing = configure(service_name="tests", exporter=Switched())
    for _ in range(9):
        ask("why")
    assert tracing.dropped_spans == 18
    assert gates.sdk.failures == 4, "a request that has begun is ended, whatever comes of it"
    tracing.shutdown()


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """The present moment."""
        return self.now


def test_a_shut_gate_lets_one_request_try_at_a_time() -> None:
    """After the pause, and again half a minute later when nobody has said how it went."""
    clock = Clock()
    gate = Gate(clock=clock)
    gate.shut(try_in_seconds=2.0)
    assert not gate.admits(root=True)
    clock.now += 2.0
    assert [gate.admits(root=True) for _ in range(3)] == [True, False, False]
    clock.now += 30.0
    assert [gate.admits(root=True) for _ in range(3)] == [True, False, False]
    assert gate.passed_by == 5
    assert (gate.take(), gate.take()) == (5, 0)


def test_where_requests_have_roots_only_a_root_tries() -> None:
    """A retriever without a request around it may be part of one that was passed by; without roots it is all."""
    for first, admitted in ((True, False), (False, True)):
        clock = Clock()
        gate = Gate(clock=clock)
        gate.shut(try_in_seconds=2.0)
        gate.admits(root=first)
        clock.now += 2.0
        assert gate.admits(root=False) is admitted


def test_an_opened_gate_takes_parts_alone_only_when_earlier_requests_must_be_over() -> None:
    """Then it is as if nothing had been."""
    clock = Clock()
    gate = Gate(clock=clock)
    gate.shut(try_in_seconds=2.0)
    gate.admits(root=True)
    gate.open()
    assert [gate.admits(root=root) for root in (True, False)] == [True, False]
    assert not gate.passing
    clock.now += gates.SETTLING_SECONDS + 1
    assert gate.admits(root=False)
    assert gate.passing


def test_a_breaker_waits_longer_each_time() -> None:
    """One try after a second, then two, four: never one per call."""
    clock = Clock()
    breaker = Breaker(Gate(clock=clock))
    tries = 0
    for _ in range(10_000):
        clock.now += 0.01
        if breaker.gate.passing or breaker.gate.admits(root=True):
            tries += 1
            breaker.failed()
    assert tries == 3 + 7  # after 1, 3, 7, 15 and 31 seconds, then each half minute
    assert breaker.gate.passed_by == 10_000
