"""Real OTLP servers that a receiver forwards to, and that misbehave as told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio
import httpx
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from tests.conftest import PATIENCE

PROTOBUF = {"Content-Type": "application/x-protobuf"}
JSON = {"Content-Type": "application/json"}


@dataclass
class Arrived:
    """One request as a backend got it."""

    path: str
    body: bytes
    headers: Mapping[str, str]


@dataclass
class Backend:
    """A backend seen from the test."""

    url: str = ""
    got: list[Arrived] = field(default_factory=list[Arrived])
    mode: str = "healthy"
    """healthy | refusing (429 or UNAVAILABLE, with a time) | hopeless (400) | silent | partial"""
    answer: bytes = b""
    """The body of a success."""
    retry_after: str = "0"
    released: asyncio.Event = field(default_factory=asyncio.Event)
    """Ends every silence."""


async def until(happened: Callable[[], Awaitable[bool] | bool]) -> None:
    """Poll until it has."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = happened()
            if found if isinstance(found, bool) else await found:
                return
            await asyncio.sleep(0.01)


async def counts_of(client: httpx.AsyncClient, receiver: Any) -> dict[str, int]:
    """What became of what was forwarded."""
    found: dict[str, int] = (await client.get(f"{receiver.url}/healthz")).json()["received"]["forwarded"]
    return found


async def has(client: httpx.AsyncClient, receiver: Any, expected: dict[str, int]) -> bool:
    """Whether these counts stand."""
    found = await counts_of(client, receiver)
    return found | expected == found


def to(backend: Backend, **settings: object) -> dict[str, object]:
    """The section [forward.b] for a backend."""
    return {"b": {"url": backend.url, "compression": "none", **settings}}


def http_application(backend: Backend) -> Starlette:
    """Takes every POST as `backend` says."""

    async def take(request: Request) -> Response:
        body = await request.body()
        backend.got.append(Arrived(request.url.path, body, dict(request.headers)))
        if backend.mode == "silent":
            await backend.released.wait()
        if backend.mode == "refusing":
            return Response(status_code=429, headers={"Retry-After": backend.retry_after})
        if backend.mode == "hopeless":
            return Response(status_code=400)
        return Response(backend.answer, media_type=request.headers["content-type"])

    return Starlette(routes=[Route("/{path:path}", take, methods=["POST"])])


class GrpcServices(grpc.GenericRpcHandler):
    """Every method of every service."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        """Takes what comes."""

        async def take(body: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
            headers = {key: str(value) for key, value in context.invocation_metadata() or ()}
            self._backend.got.append(Arrived(handler_call_details.method, body, headers))
            if self._backend.mode == "silent":
                await self._backend.released.wait()
            if self._backend.mode == "refusing":
                await context.abort(
                    grpc.StatusCode.RESOURCE_EXHAUSTED,
                    "later",
                    (("grpc-status-details-bin", _later().SerializeToString()),),
                )
            if self._backend.mode == "hopeless":
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "no")
            return self._backend.answer

        return grpc.unary_unary_rpc_method_handler(take)


def _later() -> Status:
    info, detail = RetryInfo(), AnyMessage()
    info.retry_delay.FromMilliseconds(1)
    detail.Pack(info)
    return Status(code=8, details=[detail])
