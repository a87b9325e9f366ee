"""Stored traces as OTLP/JSON lines, as the Collector's file exporter writes them, in one pass and bounded memory."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.receive import wire
from ragvigil.scorer.receive.wire import framed
from ragvigil.scorer.store.reading_traces import KeptTrace
from ragvigil.scorer.zstd import zstd

_LINE_BYTES = 2**20
"""Of protobuf in one line; a span that is larger has one to itself."""
_ALL = 2**62


@dataclass(slots=True)
class Written:
    """What is in the file."""

    traces: int = 0
    spans: int = 0
    log_events: int = 0


@contextmanager
def packed(file: BinaryIO, name: str) -> Generator[BinaryIO]:
    """What compresses into `file` as its name says, `.gz` or `.zst`; else the file itself."""
    if name.endswith(".gz"):
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
            yield cast("BinaryIO", stream)
    elif name.endswith(".zst"):
        with zstd().ZstdFile(file, "wb") as stream:
            yield stream
    else:
        yield file


def write_traces(traces: Iterable[KeptTrace], file: BinaryIO) -> Written:
    """A line for each trace and one for its log records, more where they are large; how much there was."""
    written = Written()
    for trace in traces:
        written.traces += 1
        for piece in _pieces(trace.spans):
            told = _told(TracesData.FromString(piece))
            written.spans += _with_hexadecimal_ids(told, "resourceSpans", "scopeSpans", "spans")
            _write(told, file)
        for piece in _pieces(trace.logs):
            told = _told(LogsData.FromString(piece))
            written.log_events += _with_hexadecimal_ids(told, "resourceLogs", "scopeLogs", "logRecords")
            _write(told, file)
    return written


def _pieces(payload: bytes) -> Iterator[bytes]:
    """The payload in parts of about a line; nothing where it is empty."""
    if len(payload) <= _LINE_BYTES:
        if payload:
            yield payload
        return
    for batch in wire.batches(payload, max_parts=_ALL):
        group, size = list[bytes](), 0
        for item in batch.items:
            if group and size + len(item) > _LINE_BYTES:
                yield _joined(batch, group)
                group, size = [], 0
            group.append(item)
            size += len(item)
        if group:
            yield _joined(batch, group)


def _joined(batch: wire.Batch, items: Iterable[bytes]) -> bytes:
    return framed(wire.ENTRY, batch.resource + framed(wire.SCOPE, batch.scope + b"".join(items)))


def _told(data: Message) -> dict[str, Any]:
    return MessageToDict(data, use_integers_for_enums=True)


def _with_hexadecimal_ids(told: dict[str, Any], resources: str, scopes: str, items: str) -> int:
    """Change the ids to what OTLP has where protobuf's own JSON has base64; how many items there are."""
    count = 0
    for part in told.get(resources, ()):
        for scope in part.get(scopes, ()):
            for item in scope.get(items, ()):
                count += 1
                for holder in (item, *item.get("links", ())):
                    for key in ("traceId", "spanId", "parentSpanId"):
                        if key in holder:
                            holder[key] = base64.b64decode(holder[key]).hex()
    return count


def _write(told: dict[str, Any], file: BinaryIO) -> None:
    line = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    file.write(line.encode() + b"\n")
