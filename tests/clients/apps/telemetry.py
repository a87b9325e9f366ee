"""The OpenTelemetry set-up of a service: where to is in the environment, as OpenTelemetry names it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter


def provider() -> TracerProvider:
    """The global tracer provider, sending over the protocol that `OTEL_EXPORTER_OTLP_PROTOCOL` names."""
    made = TracerProvider(resource=Resource.create({"service.version": "3"}))
    made.add_span_processor(BatchSpanProcessor(_exporter()))
    trace.set_tracer_provider(made)
    return made


def _exporter() -> SpanExporter:
    if os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter

        return GrpcExporter()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter

    return HttpExporter()


def run(cases: Mapping[str, Callable[[], object]]) -> None:
    """Run the case that the command line names; an error that the case is about was caught by it."""
    cases[sys.argv[1]]()
    flush = getattr(trace.get_tracer_provider(), "force_flush", None)
    if flush is not None:
        flush()
