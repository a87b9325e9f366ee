"""The exporters that services already have, against a running receiver."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter

Start = Callable[..., Awaitable[Any]]

EXPORTERS: dict[str, Callable[[Any], SpanExporter]] = {
    "http": lambda receiver: HttpExporter(endpoint=f"{receiver.url}/v1/traces"),
    "http gzip": lambda receiver: HttpExporter(
        endpoint=f"{receiver.url}/v1/traces", compression=Compression.Gzip
    ),
    "grpc": lambda receiver: GrpcExporter(endpoint=receiver.bound.grpc, insecure=True),
}


@pytest.mark.parametrize("name", EXPORTERS)
async def test_what_an_exporter_sends_is_in_the_inbox(start: Start, name: str) -> None:
    """One row an export, every span of the question with its attributes and resource."""
    receiver = await start()
    await asyncio.to_thread(ask, EXPORTERS[name](receiver))
    spans = {span.name: span for span in receiver.spans()}
    assert set(spans) == {"question", "retrieve", "generate"}
    assert spans["retrieve"].parent_span_id == spans["question"].span_id
    assert {one.key: one.value.string_value for one in spans["generate"].attributes} == {"answer": "100 °C"}
    assert len({row.trace_id for row in receiver.rows()}) == 1
    resource = TracesData.FromString(receiver.rows()[0].payload).resource_spans[0].resource
    assert "shop" in [one.value.string_value for one in resource.attributes]


def ask(exporter: SpanExporter) -> None:
    """A service that answers one question."""
    provider = TracerProvider(resource=Resource.create({"service.name": "shop"}), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("shop")
    with tracer.start_as_current_span("question"):
        with tracer.start_as_current_span("retrieve"):
            pass
        with tracer.start_as_current_span("generate") as span:
            span.set_attribute("answer", "100 °C")
    provider.shutdown()
