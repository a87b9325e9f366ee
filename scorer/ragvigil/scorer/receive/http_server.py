"""The HTTP server around an ASGI application: binds first, says where, stops when told."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Generator
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ragvigil.scorer.errors import ConfigError

_HEADER_SECONDS = 10.0
"""Time from a connection, or a request's first byte, to the end of its headers."""
_KEEP_ALIVE_SECONDS = 75
"""Longer than the pause between two exports, so that a sender does not meet a closing connection."""
_BACKLOG = 1024


class _ImpatientProtocol(HttpToolsProtocol):
    """Closes connections whose request headers never end."""

    _impatience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._expect_headers()

    def on_message_begin(self) -> None:
        self._expect_headers()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._relax()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._relax()
        super().connection_lost(exc)

    def _expect_headers(self) -> None:
        if self._impatience is None:
            self._impatience = self.loop.call_later(_HEADER_SECONDS, self.transport.close)

    def _relax(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
            self._impatience = None


class _Server(uvicorn.Server):
    """Leaves signals to the process that runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class HttpServer:
    """An ASGI application served on one address."""

    def __init__(self, app: ASGIApp, address: str, *, grace_seconds: int) -> None:
        self._socket = _bound(address)
        config: dict[str, Any] = {
            "http": _ImpatientProtocol,
            "ws": "none",
            "lifespan": "off",
            "log_config": None,
        }
        self._server = _Server(
            uvicorn.Config(
                app,
                **config,
                access_log=False,
                log_level="error",
                server_header=False,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=grace_seconds,
                backlog=_BACKLOG,
            )
        )
        self._running: asyncio.Task[None] | None = None

    @property
    def address(self) -> str:
        """host:port as bound."""
        host, port = self._socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def start(self) -> None:
        """Begin to serve; connections are taken from now on."""
        self._socket.listen(_BACKLOG)
        self._running = asyncio.create_task(self._server.serve(sockets=[self._socket]))

    async def stop(self) -> None:
        """Take no more connections, finish the requests at hand (within the grace time), end."""
        self._server.should_exit = True
        if self._running is not None:
            await self._running
        self._socket.close()


def _bound(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(
            host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, place = min(found, key=lambda one: one[0] != socket.AF_INET)
        bound = socket.socket(family, kind, protocol)
    except (OSError, OverflowError) as error:
        raise _unusable(address, error) from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(place)
    except (OSError, OverflowError) as error:
        bound.close()
        raise _unusable(address, error) from None
    return bound


def _unusable(address: str, error: Exception) -> ConfigError:
    return ConfigError(
        "receive.http", f"{address} cannot be used: {error}", "is another scorer running there?"
    )
