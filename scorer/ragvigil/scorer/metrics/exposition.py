"""A snapshot as Prometheus reads it: OpenMetrics with exemplars, or the older text, as the scraper asks.

The library is loaded with the first scrape, for the receive process stays small without one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ragvigil.scorer.metrics.measures import Exemplar, Histogram, Measures
from ragvigil.scorer.metrics.names import DEFINITIONS, Definition

if TYPE_CHECKING:
    from prometheus_client.metrics_core import Metric

INSTALL = "prometheus-client is not installed; run: pip install 'ragvigil[scorer]'"


class _Told:
    """What the library asks for its metrics."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics


def exposition(measures: Measures, accept: str) -> tuple[bytes, str]:
    """The body of an answer to a scrape, and its Content-Type. Raises ImportError without prometheus-client."""
    try:
        from prometheus_client.exposition import choose_encoder
    except ImportError:
        raise ImportError(INSTALL) from None
    encode, content_type = choose_encoder(accept)
    return encode(_Told(list(_families(measures)))), content_type


def _families(measures: Measures) -> Iterator[Metric]:
    values: dict[str, list[tuple[tuple[str, ...], float]]] = {}
    for (name, labels), value in measures.samples.items():
        values.setdefault(name, []).append((labels, value))
    for name, definition in DEFINITIONS.items():
        if definition.kind == "histogram":
            found = [one for one in measures.histograms if one.name == name]
            if found:
                yield _histogram(definition, found)
        elif name in values:
            yield _plain(definition, values[name])


def _plain(definition: Definition, values: Iterable[tuple[tuple[str, ...], float]]) -> Metric:
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

    family = (
        CounterMetricFamily(definition.name, definition.help, labels=definition.labels)
        if definition.kind == "counter"
        else GaugeMetricFamily(definition.name, definition.help, labels=definition.labels)
    )
    for labels, value in values:
        family.add_metric(labels, value)
    return family


def _histogram(definition: Definition, found: Iterable[Histogram]) -> Metric:
    from prometheus_client.metrics_core import HistogramMetricFamily
    from prometheus_client.samples import Exemplar as Told

    def told(exemplar: Exemplar) -> Told:
        at = round(exemplar.at / 1e9, 3)
        return Told({"trace_id": exemplar.trace_id, "span_id": exemplar.span_id}, exemplar.value, at)

    family = HistogramMetricFamily(definition.name, definition.help, labels=definition.labels)
    for one in found:
        buckets = [
            (_edge(edge), count) if seen is None else (_edge(edge), count, told(seen))
            for edge, count, seen in one.buckets
        ]
        family.add_metric(one.labels, buckets, one.total)
    return family


def _edge(edge: float) -> str:
    return "+Inf" if math.isinf(edge) else repr(edge)
