"""LangSmith's traceable decorator in its OpenTelemetry mode: no run goes to LangSmith's own service."""

from __future__ import annotations

import os
from importlib import import_module

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from tests.bench.tracer_cost.clock import Contestant
from tests.bench.tracer_cost.peers.request import Wrap, request_of


def peer(exporter: SpanExporter) -> Contestant:
    """The request with ``traceable``; its client turns runs into spans on a thread of its own."""
    os.environ |= {"LANGSMITH_TRACING": "true"}
    langsmith = import_module("langsmith")
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    client = langsmith.Client(
        api_url="http://127.0.0.1:9",
        api_key="bench",
        tracing_mode="otel",
        otel_tracer_provider=provider,
        info={},
    )

    def flush() -> None:
        client.flush()
        provider.force_flush()

    wraps: tuple[Wrap, Wrap, Wrap] = (
        langsmith.traceable(run_type="chain", client=client),
        langsmith.traceable(run_type="retriever", client=client),
        langsmith.traceable(run_type="llm", client=client),
    )
    return request_of("langsmith", wraps, flush)
