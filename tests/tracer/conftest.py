"""A tracer that keeps its spans in memory, a real OTLP receiver on loopback, and a clean slate for each test."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypedDict, cast

import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler

from ragvigil.tracer import Tracing, configure
from ragvigil.tracer._gate import sdk
from ragvigil.tracer._notices import notices
from ragvigil.tracer._runtime import destination

SETTINGS = (
    "RAGVIGIL_DISABLED",
    "RAGVIGIL_THREADS",
    "OTEL_SDK_DISABLED",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_SERVICE_NAME",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
    "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT",
)


@pytest.fixture(autouse=True)
def _clean_slate(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No setting of the machine reaches a test, and nothing said in one test silences the next."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    notices.forget()
    yield
    if destination.use(None) is not None:  # `instrument` configured it, which carries threads
        configure(service_name="tests", exporter=InMemorySpanExporter()).shutdown()
    notices.forget()
    sdk.renew()


class SpanView(TypedDict):
    """One exported span, without ids and times."""

    name: str
    kind: str
    parent: str | None
    status: tuple[str, str | None]
    events: list[str]
    attributes: dict[str, object]


class Recording:
    """A configured tracer and the spans that it made."""

    def __init__(self, tracing: Tracing, exporter: InMemorySpanExporter) -> None:
        self.tracing = tracing
        self._exporter = exporter

    def spans(self) -> list[SpanView]:
        """All spans so far in the order they ended, whole, with parents by name and without ids and times."""
        assert self.tracing.flush()
        finished = self._exporter.get_finished_spans()
        by_id = {span.context.span_id: span.name for span in finished if span.context is not None}
        return [_plain(span, by_id) for span in finished]

    def raw(self) -> tuple[ReadableSpan, ...]:
        """All spans so far, as they were exported."""
        assert self.tracing.flush()
        return self._exporter.get_finished_spans()

    def span(self) -> SpanView:
        """The only span."""
        (only,) = self.spans()
        return only

    def attributes(self) -> dict[str, object]:
        """The attributes of the only span."""
        return self.span()["attributes"]

    def trace_ids(self) -> set[int]:
        """The traces that the spans belong to."""
        self.tracing.flush()
        return {span.context.trace_id for span in self._exporter.get_finished_spans() if span.context}


def _plain(span: ReadableSpan, by_id: dict[int, str]) -> SpanView:
    return {
        "name": span.name,
        "kind": span.kind.name,
        "parent": None if span.parent is None else by_id.get(span.parent.span_id, "outside"),
        "status": (span.status.status_code.name, span.status.description),
        "events": [event.name for event in span.events],
        "attributes": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in dict(span.attributes or {}).items()
        },
    }


@pytest.fixture
def record() -> Iterator[Callable[..., Recording]]:
    """Starts a tracer with the given options, and stops it after the test."""
    started: list[Tracing] = []

    def start(**options: Any) -> Recording:
        exporter = InMemorySpanExporter()
        tracing = configure(service_name="tests", exporter=exporter, **options)
        started.append(tracing)
        return Recording(tracing, exporter)

    yield start
    for tracing in started:
        tracing.shutdown()


@pytest.fixture
def recording(record: Callable[..., Recording]) -> Recording:
    """A tracer with its default options."""
    return record()


def documents(attributes: dict[str, object]) -> list[dict[str, object]]:
    """The documents of a retriever span, parsed strictly."""
    text = attributes["gen_ai.retrieval.documents"]
    assert isinstance(text, str)

    def refuse(constant: str) -> object:
        raise AssertionError(f"{constant} is not JSON")

    return cast("list[dict[str, object]]", json.loads(text, parse_constant=refuse))


class Receiver:
    """An OTLP/HTTP receiver that keeps what it was sent; ``status`` is what it answers."""

    def __init__(self) -> None:
        self.requests: list[ExportTraceServiceRequest] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.status = 200
        itself = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                itself.paths.append(self.path)
                itself.headers.append({name.lower(): value for name, value in self.headers.items()})
                if itself.status == 200:
                    itself.requests.append(ExportTraceServiceRequest.FromString(body))
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(itself.status)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                """Stay quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def spans(self) -> list[WireSpan]:
        """All spans received, in order."""
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A running receiver."""
    running = Receiver()
    yield running
    running.close()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., InMemorySpanExporter]]:
    """Gives the service a provider of its own."""
    providers: list[TracerProvider] = []

    def start(sampler: Sampler = ALWAYS_ON) -> InMemorySpanExporter:
        exporter = InMemorySpanExporter()
        provider = TracerProvider(sampler=sampler)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        providers.append(provider)
        monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
        monkeypatch.setattr(destination, "_borrowed", None)
        return exporter

    yield start
    for provider in providers:
        provider.shutdown()


@pytest.fixture
def dead_endpoint() -> Iterator[str]:
    """An address that refuses connections: bound, never listening."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture
def stop() -> Iterator[list[Tracing]]:
    """Tracings to shut down after the test."""
    started: list[Tracing] = []
    yield started
    for tracing in started:
        tracing.shutdown(timeout_seconds=0.2)
