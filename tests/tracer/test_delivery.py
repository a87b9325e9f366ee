"""Spans on their way to the scorer: over real HTTP, to a dead one, to a slow one, across a fork, at exit."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Sequence

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragvigil.tracer import Tracing, configure, trace_generator, trace_rag, trace_retriever
from ragvigil.tracer import _queue as delivery
from ragvigil.tracer._options import traces_endpoint

from .conftest import Receiver, Recording


@trace_retriever
def search(query: str) -> list[tuple[str, str]]:
    """A retriever."""
    return [("p1", "Water boils at 100 °C.")]


@trace_rag
def ask(question: str) -> str:
    """A service."""
    if question == "fail":
        raise LookupError(question)
    return f"{len(search(question))} found"


def test_spans_arrive_over_http_with_resource_and_scope(receiver: Receiver, stop: list[Tracing]) -> None:
    """Real OTLP bytes at a real server."""
    tracing = configure(
        service_name="shop-assistant",
        service_version="1.4.0",
        environment="staging",
        endpoint=receiver.endpoint,
        headers={"Authorization": "Bearer t"},
    )
    stop.append(tracing)
    assert ask("why") == "1 found"
    assert tracing.flush()
    assert [span.name for span in receiver.spans()] == ["retrieval", "invoke_workflow ask"]
    (resource,) = receiver.requests[0].resource_spans
    told = {entry.key: entry.value.string_value for entry in resource.resource.attributes}
    assert told["service.name"] == "shop-assistant"
    assert told["service.version"] == "1.4.0"
    assert told["deployment.environment.name"] == "staging"
    assert resource.scope_spans[0].scope.name == "ragvigil"
    assert receiver.paths == ["/v1/traces"]
    assert receiver.headers[0]["authorization"] == "Bearer t"


def test_the_standard_variables_fill_what_is_not_given(
    receiver: Receiver, stop: list[Tracing], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A platform team configures services without touching code."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=search")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "from-environment")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=production")
    tracing = configure()
    stop.append(tracing)
    ask("why")
    assert tracing.flush()
    told = {e.key: e.value.string_value for e in receiver.requests[0].resource_spans[0].resource.attributes}
    assert told["service.name"] == "from-environment"
    assert told["deployment.environment.name"] == "production"
    assert receiver.headers[0]["x-team"] == "search"


def test_the_traces_variable_is_taken_whole_and_the_argument_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the OTLP exporter specification says."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://base:4318")
    assert traces_endpoint(None) == "http://base:4318/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://whole/path")
    assert traces_endpoint(None) == "http://whole/path"
    assert traces_endpoint("http://given:1/v1/traces") == "http://given:1/v1/traces"


def test_a_dead_scorer_changes_no_result_and_is_one_log_line(
    dead_endpoint: str, stop: list[Tracing], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results and errors are the same, the log has one line, and shutting down is bounded."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2")
    tracing = configure(service_name="tests", endpoint=dead_endpoint)
    stop.append(tracing)
    with caplog.at_level(logging.DEBUG):
        for _ in range(2):
            assert [ask("why") for _ in range(200)] == ["1 found"] * 200
            with pytest.raises(LookupError):
                ask("fail")
            assert tracing.flush(timeout_seconds=30)
        ask("why")
        started = time.monotonic()
        assert tracing.shutdown(timeout_seconds=0.5) is False
        assert time.monotonic() - started < 5
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) <= 2, lines
    assert lines[0].startswith(
        f"ragvigil: spans were not delivered: DeliveryError: {dead_endpoint}/v1/traces: "
    )
    assert "refused" in lines[0]
    assert tracing.dropped_spans >= 2 * 401


def test_the_port_for_grpc_is_named_with_the_one_to_take(
    stop: list[Tracing], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answer is a frame of HTTP/2: the log showed that, and no way out."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2")
    settings_frame = bytes(6) + b"\x04" + bytes(4)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        threading.Thread(target=_answering, args=(server, settings_frame), daemon=True).start()
        tracing = configure(service_name="tests", endpoint=f"http://127.0.0.1:{server.getsockname()[1]}")
        stop.append(tracing)
        assert ask("why") == "1 found"
        assert tracing.flush(timeout_seconds=30)
    (line,) = [one.getMessage() for one in caplog.records if "not delivered" in one.getMessage()]
    assert "name the port for OTLP over HTTP" in line
    assert line.isprintable()


def _answering(server: socket.socket, answer: bytes) -> None:
    """Whoever connects gets that and no more."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.sendall(answer)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):
                pass


