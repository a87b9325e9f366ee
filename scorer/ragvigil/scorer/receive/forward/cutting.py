"""What an erasure request takes out of requests that wait to be forwarded."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, MutableSequence
from dataclasses import replace
from functools import partial
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, MetricsData
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from ragvigil.scorer.forgetting import tombstone
from ragvigil.scorer.receive.compression import decompressed
from ragvigil.scorer.receive.forward.erasing import Unwanted
from ragvigil.scorer.receive.forward.item import Item, Signal
from ragvigil.scorer.receive.forward.protobuf import as_protobuf
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.scorer.redact.persons import named_by_record, named_by_span, named_in
from ragvigil.scorer.redact.pseudonyms import Pseudonyms

_SHAPES: dict[Signal, tuple[Any, str, str, str]] = {
    "traces": (TracesData, "resource_spans", "scope_spans", "spans"),
    "logs": (LogsData, "resource_logs", "scope_logs", "log_records"),
    "metrics": (MetricsData, "resource_metrics", "scope_metrics", "metrics"),
}
_LEVEL = 1
"""Of gzip, for what came so."""


class Cut:
    """Takes the unwanted out of one item after the other: first `learn` all of them, then `cut` each."""

    def __init__(self, unwanted: Unwanted, limits: Limits) -> None:
        self._names = frozenset(unwanted.names)
        self._pseudonyms = Pseudonyms(unwanted.key) if unwanted.key else None
        self._tombstones = frozenset(map(bytes.fromhex, unwanted.tombstones))
        self._limits = limits
        self._traces = set[bytes]()

    def learn(self, item: Item) -> None:
        """Note the traces of the person: they go whole, whichever of their requests names the person."""
        if item.signal != "traces":
            return
        read = self._message(item)
        if read is None:
            return
        data, _ = read
        for entry in data.resource_spans:
            all_of_it = self._names_one(named_in(entry.resource.attributes))
            for scope in entry.scope_spans:
                self._traces |= {
                    span.trace_id for span in scope.spans if all_of_it or self._names_one(named_by_span(span))
                }

    def cut(self, item: Item) -> Item | None:
        """The item without what is unwanted: itself where nothing was, None where nothing is left.

        What cannot be read is not left either: nobody can tell whose it is.
        """
        read = self._message(item)
        if read is None:
            return None
        _, entries, scopes, items = _SHAPES[item.signal]
        data, lost = read
        for entry in getattr(data, entries):
            if self._names_one(named_in(entry.resource.attributes)):
                entry.Clear()
                lost = True
            for scope in getattr(entry, scopes):
                lost = self._thin(getattr(scope, items)) or lost
        if not lost:
            return item
        _drop(getattr(data, entries), partial(_held, scopes=scopes, items=items))
        body = data.SerializeToString()
        if not body:
            return None
        packed = gzip.compress(body, _LEVEL) if item.gzipped else body
        return replace(item, body=packed, encoding="protobuf")

    def _thin(self, items: MutableSequence[Any]) -> bool:
        """Whether anything went."""
        points = [self._thin_points(item) for item in items if isinstance(item, Metric)]
        return _drop(items, self._stays) or any(points)

    def _stays(self, item: Span | LogRecord | Metric) -> bool:
        if isinstance(item, Metric):
            return item.WhichOneof("data") is None or bool(_points(item))
        named = named_by_span(item) if isinstance(item, Span) else named_by_record(item)
        return not (self._gone(item.trace_id) or self._names_one(named))

    def _thin_points(self, metric: Metric) -> bool:
        points = _points(metric)
        lost = _drop(points, self._keeps_point)
        for point in points:
            examples = getattr(point, "exemplars", None)  # a summary has none
            if examples:
                lost = _drop(examples, self._keeps_example) or lost
        return lost

    def _keeps_point(self, point: Any) -> bool:
        return not self._names_one(named_in(point.attributes))

    def _keeps_example(self, example: Any) -> bool:
        attributes: Iterable[KeyValue] = example.filtered_attributes
        return not (self._gone(example.trace_id) or self._names_one(named_in(attributes)))

    def _gone(self, trace_id: bytes) -> bool:
        return bool(trace_id) and (trace_id in self._traces or tombstone(trace_id.hex()) in self._tombstones)

    def _names_one(self, names: Iterable[str]) -> bool:
        if not self._names:
            return False
        hashed = self._pseudonyms
        return any(name in self._names or (hashed and hashed.of(name) in self._names) for name in names)

    def _message(self, item: Item) -> tuple[Any, bool] | None:
        """The request, and whether some of it cannot be read; None where nothing can."""
        try:
            plain = item
            if item.gzipped:
                body = decompressed(item.body, "zlib", limit=self._limits.max_body_bytes, grow=lambda _: None)
                plain = replace(item, body=body, gzipped=False)
            body, unreadable = (
                as_protobuf(plain, self._limits) if item.encoding == "json" else (plain.body, 0)
            )
            return _SHAPES[item.signal][0].FromString(body), bool(unreadable)
        except (Refusal, DecodeError):
            return None


def _points(metric: Metric) -> MutableSequence[Any]:
    kind = metric.WhichOneof("data")
    return getattr(metric, kind).data_points if kind else []


def _held(entry: Any, scopes: str, items: str) -> bool:
    """Whether anything is left below a resource; scopes without items go."""
    _drop(getattr(entry, scopes), partial(_filled, items=items))
    return bool(getattr(entry, scopes))


def _filled(scope: Any, items: str) -> bool:
    return bool(getattr(scope, items))


def _drop(values: MutableSequence[Any], stays: Callable[[Any], bool]) -> bool:
    """Keep only what `stays` says; whether anything went."""
    kept = [value for value in values if stays(value)]
    if len(kept) == len(values):
        return False
    del values[:]
    values.extend(kept)
    return True
