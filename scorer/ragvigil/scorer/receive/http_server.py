"""The HTTP server around an ASGI application: binds first, says where, stops when told."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable, Generator
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from ragvigil.scorer.errors import ConfigError

_HEADER_SECONDS = 10.0
"""Time from a connection, or a request's first byte, to the end of its headers."""
_MOST_HEADER_BYTES = 64 * 1024
"""Of a request's address and headers together, and of a header that has not ended: nobody has shown a token yet."""
_UNREAD_SECONDS = 15.0
"""How long the rest of a body may take whose request is answered already: most senders read no answer before."""
_KEEP_ALIVE_SECONDS = 75
"""Longer than the pause between two exports, so that a sender does not meet a closing connection."""
_BACKLOG = 1024


class _Parting:
    """A connection whose close waits for the rest of the body; all else is the connection's own.

    A socket that is closed with bytes unread resets the connection, and the sender never reads why it was refused.
    """

    def __init__(self, transport: asyncio.Transport, is_unread: Callable[[], bool]) -> None:
        self._transport = transport
        self._is_unread = is_unread

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def close(self) -> None:
        """Close it, or only our half while its sender still writes."""
        if self._is_unread() and self._transport.can_write_eof():
            self._transport.write_eof()
        else:
            self._transport.close()


class _TooLongError(Exception):
    """Address and headers are longer than anybody needs."""


class _ImpatientProtocol(HttpToolsProtocol):
    """Closes connections whose headers never end, or whose refused body never does; answers before it hangs up."""

    def __init__(self, *uvicorn: Any, malformed: Callable[[], bytes], **options: Any) -> None:
        super().__init__(*uvicorn, **options)
        self._malformed = malformed
        self._impatience: asyncio.TimerHandle | None = None
        self._half_closed = False
        self._head = 0
        self._unheard = 0
        self._too_long = False

    def data_received(self, data: bytes) -> None:
        """Reads on; what the parser holds of a header that does not end is bounded."""
        self._unheard += len(data)
        super().data_received(data)
        if self._unheard > _MOST_HEADER_BYTES and not self.transport.is_closing():
            self._too_long = True
            self.send_400_response("")

    def on_url(self, url: bytes) -> None:
        self._hold(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._hold(len(name) + len(value))
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._unheard = 0
        super().on_body(body)

    def _hold(self, count: int) -> None:
        """Take so many bytes of address or headers; those after the body count too."""
        self._unheard = 0
        self._head += count
        if self._head > _MOST_HEADER_BYTES:
            self._too_long = True
            raise _TooLongError

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        super().connection_made(transport)
        self._expect(_HEADER_SECONDS)

    def on_message_begin(self) -> None:
        self._head = 0
        self._expect(_HEADER_SECONDS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._relax()
        super().on_headers_complete()
        cycle = self.cycle
        parting: Any = _Parting(self.transport, lambda: cycle.more_body)
        cycle.transport = parting

    def on_message_complete(self) -> None:
        self._relax()
        super().on_message_complete()
        if self.cycle.response_complete and not self.cycle.keep_alive:
            self.transport.close()

    def on_response_complete(self) -> None:
        if self._half_closed:
            self.transport.close()
        elif self.cycle.response_complete and self.cycle.more_body:
            self._expect(_UNREAD_SECONDS)
        super().on_response_complete()

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn hangs up whatever was asked
        """Whether to stay: who asked a whole question, and says no more, is told the answer."""
        cycle = cast("RequestResponseCycle | None", self.cycle)  # None before the first request
        self._half_closed = cycle is not None and not (cycle.more_body or cycle.response_complete)
        return self._half_closed

    def connection_lost(self, exc: Exception | None) -> None:
        self._relax()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP, or has endless headers, gets the body that OTLP wants in every refusal."""
        del msg
        body = self._malformed()
        why = "431 Request Header Fields Too Large" if self._too_long else "400 Bad Request"
        head = (
            f"HTTP/1.1 {why}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()

    def _expect(self, seconds: float) -> None:
        if self._impatience is None:
            self._impatience = self.loop.call_later(seconds, self.transport.close)

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

    def __init__(
        self,
        app: ASGIApp,
        address: str,
        *,
        grace_seconds: int,
        malformed: Callable[[], bytes] = bytes,
        key: str = "receive.http",
    ) -> None:
        """`malformed`: the JSON for what is no HTTP request; it never reaches the application.

        `key`: the setting that names the address.
        """
        self._socket = bound(address, key)
        self._wanted = address
        self._key = key
        config: dict[str, Any] = {
            "http": partial(_ImpatientProtocol, malformed=malformed),
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
        """Begin to serve; connections are taken from now on. Raises ConfigError where another listens there."""
        try:
            self._socket.listen(_BACKLOG)
        except OSError as error:  # two may bind the same address before one of them listens
            raise unusable(self._key, self._wanted, error) from None
        self._running = asyncio.create_task(self._server.serve(sockets=[self._socket]))

    async def stop(self) -> None:
        """Take no more connections, finish the requests at hand (within the grace time), end."""
        self._server.should_exit = True
        if self._running is not None:
            await self._running
        self._socket.close()


def bound(address: str, key: str) -> socket.socket:
    """A socket bound to host:port, which listens once told to. Raises ConfigError for the setting `key`."""
    host, _, port = address.rpartition(":")
    try:
        found = socket.getaddrinfo(
            host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, place = min(found, key=lambda one: one[0] != socket.AF_INET)
        made = socket.socket(family, kind, protocol)
    except (OSError, OverflowError) as error:
        raise unusable(key, address, error) from None
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
    except (OSError, OverflowError) as error:
        made.close()
        raise unusable(key, address, error) from None
    return made


def unusable(key: str, address: str, error: Exception | None = None) -> ConfigError:
    """The error of an address that the setting `key` names and nobody can listen on."""
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return ConfigError(key, f"{address} is in use", "stop what listens there, or name another port")
    why = f": {error}" if error else ""
    return ConfigError(key, f"{address} cannot be used{why}", "name another address")
