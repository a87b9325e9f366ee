"""A running receiver on free loopback ports, and requests to send to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

from ragvigil.scorer.config import load
from ragvigil.scorer.inbox import InboxReader, InboxRow
from ragvigil.scorer.receive.serve import Bound, receive
from ragvigil.scorer.receive.settings import receiving


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver that runs, seen from outside."""

    bound: Bound
    folder: Path
    stop: asyncio.Event
    ended: asyncio.Task[None]

    @property
    def url(self) -> str:
        """Root of its HTTP server."""
        return f"http://{self.bound.http}"

    def rows(self) -> list[InboxRow]:
        """All that is in its inbox."""
        reader = InboxReader(self.folder)
        try:
            return reader.read(limit=10_000, max_bytes=2**30)
        finally:
            reader.close()

    def spans(self) -> list[Span]:
        """All spans in its inbox."""
        return [
            span
            for row in self.rows()
            if row.kind == "spans"
            for resource in TracesData.FromString(row.payload).resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


@asynccontextmanager
async def running(folder: Path, **sections: dict[str, object]) -> AsyncGenerator[Receiver]:
    """A receiver with these settings, until the end of the block."""
    free = {"grpc": "127.0.0.1:0", "http": "127.0.0.1:0", **sections.get("receive", {})}
    inbox = {"path": folder, "commit_seconds": 0.001, **sections.get("inbox", {})}
    settings = load(overrides={**sections, "receive": free, "inbox": inbox})
    bound: asyncio.Future[Bound] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    task = asyncio.create_task(receive(receiving(settings), ready=bound.set_result, stop=stop))
    either: set[asyncio.Future[Any]] = {task, bound}
    await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
    try:
        yield Receiver(bound.result(), folder, stop, task)
    finally:
        stop.set()
        await asyncio.wait_for(task, 20)


Start = Callable[..., Awaitable[Receiver]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts a receiver; it ends with the test."""
    async with AsyncExitStack() as stack:

        async def begin(folder: Path | None = None, **sections: dict[str, object]) -> Receiver:
            return await stack.enter_async_context(running(folder or tmp_path / "inbox", **sections))

        yield begin


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client that is closed at the end."""
    async with httpx.AsyncClient(timeout=30) as client:
        yield client


Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]


@pytest.fixture
def request_of() -> Request:
    """Makes a request of spans, all of one resource and scope."""

    def build(spans: Iterable[Span]) -> ExportTraceServiceRequest:
        request = ExportTraceServiceRequest()
        resource = request.resource_spans.add(schema_url="https://example.com/resource")
        resource.resource.attributes.add(key="service.name").value.string_value = "shop"
        scope = resource.scope_spans.add(schema_url="https://example.com/scope")
        scope.scope.name = "tests"
        scope.spans.extend(spans)
        return request

    return build


SpanOf = Callable[..., Span]


@pytest.fixture
def span_of() -> SpanOf:
    """Makes a span of trace `trace` with number `number` and string attributes."""

    def build(trace: int = 1, number: int = 1, **attributes: str) -> Span:
        span = Span(
            trace_id=trace.to_bytes(16, "big"), span_id=number.to_bytes(8, "big"), name=f"span {number}"
        )
        for key, value in attributes.items():
            span.attributes.add(key=key).value.string_value = value
        return span

    return build
