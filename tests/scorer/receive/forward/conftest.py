"""Starts backends that end with the test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import grpc.aio
import pytest
from tests.scorer.receive.forward.backends import Backend, GrpcServices, http_application

from ragvigil.scorer.receive.forward import queue
from ragvigil.scorer.receive.http_server import HttpServer

Backends = Callable[..., Awaitable[Backend]]


@pytest.fixture
async def http_backend() -> AsyncIterator[Backends]:
    """Starts HTTP backends, on a port of choice."""
    async with AsyncExitStack() as stack:

        async def begin(
            address: str = "127.0.0.1:0", *, mode: str = "healthy", retry_after: str = "0"
        ) -> Backend:
            backend = Backend(mode=mode, retry_after=retry_after)
            server = HttpServer(http_application(backend), address, grace_seconds=1)
            server.start()
            stack.push_async_callback(server.stop)
            stack.callback(backend.released.set)
            backend.url = f"http://{server.address}"
            return backend

        yield begin


@pytest.fixture
async def grpc_backend() -> AsyncIterator[Backends]:
    """Starts gRPC backends, on a port of choice."""
    async with AsyncExitStack() as stack:

        async def begin(
            address: str = "127.0.0.1:0", *, mode: str = "healthy", retry_after: str = "0"
        ) -> Backend:
            backend = Backend(mode=mode, retry_after=retry_after)
            server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
            server.add_generic_rpc_handlers((GrpcServices(backend),))
            port = server.add_insecure_port(address)
            await server.start()
            stack.push_async_callback(server.stop, 0)
            stack.callback(backend.released.set)
            backend.url = f"grpc://127.0.0.1:{port}"
            return backend

        yield begin


@pytest.fixture(params=["http", "grpc"])
def backends(request: pytest.FixtureRequest) -> Backends:
    """Both kinds of backend."""
    found: Backends = request.getfixturevalue(f"{request.param}_backend")
    return found


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second try soon."""
    monkeypatch.setattr(queue, "_FIRST_WAIT_SECONDS", 0.02)
    monkeypatch.setattr(queue, "_LONGEST_WAIT_SECONDS", 0.05)
