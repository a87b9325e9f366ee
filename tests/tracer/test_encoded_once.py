"""Spans are encoded once, whichever exporter is there, and one that cannot be costs only itself."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from typing import cast

import pytest
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http import trace_exporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import SpanContext
from tests.tracer.test_delivery import ask

from ragvigil.tracer import Tracing, configure, trace_rag
from ragvigil.tracer._exporter import Listener, QuietExporter
from ragvigil.tracer._queue import Outgoing
from ragvigil.tracer._writing import Written

from .conftest import Receiver


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
