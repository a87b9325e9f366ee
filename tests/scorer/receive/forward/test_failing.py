"""Backends that are silent, full, gone or hopeless: no ack waits, and what is dropped is counted."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.scorer.receive.forward.backends import JSON, PROTOBUF, Backend, counts_of, has, to, until

from ragvigil.scorer.receive.counters import counters

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]
Backends = Callable[..., Awaitable[Backend]]


async def test_a_silent_backend_never_delays_an_ack(
    start: Start, client: httpx.AsyncClient, backends: Backends, request_of: Request, span_of: SpanOf
) -> None:
    """It never answers the first request, and a hundred more are acknowledged all the same."""
    backend = await backends(mode="silent")
    receiver = await start(forward=to(backend, timeout_seconds=3600))
    url = f"{receiver.url}/v1/traces"
    for number in range(1, 101):
        body = request_of([span_of(number, number)]).SerializeToString()
        assert (await client.post(url, content=body, headers=PROTOBUF)).status_code == 200
    assert len(receiver.spans()) == 100
    assert await has(client, receiver, {"b.offered": 100})
    assert "b.delivered" not in await counts_of(client, receiver)
    assert (await client.get(f"{receiver.url}/healthz")).json()["forward"]["b"]["queued"] == 100


async def test_a_silent_backend_is_given_up_after_a_while_and_asked_again(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """Then it answers, and has everything."""
    backend = await backends(mode="silent")
    receiver = await start(forward=to(backend, timeout_seconds=0.1))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: len(backend.got) > 1)
    backend.mode = "healthy"
    await until(lambda: has(client, receiver, {"b.delivered": 1}))


async def test_a_refusing_backend_gets_everything_once_it_takes_again(
    start: Start, client: httpx.AsyncClient, backends: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """429 with Retry-After, RESOURCE_EXHAUSTED with RetryInfo; told once, not per request."""
    backend = await backends(mode="refusing")
    receiver = await start(forward=to(backend))
    bodies = [b"\n\x00" * number for number in range(20)]
    for body in bodies:
        await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
    await until(lambda: len(backend.got) > 20)
    problem = (await client.get(f"{receiver.url}/healthz")).json()["forward"]["b"]["problem"]
    assert problem in ("http_429", "grpc_resource_exhausted")
    backend.mode, before = "healthy", len(backend.got)
    await until(lambda: has(client, receiver, {"b.delivered": 20}))
    assert sorted(got.body for got in backend.got[before:]) == sorted(bodies)
    found = await counts_of(client, receiver)
    assert found["b.retries"] >= 20
    assert not [key for key in found if "dropped" in key]
    assert 1 <= caplog.text.count("acks go on") == caplog.text.count("takes requests again") < 10


async def test_a_backend_that_asks_to_be_left_alone_is(
    start: Start, client: httpx.AsyncClient, http_backend: Backends
) -> None:
    """One Retry-After keeps every sender away, also from requests that come later."""
    backend = await http_backend(mode="refusing", retry_after="3600")
    receiver = await start(forward=to(backend))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.retries": 1}))
    for _ in range(5):
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await asyncio.sleep(0.1)
    assert len(backend.got) == 1


@pytest.mark.parametrize("kind", ["http", "grpc"])
async def test_a_dead_backend_that_comes_back_gets_everything(
    start: Start, client: httpx.AsyncClient, http_backend: Backends, grpc_backend: Backends, kind: str
) -> None:
    """Nobody listens at first."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    receiver = await start(forward={"b": {"url": f"{kind}://{address}"}})
    for _ in range(3):
        answer = await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
        assert answer.status_code == 200
    await until(lambda: retried(client, receiver))
    backend = await (http_backend if kind == "http" else grpc_backend)(address)
    await until(lambda: has(client, receiver, {"b.delivered": 3}))
    assert len(backend.got) == 3


async def retried(client: httpx.AsyncClient, receiver: Any) -> bool:
    """Whether it was tried in vain."""
    return (await counts_of(client, receiver)).get("b.retries", 0) > 2


async def test_what_has_no_room_is_dropped_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """Bounded in bytes: the ack comes, the copy does not, and the count says so."""
    backend = await backends(mode="silent")
    receiver = await start(forward=to(backend, max_queue_bytes=30_000, timeout_seconds=3600))
    body = json.dumps({"note": "x" * 10_000, "resourceSpans": []})
    for _ in range(5):
        answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=JSON)
        assert answer.status_code == 200
    assert await has(client, receiver, {"b.offered": 5, "b.dropped.full": 3})
    found = (await client.get(f"{receiver.url}/healthz")).json()["forward"]["b"]
    assert found["queued"] == 2
    assert found["queued_bytes"] <= 30_000
    assert "max_queue_bytes" in found["problem"]


async def test_what_a_backend_will_never_take_is_dropped_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """400 and INVALID_ARGUMENT are not tried again."""
    backend = await backends(mode="hopeless")
    receiver = await start(forward=to(backend))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    reason = "http_400" if backend.url.startswith("http") else "grpc_invalid_argument"
    await until(lambda: has(client, receiver, {f"b.dropped.{reason}": 1}))
    assert len(backend.got) == 1


async def test_what_a_backend_refuses_for_too_long_is_dropped_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """So that one request cannot stay for ever."""
    backend = await backends(mode="refusing")
    receiver = await start(forward=to(backend, retry_seconds=0.1))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.dropped.expired": 1}))


async def test_a_partial_success_is_read_and_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """A backend that takes a request without two of its spans; one that answers with words took it."""
    backend = await backends()
    answer = ExportTraceServiceResponse()
    answer.partial_success.rejected_spans = 2
    answer.partial_success.error_message = "too old"
    backend.answer = answer.SerializeToString()
    receiver = await start(forward=to(backend))
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.delivered": 1, "b.rejected": 2}))
    assert "too old" in caplog.text
    backend.answer = b"thank you, come again"
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.delivered": 2, "b.rejected": 2}))


async def test_an_answer_without_end_is_a_failure_that_costs_bounded_time_and_memory(
    start: Start, client: httpx.AsyncClient
) -> None:
    """A backend that streams for ever holds one sender for one timeout."""

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            while True:
                writer.write(b"1\r\nx\r\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(drip, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    receiver = await start(forward={"b": {"url": f"http://127.0.0.1:{port}", "timeout_seconds": 0.1}})
    await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: has(client, receiver, {"b.retries": 1}))
    server.close()


async def test_a_stop_sends_what_waits_first(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """Within its grace; the counts are balanced at the end."""
    backend = await backends()
    receiver = await start(forward=to(backend))
    for _ in range(30):
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    receiver.stop.set()
    await receiver.ended
    assert len(backend.got) == 30
    assert counters(receiver.folder)["forwarded.b.delivered"] == 30


async def test_what_a_stop_or_a_kill_leaves_unsent_is_counted(
    start: Start, client: httpx.AsyncClient, backends: Backends
) -> None:
    """A stop counts it itself; after a kill the next start does, from the counts that were saved."""
    backend = await backends(mode="refusing")
    receiver = await start(forward=to(backend))
    for _ in range(3):
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
    await until(lambda: retried(client, receiver))
    receiver.stop.set()
    await receiver.ended
    found = counters(receiver.folder)
    assert (found["forwarded.b.offered"], found["forwarded.b.dropped.stopped"]) == (3, 3)
    killed = {**found, "forwarded.b.offered": 10}
    (receiver.folder / "counters.json").write_text(json.dumps(killed))
    after = await start(forward=to(backend))
    assert await has(client, after, {"b.offered": 10, "b.dropped.stopped": 3, "b.dropped.killed": 7})
