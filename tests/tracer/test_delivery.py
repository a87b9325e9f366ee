"""Spans on their way to the scorer: over real HTTP, to a dead one, to a slow one, across a fork, at exit."""

from __future__ import annotations

import ast
import logging
import os
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http import trace_exporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanContext

from ragvigil.tracer import Tracing, attributes, configure, trace_generator, trace_rag, trace_retriever
from ragvigil.tracer import _queue as delivery
from ragvigil.tracer._exporter import Listener, QuietExporter
from ragvigil.tracer._notices import Notices, describe
from ragvigil.tracer._options import traces_endpoint
from ragvigil.tracer._queue import Outgoing
from ragvigil.tracer._writing import Written

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


@pytest.fixture
def stop() -> Iterator[list[Tracing]]:
    """Tracings to shut down after the test."""
    started: list[Tracing] = []
    yield started
    for tracing in started:
        tracing.shutdown(timeout_seconds=0.2)


@pytest.fixture
def dead_endpoint() -> Iterator[str]:
    """An address that refuses connections: bound, never listening."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


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
    assert lines[0].startswith(f"spans were not delivered: DeliveryError: {dead_endpoint}/v1/traces: ")
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
    assert tracing.dropped_spans == 10


@pytest.mark.parametrize("counts", ["", "true"])
def test_spans_are_encoded_once_or_by_the_sdk_where_that_counts_requests(
    receiver: Receiver, stop: list[Tracing], monkeypatch: pytest.MonkeyPatch, counts: str
) -> None:
    """What arrives is the same."""
    monkeypatch.setenv("OTEL_PYTHON_SDK_INTERNAL_METRICS_ENABLED", counts)
    exports: list[int] = []
    genuine = QuietExporter.export

    def export(itself: QuietExporter, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        exports.append(len(spans))
        return genuine(itself, spans)

    monkeypatch.setattr(QuietExporter, "export", export)
    tracing = configure(service_name="tests", endpoint=receiver.endpoint)
    stop.append(tracing)
    ask("why")
    assert tracing.flush()
    assert exports == ([2] if counts else [])
    search, root = receiver.spans()
    assert search.parent_span_id == root.span_id
    values = {entry.key: entry.value.string_value for entry in root.attributes}
    assert (values["input.value"], values["output.value"]) == ("why", "1 found")


class Earlier(SpanExporter):
    """Sends as the SDK's exporters before 1.45 do."""

    def __init__(self, **_options: object) -> None:
        self.requests: list[bytes] = []

    def _export(self, serialized_data: bytes, timeout_sec: float | None = None) -> bool:
        self.requests.append(serialized_data)
        return timeout_sec == 1.0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Encode and send."""
        data = encode_spans(spans).SerializePartialToString()
        return SpanExportResult.SUCCESS if self._export(data, 1.0) else SpanExportResult.FAILURE


def test_spans_are_encoded_once_for_earlier_exporters_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """These send the request in place of one with no spans; called with spans, they send these."""
    monkeypatch.setattr(trace_exporter, "OTLPSpanExporter", Earlier)
    exporter = QuietExporter(endpoint="http://unused", headers=None)
    span = ReadableSpan("a", resource=Resource({}))
    one = Outgoing(Written(span, {"own": "x"}, span.status), b"\x12\x03\x2a\x01a")
    sent = exporter.export_encoded([one])
    assert sent is SpanExportResult.SUCCESS
    inner = cast("Earlier", vars(exporter)["_inner"])
    (request,) = [ExportTraceServiceRequest.FromString(data) for data in inner.requests]
    assert [each.name for each in request.resource_spans[0].scope_spans[0].spans] == ["a"]
    inner.requests.clear()
    context = SpanContext(1, 2, is_remote=False)
    exporter.export([ReadableSpan("b", context=context, resource=Resource({}))])
    (request,) = [ExportTraceServiceRequest.FromString(data) for data in inner.requests]
    assert [each.name for each in request.resource_spans[0].scope_spans[0].spans] == ["b"]


def test_a_span_that_cannot_be_encoded_says_so_and_the_others_arrive_whole(
    receiver: Receiver, stop: list[Tracing], caplog: pytest.LogCaptureFixture
) -> None:
    """One whose name is none is lost and counted; one with an odd value on it keeps its place in the trace."""
    tracing = configure(service_name="tests", endpoint=receiver.endpoint)
    stop.append(tracing)

    class Odd(str):
        """A text that cannot be encoded."""

        __slots__ = ()

        def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
            """Fail."""
            raise OSError("no such text")

    @trace_rag
    def rename(name: str) -> None:
        cast("Span", trace.get_current_span()).update_name(name)

    @trace_rag
    def mark(question: str) -> None:
        trace.get_current_span().set_attribute("own", Odd("x"))

    rename(cast("str", 5))
    mark("why")
    ask("why")
    assert tracing.flush()
    assert [span.name for span in receiver.spans()] == [
        "invoke_workflow mark",
        "retrieval",
        "invoke_workflow ask",
    ]
    (unread,) = [
        entry.value for entry in receiver.spans()[0].attributes if entry.key == "ragvigil.unreadable"
    ]
    assert [one.string_value for one in unread.array_value.values] == ["span: OSError"]
    assert tracing.dropped_spans == 1
    assert len(caplog.records) == 2


def test_the_services_own_exporter_may_still_log(caplog: pytest.LogCaptureFixture) -> None:
    """Our ear is on our thread alone."""
    logger = logging.getLogger("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    listener = Listener()
    listener.listen()
    logger.addFilter(listener)
    elsewhere = threading.Thread(target=lambda: logger.error("the service's own trouble"))
    elsewhere.start()
    elsewhere.join()
    logger.error("ours")
    logger.removeFilter(listener)
    assert [record.getMessage() for record in caplog.records] == ["the service's own trouble"]
    assert listener.heard == "ours"


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
    assert [record.getMessage() for record in caplog.records] == ["spans dropped: the queue is full"]


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
        "tracing is off, configure() failed: "
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


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(program)],
        env={**{name: value for name, value in os.environ.items() if "OTEL" not in name}, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


SERVICE = """
    from ragvigil.tracer import configure, trace_rag
    configure(service_name="short-lived")

    @trace_rag
    def ask(question):
        return "so"

    ask("why")
