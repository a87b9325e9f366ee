"""What real servers do with input that is meant to hurt."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import socket
import threading
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
from ragvigil.scorer.receive import http_server
from ragvigil.scorer.receive import intake as intake_module
from ragvigil.scorer.receive.decode import SPANS, decode
from ragvigil.scorer.receive.http_server import HttpServer
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.otlp_http import application
from ragvigil.scorer.receive.refusal import Refusal
from ragvigil.scorer.receive.wire import framed

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


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 60000000\r\n\r\n", 404),
        (b"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Length: 60000000\r\n\r\n", 415),
        (HEAD + b"Content-Length: 600000000\r\n\r\n", 413),
    ],
)
async def test_the_body_of_a_refused_request_cannot_be_trickled_for_ever(
    monkeypatch: pytest.MonkeyPatch, head: bytes, status: int
) -> None:
    """It is answered at once, may finish its body for a while, and is then hung up on, whatever it still sends."""
    monkeypatch.setattr(http_server, "_UNREAD_SECONDS", 0.2)
    server = HttpServer(application(Intake(Memory(), Limits()), dict), "127.0.0.1:0", grace_seconds=1)
    server.start()
    host, port = server.address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(head)
    assert (await reader.readuntil(b"\r\n")).split()[1] == str(status).encode()

    async def drip() -> None:
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    dripping = asyncio.create_task(drip())
    with contextlib.suppress(ConnectionError):
        await asyncio.wait_for(reader.read(), 30)
    dripping.cancel()
    await asyncio.gather(dripping, return_exceptions=True)
    writer.close()
    await server.stop()


@pytest.mark.parametrize("connection", [b"close", b"keep-alive"])
async def test_who_writes_all_before_reading_still_reads_why_it_was_refused(connection: bytes) -> None:
    """A connection closed with bytes unread is reset: the sender saw a network that fails, and came back for ever."""
    limits = Limits(max_body_bytes=1000)
    server = HttpServer(application(Intake(Memory(), limits), dict), "127.0.0.1:0", grace_seconds=1)
    server.start()
    host, port = server.address.split(":")
    size = 20_000_000

    def ask() -> bytes:
        with socket.create_connection((host, int(port)), timeout=30) as sender:
            head = HEAD + b"Connection: " + connection + f"\r\nContent-Length: {size}\r\n\r\n".encode()
            sender.sendall(head + bytes(size))
            sender.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: sender.recv(65536), b""))

    answer = await asyncio.to_thread(ask)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"max_body_bytes" in answer
    await server.stop()


async def test_a_small_refused_body_leaves_the_connection_open() -> None:
    """It has come whole, so the next request may follow."""
    server = HttpServer(application(Intake(Memory(), Limits()), dict), "127.0.0.1:0", grace_seconds=1)
    server.start()
    host, port = server.address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    for _ in range(2):
        writer.write(b"POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
        assert b"404" in await reader.readuntil(b"\r\n\r\n")
        await reader.readuntil(b"}")
    writer.close()
    await server.stop()


async def test_who_says_no_more_after_a_whole_request_is_answered(start: Start) -> None:
    """Some senders shut their side down at once; without the answer they would send it all again."""
    receiver = await start(inbox={"commit_seconds": 0.2})
    host, port = receiver.bound.http.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(HEAD + b"Content-Length: 2\r\n\r\n{}")
    writer.write_eof()
    answer = await asyncio.wait_for(reader.read(), 30)
    assert answer.startswith(b"HTTP/1.1 200")
    writer.close()


@pytest.mark.parametrize("line", [b"Content-Length: abc", b"Content-Length: -5", b"no colon here"])
async def test_what_is_no_http_gets_a_status_and_is_counted(
    start: Start, client: httpx.AsyncClient, line: bytes
) -> None:
    """The body of every refusal is a google.rpc.Status."""
    receiver = await start()
    host, port = receiver.bound.http.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"POST /v1/traces HTTP/1.1\r\nHost: x\r\n" + line + b"\r\n\r\n")
    head, _, body = (await asyncio.wait_for(reader.read(), 30)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert b"application/json" in head
    assert json.loads(body)["code"] == 3
    found = (await client.get(f"{receiver.url}/healthz")).json()
    assert found["received"]["refused"] == {"malformed": 1}
    writer.close()


async def test_a_trailing_slash_is_the_same_path(start: Start, client: httpx.AsyncClient) -> None:
    """A redirect would lose the data: exporters do not follow one."""
    receiver = await start()
    assert (await client.post(f"{receiver.url}/v1/traces/", content=b"", headers=PROTOBUF)).status_code == 200
    told = {"text": "deployed"}
    assert (await client.post(f"{receiver.url}/v1/changes/", json=told)).json() == {"accepted": 1}
    assert (await client.post(f"{receiver.url}/v1/nothing/")).status_code == 404


async def test_half_a_million_parts_are_decoded_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of empty spans takes a second; other requests are answered meanwhile."""
    threads = set[bool]()
    loop_thread = threading.get_ident()

    def watched(*arguments: Any, **options: Any) -> Any:
        threads.add(threading.get_ident() == loop_thread)
        return decode(*arguments, **options)

    monkeypatch.setattr(intake_module, "decode", watched)
    intake = Intake(Memory(), Limits())
    empty = framed(1, framed(2, b"\x12\0" * 20_000))
    with intake.hold() as held:
        taken = await intake.take(empty, signal=SPANS, encoding="protobuf", coding=None, held=held)
    assert taken.rejected == {"trace_id": 20_000}
    assert threads == {True, False}
    too_many = framed(1, framed(2, b"\x12\0" * 600_000))
    with intake.hold() as held, pytest.raises(Refusal, match="more than 500000 parts"):
        await intake.take(too_many, signal=SPANS, encoding="protobuf", coding=None, held=held)


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
