"""Keeps what a scorer received from a client as a fixture of the dialect tests."""

from __future__ import annotations

import gzip
import re
from contextlib import closing
from pathlib import Path

from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.store._packing import unpack
from ragvigil.scorer.store.reading import open_for_reading

FIXTURES = Path(__file__).parents[1] / "scorer" / "dialects" / "recorded"


def record(store: Path, name: str) -> None:
    """Write all spans that the store holds of the service `NAME` as `NAME.pb.gz`, its log records as `NAME.logs.pb.gz`.

    Folders of the machine are taken out of the spans' texts.
    """
    received, said = TracesData(), LogsData()
    with closing(open_for_reading(store)) as connection:
        query = "SELECT spans, logs FROM traces WHERE service = ? ORDER BY trace_id"
        for spans, logs in connection.execute(query, (name,)):
            received.MergeFromString(unpack(spans))
            said.MergeFromString(unpack(logs) if logs else b"")
    for span in (
        span for resource in received.resource_spans for scope in resource.scope_spans for span in scope.spans
    ):
        span.status.message = _without_folders(span.status.message)
        for fact in (*span.attributes, *(fact for event in span.events for fact in event.attributes)):
            _clean(fact)
    FIXTURES.mkdir(exist_ok=True)
    if said.resource_logs:
        (FIXTURES / f"{name}.logs.pb.gz").write_bytes(gzip.compress(said.SerializeToString(), 9, mtime=0))
    (FIXTURES / f"{name}.pb.gz").write_bytes(gzip.compress(received.SerializeToString(), 9, mtime=0))


def _clean(fact: KeyValue) -> None:
    if fact.value.HasField("string_value"):
        fact.value.string_value = _without_folders(fact.value.string_value)


def _without_folders(text: str) -> str:
    return re.sub(r'(File \\?")/[^"\\]*/([^"/\\]+)', r"\1/app/deps/\2", text)