"""


def test_what_is_queued_at_exit_is_sent(receiver: Receiver) -> None:
    """A short-lived process ends before the first batch is due."""
    done = run(SERVICE, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [span.name for span in receiver.spans()] == ["invoke_workflow ask"]


def test_exit_with_a_dead_scorer_is_bounded_and_says_one_line(dead_endpoint: str) -> None:
    """Python's last-resort log handler prints the one warning."""
    started = time.monotonic()
    done = run(SERVICE, OTEL_EXPORTER_OTLP_ENDPOINT=dead_endpoint)
    assert time.monotonic() - started < 15
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) <= 1, done.stderr


def test_a_forked_worker_sends_its_own_spans_once(receiver: Receiver) -> None:
    """Pre-fork servers configure in the parent; the parent's queued spans are the parent's to send."""
    done = run(
        """
        import os
        from ragvigil.tracer import configure, trace_rag
        tracing = configure(service_name="prefork")

        @trace_rag
        def ask(question):
            return question

        ask("parent")
        child = os.fork()
        ask("child" if child == 0 else "parent again")
        assert tracing.flush()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """,
        OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint,
        PYTHONWARNINGS="ignore::DeprecationWarning",
    )
    assert (done.returncode, done.stderr) == (0, "")
    questions = sorted(
        entry.value.string_value
        for span in receiver.spans()
        for entry in span.attributes
        if entry.key == "input.value"
    )
    assert questions == ["child", "parent", "parent again"]


def test_importing_the_tracer_imports_the_api_alone() -> None:
    """A service that only has the decorators pays for neither SDK nor exporter nor an HTTP client."""
    done = run(
        """
        import sys
        from opentelemetry import baggage, context, trace
        before = set(sys.modules)  # early versions of the API import asyncio
        import ragvigil.tracer
        heavy = ("opentelemetry.sdk", "opentelemetry.exporter", "requests", "urllib3", "google.protobuf",
                 "asyncio", "concurrent", "importlib.metadata", "ragvigil.scorer", "ragvigil.exporters",
                 "ragvigil.prompts")
        print([name for name in sys.modules if name.startswith(heavy) and name not in before])
        """
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_attribute_names_need_nothing() -> None:
    """The scorer reads the names without the tracer's cost."""
    tree = ast.parse(Path(attributes.__file__).read_text())
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [ast.unparse(node) for node in imports] == ["from __future__ import annotations"]


@pytest.mark.parametrize("name", ["RAGVIGIL_DISABLED", "OTEL_SDK_DISABLED"])
def test_switched_off_the_decorators_return_the_function_itself(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Free, and configure() starts nothing."""
    monkeypatch.setenv(name, "true")

    def plain(question: str) -> str:
        return question

    assert trace_rag(plain) is plain
    assert trace_rag(segment={"a": "b"})(plain) is plain
    assert configure(service_name="tests").provider is None


def test_a_cause_is_said_once_a_minute_with_a_count(caplog: pytest.LogCaptureFixture) -> None:
    """Time is given, not waited for."""
    now = [0.0]
    notices = Notices(clock=lambda: now[0])
    for _ in range(5):
        notices.say("spans dropped", "the queue is full")
    notices.say("another", ValueError("odd"))
    now[0] = 61.0
    notices.say("spans dropped", "the queue is full")
    assert [record.getMessage() for record in caplog.records] == [
        "spans dropped: the queue is full",
        "another: ValueError: odd",
        "spans dropped: the queue is full (4 more since the last such line)",
    ]


def test_errors_are_described_in_few_words() -> None:
    """An error's own words are cut."""
    assert len(describe(ValueError("x" * 1000))) == 300


def test_a_tracing_handle_counts_nothing_when_off() -> None:
    """The handle of a tracer that could not start is harmless."""
    assert Tracing().dropped_spans == 0
