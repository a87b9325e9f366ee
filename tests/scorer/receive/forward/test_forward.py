"""What is received goes on to real backends: which bytes, with which headers, and to whom."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import zlib
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from tests.scorer.receive.forward.backends import JSON, PROTOBUF, Backend, has, to, until

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.zstd import zstd

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]
Backends = Callable[..., Awaitable[Backend]]

GRPC_TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


@pytest.mark.parametrize(
    ("path", "content_type", "body", "gzipped"),
    [
        ("/v1/traces", "application/x-protobuf", b"", False),
        ("/v1/logs", "application/json", b'{ "resourceLogs" : [] }', False),
        ("/v1/metrics", "application/x-protobuf", b"\n\x00", False),
        ("/v1/metrics", "application/x-protobuf", b"\n\x00", True),
        ("/v1/traces", "application/json", b'{"resourceSpans":[{"x":[1]}]}', True),
    ],
)
async def test_an_http_backend_gets_the_bytes_that_arrived(
    start: Start,
    client: httpx.AsyncClient,
    http_backend: Backends,
    path: str,
    content_type: str,
    body: bytes,
    gzipped: bool,
) -> None:
    """Body, encoding and compression are those of the sender; fields that nobody knows are kept."""
    backend = await http_backend()
    receiver = await start(forward=to(backend))
    sent = gzip.compress(body, mtime=7) if gzipped else body
    headers = {"Content-Type": content_type, **({"Content-Encoding": "gzip"} if gzipped else {})}
    assert (await client.post(receiver.url + path, content=sent, headers=headers)).status_code == 200
    await until(lambda: bool(backend.got))
    (got,) = backend.got
    assert (got.path, got.body, got.headers["content-type"]) == (path, sent, content_type)
    assert got.headers.get("content-encoding") == ("gzip" if gzipped else None)


@pytest.mark.parametrize("encoding", ["deflate", "zstd"])
async def test_what_few_can_read_is_taken_and_sent_on_as_what_every_backend_takes(
    start: Start,
    client: httpx.AsyncClient,
    http_backend: Backends,
    request_of: Request,
    span_of: SpanOf,
    encoding: str,
) -> None:
    """Python's exporter and a Collector can be told to compress so; servers need only know gzip."""
    backend = await http_backend()
    receiver = await start(forward=to(backend, compression="none"))
    body = request_of([span_of(1, 1)]).SerializeToString()
    packed = zlib.compress(body) if encoding == "deflate" else zstd().compress(body)
    headers = {**PROTOBUF, "Content-Encoding": encoding}
    answer = await client.post(f"{receiver.url}/v1/traces", content=packed, headers=headers)
    assert (answer.status_code, len(receiver.spans())) == (200, 1)
    await until(lambda: bool(backend.got))
    assert (backend.got[0].body, backend.got[0].headers.get("content-encoding")) == (body, None)


async def test_a_grpc_backend_gets_the_message_that_arrived(
    start: Start, client: httpx.AsyncClient, grpc_backend: Backends, request_of: Request, span_of: SpanOf
) -> None:
    """Over gRPC, over HTTP, and over HTTP compressed: the same bytes; JSON becomes the same message."""
    backend = await grpc_backend()
    receiver = await start(forward=to(backend, compression="gzip"))
    body = request_of([span_of(1, 1, text="x" * 5_000)]).SerializeToString()
    async with grpc.aio.insecure_channel(receiver.bound.grpc) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(GRPC_TRACES)
        await call(body)
    url = f"{receiver.url}/api/public/otel/v1/traces"
    await client.post(url, content=body, headers=PROTOBUF)
    packed = {**PROTOBUF, "Content-Encoding": "gzip"}
    await client.post(url, content=gzip.compress(body), headers=packed)
    await until(lambda: len(backend.got) == 3)
    assert {(got.path, got.body) for got in backend.got} == {(GRPC_TRACES, body)}
    metrics = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [METRIC, {"name": 5}]}]}]}
    await client.post(f"{receiver.url}/v1/metrics", content=json.dumps(metrics), headers=JSON)
    await until(lambda: len(backend.got) == 4)
    found = ExportMetricsServiceRequest.FromString(backend.got[3].body)
    (metric,) = found.resource_metrics[0].scope_metrics[0].metrics
    assert (metric.name, metric.sum.data_points[0].as_int) == ("answers", 12)
    await until(lambda: has(client, receiver, {"b.rejected": 1}))


METRIC = {"name": "answers", "sum": {"dataPoints": [{"asInt": "12", "timeUnixNano": "5"}]}}


async def test_headers_come_from_settings_files_and_an_allow_list(
    start: Start, client: httpx.AsyncClient, backends: Backends, tmp_path: Path
) -> None:
    """The sender's own token stays here."""
    backend = await backends()
    (tmp_path / "key").write_text("s3cret\n")
    receiver = await start(
        receive={"token": "ours"},
        forward=to(
            backend,
            headers={"Authorization": "Basic theirs"},
            header_files={"x-api-key": tmp_path / "key"},
            pass_headers=["X-Langfuse-Ingestion-Version"],
        ),
    )
    sent = {"Authorization": "Bearer ours", "X-Langfuse-Ingestion-Version": "4", "X-Other": "no"}
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers={**PROTOBUF, **sent})
    await until(lambda: bool(backend.got))
    found = backend.got[0].headers
    assert (found["authorization"], found["x-api-key"]) == ("Basic theirs", "s3cret")
    assert found["x-langfuse-ingestion-version"] == "4"
    assert "x-other" not in found
    assert "s3cret" not in (await client.get(f"{receiver.url}/healthz")).text


