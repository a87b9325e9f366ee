"""Keeps what a scorer received from a client as a fixture of the dialect tests."""

from __future__ import annotations

import gzip
import re
from contextlib import closing
from pathlib import Path

from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.store._packing import unpack
from ragvigil.scorer.store.reading import open_for_reading

FIXTURES = Path(__file__).parents[1] / "scorer" / "dialects" / "recorded"


def record(store: Path, name: str) -> None:
    """Write all spans that the store holds as `NAME.pb.gz`; folders of the machine are taken out of their texts."""
    received = TracesData()
    with closing(open_for_reading(store)) as connection:
        for (spans,) in connection.execute("SELECT spans FROM traces ORDER BY trace_id"):
            received.MergeFromString(unpack(spans))
    for span in (
        span for resource in received.resource_spans for scope in resource.scope_spans for span in scope.spans
    ):
        span.status.message = _without_folders(span.status.message)
        for fact in (*span.attributes, *(fact for event in span.events for fact in event.attributes)):
            _clean(fact)
    FIXTURES.mkdir(exist_ok=True)
    (FIXTURES / f"{name}.pb.gz").write_bytes(gzip.compress(received.SerializeToString(), 9, mtime=0))


def _clean(fact: KeyValue) -> None:
    if fact.value.HasField("string_value"):
        fact.value.string_value = _without_folders(fact.value.string_value)


def _without_folders(text: str) -> str:
    return re.sub(r'(File \\?")/[^"\\]*/([^"/\\]+)', r"\1/app/deps/\2", text)
