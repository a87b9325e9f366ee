"""Decorators against spans by hand: the caller's time, and the whole process's with real export."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from tests.bench.tracer_cost.by_hand import by_hand
from tests.bench.tracer_cost.clock import Contestant, asynchronous, interleaved, row, synchronous
from tests.bench.tracer_cost.decorated import decorated
from tests.bench.tracer_cost.sinks import Sink, otlp_server

from ragvigil.tracer import configure


def call_cost() -> None:
    """Export drops; the caller's thread is what the service waits for."""
    theirs, ours = Sink(), Sink()
    tracing = configure(service_name="bench", exporter=ours)
    contestants = [by_hand(theirs), decorated(tracing)]
    _compare("dropped at export", contestants)
    row(
        "attribute bytes a request, by hand / ours",
        f"{theirs.per_request():.0f}",
        f"{ours.per_request():.0f}",
    )
    tracing.shutdown()


def export_cost() -> None:
    """OTLP over HTTP to a server in another process."""
    with otlp_server() as endpoint:
        tracing = configure(service_name="bench", endpoint=endpoint)
        hand = by_hand(OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces"))
        _compare("OTLP export", [hand, decorated(tracing)])
        row("  spans dropped", str(tracing.dropped_spans))
        tracing.shutdown()


def _compare(label: str, contestants: list[Contestant]) -> None:
    for name, way in (("sync", synchronous), ("async", asynchronous)):
        hand, ours = interleaved(contestants, way)
        for what, floor, cost in zip(
            ("CPU of the caller", "CPU of the process", "wall"), hand, ours, strict=True
        ):
            row(f"{name}, {label}: {what}", f"{cost:.1f} us", f"x {cost / floor:.2f} of {floor:.1f} by hand")