async def test_a_refused_request_is_not_forwarded(
    start: Start, client: httpx.AsyncClient, http_backend: Backends
) -> None:
    """Its sender keeps it and comes back; forwarding it now would make two of it."""
    backend = await http_backend()
    receiver = await start(forward=to(backend))
    assert (
        await client.post(f"{receiver.url}/v1/traces", content=b"no", headers=PROTOBUF)
    ).status_code == 400
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.offered": 1, "b.delivered": 1}))
    assert [got.body for got in backend.got] == [b""]


async def test_a_backend_gets_only_the_signals_it_wants(
    start: Start, client: httpx.AsyncClient, http_backend: Backends
) -> None:
    """Two backends, one of them for traces alone."""
    first, second = await http_backend(), await http_backend()
    receiver = await start(
        forward={"all": {"url": first.url}, "traces": {"url": second.url, "signals": ["traces"]}}
    )
    for signal in ("metrics", "logs", "traces"):
        await client.post(f"{receiver.url}/v1/{signal}", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"all.delivered": 3, "traces.delivered": 1}))
    assert [got.path for got in second.got] == ["/v1/traces"]


async def test_two_receivers_that_forward_to_each_other_end_it_at_once(
    start: Start, client: httpx.AsyncClient, tmp_path: Path
) -> None:
    """The first knows its own request when the second hands it back, and says so in words."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    first = await start(folder=tmp_path / "first", forward={"b": {"url": f"http://{address}"}})
    second = await start(
        folder=tmp_path / "second",
        receive={"http": address},
        forward={"b": {"url": f"grpc://{first.bound.grpc}"}},
    )
    await client.post(f"{first.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, first, {"b.delivered": 1}))
    await until(lambda: has(client, second, {"b.dropped.grpc_failed_precondition": 1}))
    found = (await client.get(f"{first.url}/healthz")).json()["received"]
    assert (found["refused"], found["requests"]) == ({"loop": 1}, {"http spans": 1})


@pytest.mark.parametrize("kind", ["grpc", "http"])
async def test_a_receiver_is_not_its_own_backend(start: Start, kind: str) -> None:
    """Named at start, whatever loopback is called."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ConfigError, match=r"forward\.b\.url: 127\.0\.0\.1:\d+ is this scorer itself"):
        await start(receive={kind: f"127.0.0.1:{port}"}, forward={"b": {"url": f"{kind}://localhost:{port}"}})


async def test_a_real_exporter_reaches_a_backend_through_a_receiver(start: Start, tmp_path: Path) -> None:
    """Exporter, receiver, receiver: both hold the span."""
    behind = await start(folder=tmp_path / "behind")
    front = await start(folder=tmp_path / "front", forward={"b": {"url": f"grpc://{behind.bound.grpc}"}})
    exporter = OTLPSpanExporter(endpoint=f"{front.url}/v1/traces")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    await asyncio.to_thread(lambda: provider.get_tracer("t").start_span("ask").end())
    provider.shutdown()
    await until(lambda: bool(behind.spans()))
    assert behind.spans() == front.spans()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"forward\.b\.url: is missing"),
        ({"url": "localhost:4317"}, r"forward\.b\.url: must look like http://host:4318"),
        ({"url": "http://u:p@host"}, r"forward\.b\.url: must look like"),
        ({"url": "grpc://host"}, r"forward\.b\.url: a gRPC address has a port"),
        (
            {"url": "http://host/v1/traces/"},
            r"forward\.b\.url: leave out /v1/traces at its end: it is appended",
        ),
        ({"url": "http://host:99999"}, r"forward\.b\.url: must look like"),
        ({"url": "http://x", "headers": {"host": "y"}}, r"forward\.b: the header host is set by ragvigil"),
        ({"url": "http://x", "headers": {"a": "1\n2"}}, r"forward\.b\.headers\.a: must be one line"),
        ({"url": "http://x", "pass_headers": ["a b"]}, r"forward\.b\.pass_headers\.0: .*pattern"),
        (
            {"url": "http://x", "timeout": 3},
            r"forward\.b\.timeout: unknown key \(did you mean timeout_seconds",
        ),
        (
            {"url": "http://x", "header_files": {"a": "/none"}},
            r"forward\.b\.header_files\.a: /none cannot be read",
        ),
        ({"url": "https://x", "ca_file": "/none"}, r"forward\.b\.ca_file: /none cannot be used"),
        ({"url": "grpcs://x:1", "ca_file": "/none"}, r"forward\.b\.ca_file: cannot be read"),
    ],
)
async def test_a_setting_that_cannot_be_used_is_named(
    start: Start, settings: dict[str, object], message: str, tmp_path: Path
) -> None:
    """Before anything is there: no inbox is left behind."""
    with pytest.raises(ConfigError, match=message):
        await start(forward={"b": settings}, inbox={"path": tmp_path / "never"})
    assert not (tmp_path / "never").exists()


async def test_the_token_of_this_scorer_is_not_passed_on(start: Start) -> None:
    """It would open this scorer to whoever runs the backend."""
    with pytest.raises(ConfigError, match=r"forward\.b\.pass_headers: authorization would pass on"):
        await start(
            receive={"token": "x"}, forward={"b": {"url": "http://x", "pass_headers": ["Authorization"]}}
        )


async def test_a_secret_that_cannot_be_used_is_not_shown(start: Start) -> None:
    """Neither in the error nor in the log."""
    with pytest.raises(ConfigError) as caught:
        await start(forward={"b": {"url": "http://x", "headers": {"a": "s3cret\n"}, "timeout_seconds": "y"}})
    assert "s3cret" not in str(caught.value)
