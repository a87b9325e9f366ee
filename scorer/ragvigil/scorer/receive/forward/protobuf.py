"""What waits as JSON, in protobuf."""

from __future__ import annotations

from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, ResourceMetrics, ScopeMetrics

from ragvigil.scorer.receive import otlp_json
from ragvigil.scorer.receive.decode import LOGS, SPANS
from ragvigil.scorer.receive.forward.item import Item, Signal
from ragvigil.scorer.receive.limits import Limits

_LEVELS: dict[Signal, tuple[otlp_json.Level, otlp_json.Level, otlp_json.Level]] = {
    "traces": SPANS.levels,
    "logs": LOGS.levels,
    "metrics": (
        otlp_json.Level("resourceMetrics", ResourceMetrics.DESCRIPTOR),
        otlp_json.Level("scopeMetrics", ScopeMetrics.DESCRIPTOR),
        otlp_json.Level("metrics", Metric.DESCRIPTOR),
    ),
}


def as_protobuf(item: Item, limits: Limits) -> tuple[bytes, int]:
    """The decompressed request in protobuf, and how many of its items cannot be put into it. Raises Refusal."""
    return otlp_json.as_protobuf(
        item.body, _LEVELS[item.signal], max_values=limits.max_json_values, max_depth=limits.max_depth
    )
