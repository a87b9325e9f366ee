"""OpenInference's tracer decorators."""

from __future__ import annotations

from importlib import import_module

from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from tests.bench.tracer_cost.clock import Contestant
from tests.bench.tracer_cost.peers.request import Wrap, request_of


def peer(exporter: SpanExporter) -> Contestant:
    """The request with ``tracer.chain``, ``retriever`` and ``llm``."""
    provider = import_module("openinference.instrumentation").TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("bench")
    wraps: tuple[Wrap, Wrap, Wrap] = (tracer.chain, tracer.retriever, tracer.llm)
    return request_of("openinference", wraps, provider.force_flush)
