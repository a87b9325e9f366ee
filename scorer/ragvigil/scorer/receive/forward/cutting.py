"""What an erasure request takes out of requests that wait to be forwarded."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, MutableSequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ScopeLogs
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, ScopeMetrics
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from ragvigil.scorer.erasure.forgetting import tombstone
from ragvigil.scorer.receive import wire
from ragvigil.scorer.receive.compression import decompressed
from ragvigil.scorer.receive.forward.item import Item, Signal
from ragvigil.scorer.receive.forward.protobuf import as_protobuf
from ragvigil.scorer.receive.forward.unwanted import Unwanted
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.scorer.redact.persons import named_by_record, named_by_span, named_in
from ragvigil.scorer.redact.pseudonyms import Pseudonyms

_SCOPES: dict[Signal, tuple[Any, str]] = {
    "traces": (ScopeSpans, "spans"),
    "logs": (ScopeLogs, "log_records"),
    "metrics": (ScopeMetrics, "metrics"),
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
        with suppress(Refusal):
            body, _ = self._body(item)
            for batch in wire.batches(body, max_parts=self._limits.max_parts):
                all_of_it = self._is_unwanted(batch)
                for framed in batch.items:
                    span = self._read(framed, item.signal)
                    if span is not None and (all_of_it or self._names_one(named_by_span(span))):
                        self._traces.add(span.trace_id)

    def cut(self, item: Item) -> Item | None:
        """The item without what is unwanted: itself where nothing was, None where nothing is left.

        A span, log record or metric that cannot be read is not left either: nobody can tell whose it is. One is read
        at a time, for an empty attribute takes two bytes of a request and fifty in memory.
        """
        left: list[bytes] = []
        try:
            body, lost = self._body(item)
            for batch in wire.batches(body, max_parts=self._limits.max_parts):
                items = [] if self._is_unwanted(batch) else list(self._kept(batch.items, item.signal))
                lost = lost or items != batch.items
                if items:
                    scope = wire.framed(wire.SCOPE, batch.scope + b"".join(items))
                    left.append(wire.framed(wire.ENTRY, batch.resource + scope))
        except Refusal:
            return None
        if not lost:
            return item
        body = b"".join(left)
        if not body:
            return None
        packed = gzip.compress(body, _LEVEL) if item.gzipped else body
        return replace(item, body=packed, encoding="protobuf")

    def _is_unwanted(self, batch: wire.Batch) -> bool:
        """Whether the resource names the person; True also where it cannot be read."""
        if len(batch.resource) > self._limits.max_span_bytes:
            return True
        try:
            entry = ResourceSpans.FromString(batch.resource)  # a resource has the same field in every signal
        except DecodeError:
            return True
        return self._names_one(named_in(entry.resource.attributes))

    def _read(self, framed: bytes, signal: Signal) -> Any:
        """The span, log record or metric, None where it cannot be read."""
        scope, items = _SCOPES[signal]
        if len(framed) > self._limits.max_span_bytes:
            return None
        try:
            (message,) = getattr(scope.FromString(framed), items)
        except DecodeError:
            return None
        return message

    def _kept(self, items: Iterable[bytes], signal: Signal) -> Iterator[bytes]:
        """What stays of each, framed as before; the very bytes of those that lose nothing."""
        for framed in items:
            message = self._read(framed, signal)
            if isinstance(message, Metric):
                if not self._thin_points(message):
                    yield framed
                elif _points(message):
                    yield wire.framed(wire.ITEM, message.SerializeToString())
            elif message is not None and self._stays(message):
                yield framed

    def _stays(self, item: Span | LogRecord) -> bool:
        named = named_by_span(item) if isinstance(item, Span) else named_by_record(item)
        return not (self._gone(item.trace_id) or self._names_one(named))

    def _thin_points(self, metric: Metric) -> bool:
        """Whether it lost points, or examples of points."""
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

    def _body(self, item: Item) -> tuple[bytes, bool]:
        """The request in protobuf, and whether some of it could not be put into it. Raises Refusal."""
        plain = item
        if item.gzipped:
            body = decompressed(item.body, "zlib", limit=self._limits.max_body_bytes, grow=lambda _: None)
            plain = replace(item, body=body, gzipped=False)
        if item.encoding != "json":
            return plain.body, False
        body, unreadable = as_protobuf(plain, self._limits)
        return body, bool(unreadable)


def _points(metric: Metric) -> MutableSequence[Any]:
    kind = metric.WhichOneof("data")
    return getattr(metric, kind).data_points if kind else []


def _drop(values: MutableSequence[Any], stays: Callable[[Any], bool]) -> bool:
    """Keep only what `stays` says; whether anything went."""
    kept = [value for value in values if stays(value)]
    if len(kept) == len(values):
        return False
    del values[:]
    values.extend(kept)
    return True
