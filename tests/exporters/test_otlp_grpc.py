"""Scores over gRPC, against a real server on loopback."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import grpc
import grpc.aio
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsPartialSuccess,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from tests.exporters.test_score_sinks import ANSWER, AT

from ragvigil.exporters import OTLP_METHODS, OtlpGrpc, OtlpScores, Sent


@dataclass
class Collector:
    """Answers every call as it is told to, and keeps what came."""

    address: str = ""
    code: grpc.StatusCode = grpc.StatusCode.OK
    wait: float | None = None
    body: bytes = b""
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list[tuple[dict[str, str], bytes]])

    async def export(self, body: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        """One call."""
        headers = {key: str(value) for key, value in context.invocation_metadata() or ()}
        self.received.append((headers, body))
        if self.wait is not None:
            status = Status(code=8, details=[_packed(self.wait)])
            context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        if self.code is not grpc.StatusCode.OK:
            await context.abort(self.code, "no")
        return self.body


def _packed(seconds: float) -> AnyMessage:
    found = AnyMessage()
    found.Pack(RetryInfo(retry_delay=Duration(seconds=int(seconds))))
    return found


@asynccontextmanager
async def collecting() -> AsyncGenerator[Collector]:
    """A collector's logs service on a free port."""
    collector, server = Collector(), grpc.aio.server()
    export: Callable[..., Awaitable[bytes]] = collector.export
    name, _, method = OTLP_METHODS["logs"].strip("/").rpartition("/")
    handler = grpc.method_handlers_generic_handler(
        name, {method: grpc.unary_unary_rpc_method_handler(export)}
    )
    server.add_generic_rpc_handlers((handler,))
    collector.address = f"grpc://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield collector
    finally:
        await server.stop(None)


def scores(url: str) -> OtlpScores:
    """As the settings make it."""
    post = OtlpGrpc(url, "logs", headers={"x-key": "hush"}, timeout_seconds=5.0)
    return OtlpScores(post, version="1", now=lambda: AT + 5)


async def test_scores_arrive_with_the_headers() -> None:
    """The same request as over HTTP."""
    async with collecting() as collector:
        assert await scores(collector.address).send([ANSWER]) == Sent(delivered=True)
    ((headers, body),) = collector.received
    assert headers["x-key"] == "hush"
    (resource,) = ExportLogsServiceRequest.FromString(body).resource_logs
    assert len(resource.scope_logs[0].log_records) == len(ANSWER.scores)


async def test_a_partial_success_is_counted() -> None:
    """And bytes that are no answer of OTLP are no delivery."""
    partial = ExportLogsPartialSuccess(rejected_log_records=2, error_message="no")
    async with collecting() as collector:
        collector.body = ExportLogsServiceResponse(partial_success=partial).SerializeToString()
        sent = await scores(collector.address).send([ANSWER])
        assert sent == Sent(delivered=True, refused=2, reason="partial_success")
        collector.body = b"<html>"
        assert await scores(collector.address).send([ANSWER]) == Sent(False, retry=True, reason="not_otlp")


@pytest.mark.parametrize(
    ("code", "retry"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, False),
        (grpc.StatusCode.UNAUTHENTICATED, True),
        (grpc.StatusCode.UNIMPLEMENTED, True),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, True),
        (grpc.StatusCode.INTERNAL, True),
        (grpc.StatusCode.UNAVAILABLE, True),
    ],
)
async def test_only_a_malformed_request_is_given_up(code: grpc.StatusCode, retry: bool) -> None:
    """As over HTTP: a stale key or a wrong address is mended one day."""
    async with collecting() as collector:
        collector.code = code
        sent = await scores(collector.address).send([ANSWER])
    assert sent == Sent(delivered=False, retry=retry, reason=f"grpc_{code.name.lower()}")


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (86_400.0, 300.0)])
async def test_the_wait_that_the_receiver_asks_for_is_kept(asked: float, waited: float) -> None:
    """For five minutes at most."""
    async with collecting() as collector:
        collector.code, collector.wait = grpc.StatusCode.RESOURCE_EXHAUSTED, asked
        sent = await scores(collector.address).send([ANSWER])
    assert (sent.retry, sent.retry_after) == (True, waited)


@pytest.mark.parametrize("scheme", ["grpc", "grpcs"])
async def test_nobody_there_is_an_answer(scheme: str) -> None:
    """Never an exception, and no secret in what is shown."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    sink = scores(f"{scheme}://127.0.0.1:{port}")
    sent = await sink.send([ANSWER])
    assert (sent.delivered, sent.retry, sent.reason) == (False, True, "grpc_unavailable")
    assert "hush" not in repr(sink)
