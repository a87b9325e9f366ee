"""What is lost under pressure is counted, and said where the scorer and the operator see it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragvigil.tracer import _queue as delivery
from ragvigil.tracer import configure, trace_generator, trace_rag

from .conftest import Receiver


@trace_rag
def ask(question: str) -> str:
    """A service."""
    return "so"


class Flaky(SpanExporter):
    """Fails until it is told to work, and keeps what it took."""

    def __init__(self) -> None:
        self.works = False
        self.batches: list[list[dict[str, object]]] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Take or refuse a batch."""
        if not self.works:
            return SpanExportResult.FAILURE
        self.batches.append([dict(span.attributes or {}) for span in spans])
        return SpanExportResult.SUCCESS


def test_lost_spans_are_said_once_on_the_next_that_gets_through(caplog: pytest.LogCaptureFixture) -> None:
    """The scorer's ledger learns how many it never saw."""
    flaky = Flaky()
    tracing = configure(service_name="tests", exporter=flaky)
    for _ in range(3):
        ask("why")
    assert tracing.flush()
    flaky.works = True
    ask("why")
    assert tracing.flush()
    ask("why")
    assert tracing.shutdown()
    first, second = flaky.batches
    assert first[0]["ragvigil.dropped_spans"] == 3
    assert "ragvigil.dropped_spans" not in second[0]
    assert tracing.dropped_spans == 3
    assert len(caplog.records) == 1


def test_lost_spans_are_a_metric_where_the_service_has_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the name and reason that an operator can alert on."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader], shutdown_on_exit=False)
    monkeypatch.setattr(metrics, "get_meter", provider.get_meter)
    tracing = configure(service_name="tests", exporter=Flaky())
    ask("why")
    assert tracing.flush()
    tracing.shutdown()
    data = reader.get_metrics_data()
    assert data is not None
    (metric,) = data.resource_metrics[0].scope_metrics[0].metrics
    (point,) = metric.data.data_points
    assert metric.name == "ragvigil.tracer.dropped_spans"
    assert dict(point.attributes or {}) == {"reason": "spans were not delivered"}
    assert point.value == 1  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue] - a counter's point
    provider.shutdown()


def test_a_failing_metric_costs_the_metric_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The sending thread goes on."""

    class Broken:
        def create_counter(self, name: str, unit: str, description: str) -> Broken:
            assert name == "ragvigil.tracer.dropped_spans"
            assert unit
            assert description
            return self

        def add(self, count: int, attributes: object) -> None:
            raise RuntimeError("no metrics")

    def broken(name: str) -> Broken:
        assert name == "ragvigil"
        return Broken()

    monkeypatch.setattr(metrics, "get_meter", broken)
    flaky = Flaky()
    tracing = configure(service_name="tests", exporter=flaky)
    ask("why")
    assert tracing.flush()
    flaky.works = True
    ask("why")
    assert tracing.shutdown()
    assert flaky.batches[0][0]["ragvigil.dropped_spans"] == 1
    assert "dropped spans are no metric: RuntimeError: no metrics" in caplog.text


@pytest.mark.parametrize("letter", ["水", "\0", '"'])
def test_requests_stay_below_the_limit_in_bytes_as_written(receiver: Receiver, letter: str) -> None:
    """One character can be three bytes in UTF-8 and six in JSON; a gRPC server takes 4 MiB at most."""
    tracing = configure(service_name="tests", endpoint=receiver.endpoint)

    @trace_generator
    def write(question: str) -> str:
        return letter * 100_000

    for _ in range(30):
        write("why")
    assert tracing.flush()
    tracing.shutdown()
    assert len(receiver.spans()) == 30
    assert max(request.ByteSize() for request in receiver.requests) <= delivery.MAX_BATCH_BYTES + 2**16


def test_a_span_that_cannot_be_written_is_still_sent_with_a_mark(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of ours must not cost the batch."""

    def broken(self: object) -> dict[str, object]:
        raise RuntimeError("ours")

    flaky = Flaky()
    flaky.works = True
    monkeypatch.setattr("ragvigil.tracer._writing.finished", broken)
    tracing = configure(service_name="tests", exporter=flaky)
    ask("why")
    assert tracing.shutdown()
    assert flaky.batches[0][0]["ragvigil.unreadable"] == ["span: RuntimeError"]
    assert "a span could not be written" in caplog.text
