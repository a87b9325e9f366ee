"""Traceloop's workflow and task decorators (OpenLLMetry)."""

from __future__ import annotations

import os
from importlib import import_module

from opentelemetry import trace
from opentelemetry.sdk.trace.export import SpanExporter
from tests.bench.tracer_cost.clock import Contestant
from tests.bench.tracer_cost.peers.request import Wrap, request_of


def peer(exporter: SpanExporter) -> Contestant:
    """The request with ``workflow`` and ``task``; no instrumentations, no telemetry of its own."""
    os.environ |= {"TRACELOOP_TELEMETRY": "false", "TRACELOOP_METRICS_ENABLED": "false"}
    import_module("traceloop.sdk").Traceloop.init(
        app_name="bench", exporter=exporter, instruments=set(), telemetry_enabled=False
    )
    decorators = import_module("traceloop.sdk.decorators")
    wraps: tuple[Wrap, Wrap, Wrap] = (
        decorators.workflow(name="ask"),
        decorators.task(name="search"),
        decorators.task(name="write"),
    )
    return request_of("traceloop", wraps, getattr(trace.get_tracer_provider(), "force_flush"))  # noqa: B009