@pytest.mark.parametrize("status", [400, 401, 404, 413])
def test_a_refusing_scorer_is_one_log_line_that_names_its_answer(
    receiver: Receiver, stop: list[Tracing], caplog: pytest.LogCaptureFixture, status: int
) -> None:
    """Not retried, counted, said once."""
    receiver.status = status
    tracing = configure(service_name="tests", endpoint=receiver.endpoint)
    stop.append(tracing)
    for _ in range(5):
        ask("why")
        assert tracing.flush()
    (line,) = [record.getMessage() for record in caplog.records]
    assert str(status) in line
    assert line.startswith("ragvigil: ")
    assert ("wants its receive.token: configure(headers=" in line) is (status == 401)
    assert tracing.dropped_spans == 10


class Stuck(SpanExporter):
    """An exporter that hangs until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.go = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Hang."""
        self.entered.set()
        self.go.wait(30)
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Do not even let go."""


def test_a_hanging_scorer_fills_a_bounded_queue_and_blocks_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What does not fit is dropped, counted, and said once."""
    monkeypatch.setattr(delivery, "MAX_QUEUED_SPANS", 10)
    monkeypatch.setattr(delivery, "MAX_BATCH_SPANS", 4)
    stuck = Stuck()
    tracing = configure(service_name="tests", exporter=stuck)
    for _ in range(4):
        ask("why")
    assert stuck.entered.wait(10)
    for _ in range(20):
        assert ask("why") == "1 found"
    assert tracing.dropped_spans == 48 - 4 - 10
    started = time.monotonic()
    assert tracing.shutdown(timeout_seconds=0.3) is False
    assert time.monotonic() - started < 5
    stuck.go.set()
    assert [record.getMessage() for record in caplog.records] == [
        "ragvigil: spans dropped: the queue is full"
    ]


class Batches(SpanExporter):
    """Keeps the sizes of its batches."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Note a size."""
        self.sizes.append(len(spans))
        return SpanExportResult.SUCCESS


def test_batches_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty passages of 2 kB times 512 spans would exceed the 4 MiB that a gRPC server takes."""
    monkeypatch.setattr(delivery, "MAX_BATCH_BYTES", 100_000)
    batches = Batches()
    tracing = configure(service_name="tests", exporter=batches)

    @trace_generator
    def write(question: str) -> str:
        return "x" * 30_000

    for _ in range(9):
        write("why")
    assert tracing.shutdown()
    assert sum(batches.sizes) == 9
    assert max(batches.sizes) <= 3


def test_configuring_twice_alike_is_once_and_differently_replaces(
    receiver: Receiver, stop: list[Tracing]
) -> None:
    """Module reloads must not stack exporters; new settings take over after the earlier spans are sent."""
    first = configure(service_name="a", endpoint=receiver.endpoint)
    assert configure(service_name="a", endpoint=receiver.endpoint) is first
    ask("why")
    second = configure(service_name="b", endpoint=receiver.endpoint)
    stop.append(second)
    assert second is not first
    ask("why")
    assert second.flush()
    deadline = time.monotonic() + 20
    while len(receiver.requests) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)  # a thread of its own sends what the first has
    services = {
        entry.value.string_value
        for request in receiver.requests
        for resource in request.resource_spans
        for entry in resource.resource.attributes
        if entry.key == "service.name"
    }
    assert services == {"a", "b"}
    assert first.shutdown()


def test_an_unusable_endpoint_turns_tracing_off_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    """A typo in a setting must not stop a service from starting."""
    tracing = configure(service_name="tests", endpoint="scorer:4318")
    assert tracing.provider is None
    assert ask("why") == "1 found"
    assert tracing.flush()
    assert tracing.shutdown()
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == (
        "ragvigil: tracing is off, configure() failed: "
        "ValueError: endpoint 'scorer:4318' must start with http:// or https://"
    )


def test_beside_a_service_that_traces_elsewhere_both_trees_stay_whole(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service's spans never get a parent that its backend has not, nor our sampling decision."""
    theirs = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(theirs))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    tracer = provider.get_tracer("service")

    @trace_retriever
    def find(query: str) -> list[str]:
        with tracer.start_as_current_span("SELECT"):
            return []

    @trace_rag
    def answer(question: str) -> str:
        with tracer.start_as_current_span("lookup"):
            find(question)
        return "so"

    with tracer.start_as_current_span("POST /ask"):
        answer("why")
    parents = {span["name"]: span["parent"] for span in recording.spans()}
    assert parents == {"retrieval": "invoke_workflow answer", "invoke_workflow answer": "outside"}
    by_id = {span.context.span_id: span.name for span in theirs.get_finished_spans() if span.context}
    tree = {
        span.name: by_id.get(span.parent.span_id) if span.parent else None
        for span in theirs.get_finished_spans()
    }
    assert tree == {"SELECT": "lookup", "lookup": "POST /ask", "POST /ask": None}
    assert recording.trace_ids() == {
        span.context.trace_id for span in theirs.get_finished_spans() if span.context
    }
    provider.shutdown()
