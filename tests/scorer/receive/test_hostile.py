"""What real servers do with input that is meant to hurt."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Future
from typing import Any

import grpc
import grpc.aio
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.http_server import HttpServer
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.otlp_http import application

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]

PROTOBUF = {"Content-Type": "application/x-protobuf"}
GRPC_TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
HEAD = b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


class Memory:
    """Staging that is durable at once."""

    def append(self, rows: Iterable[Arrival]) -> Future[None]:
        """A future that has resolved."""
        future: Future[None] = Future()
        future.set_result(None)
        return future


@pytest.mark.parametrize(
    "limits", [Limits(chunk_seconds=0.1), Limits(request_seconds=0.3)], ids=["silent", "drop by drop"]
)
async def test_a_slow_body_costs_a_bounded_time_and_hinders_nobody(limits: Limits) -> None:
    """One byte and then silence, or one byte now and then: 503 and the end of the connection."""
    intake = Intake(Memory(), limits)
    server = HttpServer(application(intake, dict), "127.0.0.1:0", grace_seconds=1)
    server.start()
    host, port = server.address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(HEAD + b"Content-Length: 100000\r\n\r\n{")

    async def drip() -> None:
        while limits.chunk_seconds > 1:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    answering = asyncio.create_task(reader.readuntil(b"\r\n\r\n"))
    dripping = asyncio.create_task(drip())
    async with httpx.AsyncClient(base_url=f"http://{server.address}", timeout=30) as client:
        assert (await client.post("/v1/traces", content=b"", headers=PROTOBUF)).status_code == 200
    answer = await asyncio.wait_for(answering, 30)
    assert answer.startswith(b"HTTP/1.1 503")
    assert b"retry-after: 1" in answer.lower()
    dripping.cancel()
    await asyncio.gather(dripping, return_exceptions=True)
    writer.close()
    assert (intake.open_bytes.held, dict(intake.counters.refused)) == (0, {"slow": 1})
    await server.stop()


async def test_a_connection_half_closed_in_a_body_is_ended_and_holds_nothing(
    start: Start, client: httpx.AsyncClient
) -> None:
    """A sender that says that it will write no more, in the middle, and still listens."""
    receiver = await start()
    host, port = receiver.bound.http.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(HEAD + b"Content-Length: 99\r\n\r\n{")
    writer.write_eof()
    await asyncio.wait_for(reader.read(), 30)
    async with asyncio.timeout(30):
        while True:
            found = (await client.get(f"{receiver.url}/healthz")).json()
            if found["received"]["refused"] == {"disconnected": 1}:
                break
            await asyncio.sleep(0.01)
    assert found["open_bytes"] == 0
    writer.close()


def crowded(span: Span, number: int) -> bytes:
    """A request whose one span has so many empty attributes, 2 bytes each."""
    inner = span.SerializeToString() + b"\x4a\x00" * number
    for tag in (b"\x12", b"\x12", b"\x0a"):
        inner = tag + varint(len(inner)) + inner
    return inner


def varint(value: int) -> bytes:
    """As protobuf writes a length."""
    out = b""
    while value > 127:
        out, value = out + bytes((value & 127 | 128,)), value >> 7
    return out + bytes((value,))


async def test_a_million_attributes_are_an_answer_over_both_protocols(
    start: Start, client: httpx.AsyncClient, span_of: SpanOf, request_of: Request
) -> None:
    """Taken or rejected alone, and the servers go on."""
    receiver = await start()
    body = crowded(span_of(1, 1), 1_000_000)
    answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    assert answer.status_code == 200
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    async with grpc.aio.insecure_channel(receiver.bound.grpc) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(GRPC_TRACES)
        assert ExportTraceServiceResponse.FromString(await call(body)).partial_success == partial
        await call(request_of([span_of(2, 2)]).SerializeToString())
    assert span_of(2, 2) in receiver.spans()
    assert len(receiver.spans()) == 1 + 2 * (1 - partial.rejected_spans)


@pytest.mark.parametrize("depth", [200, 100_000])
async def test_deep_json_is_refused_or_rejects_its_span(
    start: Start, client: httpx.AsyncClient, depth: int
) -> None:
    """Never a crash, whatever the depth."""
    receiver = await start()
    value = b'{"arrayValue":{"values":[' * depth + b"]}}" * depth
    span = b'{"traceId":"%s","spanId":"%s","attributes":[{"key":"k","value":%s}]}'
    body = b'{"resourceSpans":[{"scopeSpans":[{"spans":[' + span % (b"1" * 32, b"1" * 16, value) + b"]}]}]}"
    answer = await client.post(
        f"{receiver.url}/v1/traces", content=body, headers={"Content-Type": "application/json"}
    )
    rejected = json.loads(answer.content).get("partialSuccess", {}).get("rejectedSpans")
    assert (answer.status_code, rejected) in ((200, "1"), (400, None))
    assert (await client.get(f"{receiver.url}/healthz")).json()["status"] == "ok"


async def test_a_bomb_on_the_metrics_path_is_let_lie(start: Start, client: httpx.AsyncClient) -> None:
    """What nobody reads is not unpacked either."""
    receiver = await start(receive={"max_body_bytes": 100_000})
    answer = await client.post(
        f"{receiver.url}/v1/metrics",
        content=gzip.compress(bytes(50_000_000)),
        headers={**PROTOBUF, "Content-Encoding": "gzip"},
    )
    assert answer.status_code == 200
    assert (await client.get(f"{receiver.url}/healthz")).json()["open_bytes"] == 0
