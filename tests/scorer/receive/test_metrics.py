"""GET /metrics on the receiver: who may, and when there is nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from typing import Any

import httpx
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

Start = Callable[..., Awaitable[Any]]


async def test_a_token_guards_the_metrics_too(start: Start, client: httpx.AsyncClient) -> None:
    """Names of services and tenants are nobody else's; Prometheus has `authorization` for it."""
    url = f"{(await start(receive={'token': 'hush'})).url}/metrics"
    assert (await client.get(url)).status_code == 401
    answer = await client.get(url, headers={"authorization": "Bearer hush"})
    assert answer.status_code == 200
    assert "ragvigil_scorer_up 0.0" in answer.text
    assert (await client.post(url, headers={"authorization": "Bearer hush"})).status_code == 405


async def test_scrapers_that_hang_keep_no_ack_waiting(
    start: Start,
    client: httpx.AsyncClient,
    request_of: Callable[[Iterable[Span]], ExportTraceServiceRequest],
    span_of: Callable[..., Span],
) -> None:
    """They ask and never read; spans are taken all the same."""
    receiver = await start()
    host, port = receiver.bound.http.split(":")
    async with AsyncExitStack() as stack:
        for _ in range(50):
            _, asking = await asyncio.open_connection(host, int(port))
            stack.callback(asking.close)
            asking.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 20)
        body = request_of([span_of(1, 1)]).SerializeToString()
        headers = {"Content-Type": "application/x-protobuf"}
        answer = await client.post(f"{receiver.url}/v1/traces", content=body, headers=headers)
        assert answer.status_code == 200
        assert len(receiver.spans()) == 1


async def test_metrics_can_be_switched_off(start: Start, client: httpx.AsyncClient) -> None:
    """Then nobody finds them."""
    receiver = await start(metrics={"enabled": False})
    assert (await client.get(f"{receiver.url}/metrics")).status_code == 404
