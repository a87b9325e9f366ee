"""OTLP files in every form that the Collector's file exporter and people write."""

from __future__ import annotations

import base64
import gzip
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from backports import zstd
from google.protobuf import json_format
from google.protobuf.message import Message
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.sources.pull_server import Backend

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"


def otlp_json(message: Message) -> bytes:
    """The message as OTLP-JSON on one line: ids in hex where protobuf's own JSON has base64."""
    text = json_format.MessageToJson(message, use_integers_for_enums=True, indent=None)
    return re.sub(
        r'"(traceId|spanId|parentSpanId)": "([^"]*)"',
        lambda found: f'"{found[1]}": "{base64.b64decode(found[2]).hex()}"',
        text,
    ).encode()


def with_length(body: bytes) -> bytes:
    """As the Collector's file exporter frames protobuf, and whatever it compresses record by record."""
    return len(body).to_bytes(4) + body


def messages(*names: str) -> list[TracesData]:
    """The repository's own traces."""
    return [TracesData.FromString((TRACES / f"{name}.pb").read_bytes()) for name in names]


def _json_lines(found: Sequence[Message]) -> bytes:
    return b"".join(otlp_json(one) + b"\n" for one in found)


def _lengths(found: Sequence[Message]) -> bytes:
    return b"".join(with_length(one.SerializeToString()) for one in found)


FORMS: dict[str, Callable[[Sequence[Message]], bytes]] = {
    "json lines": _json_lines,
    "json lines, the last without its end": lambda found: _json_lines(found).rstrip(b"\n"),
    "json lines after a byte order mark": lambda found: b"\xef\xbb\xbf" + _json_lines(found),
    "protobuf with lengths": _lengths,
    "json, zstd by record": lambda found: b"".join(
        with_length(zstd.compress(otlp_json(one))) for one in found
    ),
    "protobuf, zstd by record": lambda found: b"".join(
        with_length(zstd.compress(one.SerializeToString())) for one in found
    ),
    "json lines, gzip": lambda found: gzip.compress(_json_lines(found)),
    "json lines, a gzip member each": lambda found: b"".join(
        gzip.compress(otlp_json(one) + b"\n") for one in found
    ),
    "json lines, zstd": lambda found: zstd.compress(_json_lines(found)),
    "json lines, a zstd frame each": lambda found: b"".join(
        zstd.compress(otlp_json(one) + b"\n") for one in found
    ),
    "protobuf with lengths, gzip": lambda found: gzip.compress(_lengths(found)),
    "protobuf with lengths, zstd": lambda found: zstd.compress(_lengths(found)),
}
"""Files of many messages."""


@pytest.fixture
def backend() -> Iterator[Backend]:
    """A server of its own for each test."""
    server = Backend()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()
