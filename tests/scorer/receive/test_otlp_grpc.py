"""OTLP over gRPC against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc
import grpc.aio
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.conftest import PATIENCE

from ragvigil.scorer.inbox import InboxReader, Position

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]
Call = Callable[..., Awaitable[bytes]]

TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"


@asynccontextmanager
async def calls(receiver: Any) -> AsyncGenerator[Call]:
    """Raw calls to the receiver's gRPC server."""
    options = [("grpc.max_send_message_length", -1)]
    async with grpc.aio.insecure_channel(receiver.bound.grpc, options) as channel:

        async def call(body: bytes, *, method: str = TRACES, **options: Any) -> bytes:
            export = cast("Callable[..., Awaitable[bytes]]", channel.unary_unary(method))
            return await export(body, **options)

        yield call


def details(error: grpc.aio.AioRpcError) -> Status:
    """The google.rpc.Status that came with an error."""
    found = dict(error.trailing_metadata() or ())["grpc-status-details-bin"]
    assert isinstance(found, bytes)
    return Status.FromString(found)


async def test_spans_are_stored_before_the_answer(start: Start, request_of: Request, span_of: SpanOf) -> None:
    """Plain and gzip alike."""
    receiver = await start()
    async with calls(receiver) as call:
        assert await call(request_of([span_of(1, 1)]).SerializeToString()) == b""
        assert receiver.spans() == [span_of(1, 1)]
        body = request_of([span_of(2, 2, text="x" * 9_000)]).SerializeToString()
        await call(body, compression=grpc.Compression.Gzip)
    assert len(receiver.spans()) == 2


async def test_logs_are_stored_and_metrics_are_put_aside(start: Start) -> None:
    """All three services answer."""
    receiver = await start()
    request = ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.add(trace_id=b"t" * 16)
    async with calls(receiver) as call:
        await call(request.SerializeToString(), method=LOGS)
        assert await call(b"anything", method=METRICS) == b""
    assert [row.kind for row in receiver.rows()] == ["logs"]


async def test_a_bad_span_is_a_partial_success(start: Start, request_of: Request, span_of: SpanOf) -> None:
    """Its neighbour is stored."""
    receiver = await start()
    async with calls(receiver) as call:
        answer = await call(request_of([Span(trace_id=b"short"), span_of(1, 1)]).SerializeToString())
    partial = ExportTraceServiceResponse.FromString(answer).partial_success
    assert (partial.rejected_spans, "got 5 bytes" in partial.error_message) == (1, True)
    assert receiver.spans() == [span_of(1, 1)]


async def test_bad_data_is_an_invalid_argument(start: Start) -> None:
    """Never retried, so it must be certain; with words."""
    receiver = await start()
    async with calls(receiver) as call:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"nonsense")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "not protobuf" in (caught.value.details() or "")
    assert details(caught.value).code == 3


async def test_what_a_sender_gave_up_on_is_counted_when_it_is_stored(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Its deadline passes while its spans wait for the commit: the ledger is held against the counts."""
    receiver = await start(inbox={"commit_seconds": 1.0})

    async def health() -> dict[str, Any]:
        return cast("dict[str, Any]", (await client.get(f"{receiver.url}/healthz")).json())

    async with calls(receiver) as call, asyncio.timeout(PATIENCE):
        await call(request_of([span_of(1, 1)]).SerializeToString())  # the next commit is a second away
        given_up = asyncio.ensure_future(call(request_of([span_of(2, 2)]).SerializeToString()))
        while not (await health())["inbox"]["queued_bytes"]:
            pass
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        while (await health())["inbox"]["queued_bytes"]:
            pass
        await call(request_of([span_of(3, 3)]).SerializeToString())
        found = await health()
    assert (found["received"]["spans"], found["open_bytes"]) == (3, 0)


@pytest.mark.parametrize("method", [TRACES, LOGS, METRICS])
@pytest.mark.parametrize("compression", [None, grpc.Compression.Gzip])
async def test_messages_over_the_limit_are_refused_in_words_and_counted(
    start: Start, client: httpx.AsyncClient, method: str, compression: grpc.Compression | None
) -> None:
    """RESOURCE_EXHAUSTED with a status that names the setting, and without RetryInfo."""
    receiver = await start(receive={"max_body_bytes": 100_000})
    async with calls(receiver) as call:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(bytes(120_000), method=method, compression=compression)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    status = details(caught.value)
    assert (status.code, list(status.details)) == (8, [])
    assert "the message is over the limit of 100000 bytes" in status.message
    assert "receive.max_body_bytes" in status.message
    health = (await client.get(f"{receiver.url}/healthz")).json()
    assert (health["received"]["refused"], health["open_bytes"]) == ({"too_large": 1}, 0)


async def test_messages_far_over_the_limit_are_not_to_be_retried(
    start: Start, client: httpx.AsyncClient
) -> None:
    """The library refuses them, before and after decompression: RESOURCE_EXHAUSTED, counted, never retried."""
    receiver = await start(receive={"max_body_bytes": 100_000})
    async with calls(receiver) as call:
        for compression in (None, grpc.Compression.Gzip):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(bytes(20_000_000), compression=compression)
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "grpc-status-details-bin" not in dict(caught.value.trailing_metadata() or ())
        await call(b"")
    async with asyncio.timeout(PATIENCE):
        while True:
            received = (await client.get(f"{receiver.url}/healthz")).json()["received"]
            if received["refused"] == {"unread": 2}:
                break
            await asyncio.sleep(0.01)
    assert received["requests"] == {"grpc spans": 1}


async def test_a_request_larger_than_the_whole_inbox_is_not_asked_for_again(
    start: Start, request_of: Request, span_of: SpanOf
) -> None:
    """RESOURCE_EXHAUSTED without RetryInfo, with the setting's name."""
    receiver = await start(inbox={"max_bytes": 1_000_000})
    body = request_of([span_of(1, 1, text="x" * 900_000)]).SerializeToString()
    async with calls(receiver) as call:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(body)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    status = details(caught.value)
    assert ("raise inbox.max_bytes" in status.message, list(status.details)) == (True, [])


async def test_a_token_is_demanded_when_configured(
    start: Start, request_of: Request, span_of: SpanOf
) -> None:
    """In the authorization metadata."""
    receiver = await start(receive={"token": "s3cret"})
    body = request_of([span_of(1, 1)]).SerializeToString()
    async with calls(receiver) as call:
        for metadata in ((), (("authorization", "Bearer nope"),)):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call(body, metadata=metadata)
            assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        await call(body, metadata=(("authorization", "Bearer s3cret"),))
    assert len(receiver.spans()) == 1


async def test_a_full_inbox_says_when_to_come_back_and_takes_again(
    start: Start, request_of: Request, span_of: SpanOf
) -> None:
    """UNAVAILABLE with RetryInfo; once the reader has made room, a success."""
    receiver = await start(inbox={"max_bytes": 1_500_000, "segment_bytes": 50_000})
    body = request_of([span_of(1, 1, text="x" * 40_000)]).SerializeToString()
    async with calls(receiver) as call:
        with pytest.raises(grpc.aio.AioRpcError) as caught:  # noqa: PT012 - which call fills it is not known
            while True:
                await call(body)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        retry = RetryInfo()
        assert details(caught.value).details[0].Unpack(retry)
        assert retry.retry_delay.ToSeconds() == 1
        reader = InboxReader(receiver.folder)
        reader.discard(Position(reader.read(limit=1_000)[-1].position.segment, 10_000))
        reader.close()
        await call(body)
