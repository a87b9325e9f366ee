"""A snapshot of metrics as one OTLP request: gauges, monotonic sums, histograms with exemplars."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AggregationTemporality,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
)

from ragvigil.scorer.metrics import DEFINITIONS, Histogram, Measures

if TYPE_CHECKING:
    from opentelemetry.proto.common.v1.common_pb2 import KeyValue

_UNITS = {"ratio": "1", "seconds": "s", "bytes": "By", "usd": "{USD}"}


def request_of(measures: Measures, *, version: str, began_at: int) -> bytes:
    """The serialised request; the names are those of /metrics. `began_at`: start of the sums, Unix nanoseconds."""
    request = ExportMetricsServiceRequest()
    resource = request.resource_metrics.add()
    _label(resource.resource.attributes, {"service.name": "ragvigil", "service.version": version})
    _label(resource.resource.attributes, {"process.runtime.version": platform.python_version()})
    scope = resource.scope_metrics.add()
    scope.scope.name, scope.scope.version = "ragvigil", version
    made: dict[str, Metric] = {}
    for (name, labels), value in measures.samples.items():
        metric = made.get(name)
        if metric is None:
            metric = made[name] = _metric(scope.metrics.add(), name)
        counter = DEFINITIONS[name].kind == "counter"
        point = (metric.sum if counter else metric.gauge).data_points.add()
        _stamp(point, name, labels, measures.at, began_at if counter else None)
        point.as_double = value
    for histogram in measures.histograms:
        metric = made.get(histogram.name)
        if metric is None:
            metric = made[histogram.name] = _metric(scope.metrics.add(), histogram.name)
        _fill(metric.histogram.data_points.add(), histogram, measures.at, began_at)
    return request.SerializeToString()


def _metric(metric: Metric, name: str) -> Metric:
    definition = DEFINITIONS[name]
    metric.name, metric.description = name, definition.help
    metric.unit = _UNITS.get(name.removesuffix("_total").rpartition("_")[2], "")
    if definition.kind == "counter":
        metric.sum.is_monotonic = True
        metric.sum.aggregation_temporality = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
    elif definition.kind == "histogram":
        metric.histogram.aggregation_temporality = AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE
    return metric


def _stamp(
    point: NumberDataPoint | HistogramDataPoint,
    name: str,
    labels: Iterable[str],
    at: int,
    began_at: int | None,
) -> None:
    point.time_unix_nano = at
    if began_at is not None:
        point.start_time_unix_nano = began_at
    told = dict(zip(DEFINITIONS[name].labels, labels, strict=True))
    _label(point.attributes, {label: value for label, value in told.items() if value})


def _fill(point: HistogramDataPoint, histogram: Histogram, at: int, began_at: int) -> None:
    _stamp(point, histogram.name, histogram.labels, at, began_at)
    below = 0
    for edge, count, seen in histogram.buckets:
        if edge != float("inf"):
            point.explicit_bounds.append(edge)
        point.bucket_counts.append(count - below)
        below = count
        if seen is not None:
            exemplar = point.exemplars.add(time_unix_nano=seen.at, as_double=seen.value)
            exemplar.trace_id, exemplar.span_id = bytes.fromhex(seen.trace_id), bytes.fromhex(seen.span_id)
    point.count, point.sum = below, histogram.total


def _label(attributes: Any, values: Mapping[str, str]) -> None:
    for name, value in values.items():
        pair: KeyValue = attributes.add(key=name)
        pair.value.string_value = value
