"""Langfuse's observe decorator, exporting where it is told."""

from __future__ import annotations

from importlib import import_module

from opentelemetry.sdk.trace.export import SpanExporter
from tests.bench.tracer_cost.clock import Contestant
from tests.bench.tracer_cost.peers.request import Wrap, request_of


def peer(exporter: SpanExporter) -> Contestant:
    """The request with ``observe``."""
    langfuse = import_module("langfuse")
    client = langfuse.Langfuse(
        public_key="pk-bench", secret_key="sk-bench", base_url="http://127.0.0.1:9", span_exporter=exporter
    )
    wraps: tuple[Wrap, Wrap, Wrap] = (
        langfuse.observe(as_type="chain"),
        langfuse.observe(as_type="retriever"),
        langfuse.observe(as_type="generation"),
    )
    return request_of("langfuse", wraps, client.flush)
