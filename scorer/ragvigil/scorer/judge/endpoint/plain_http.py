"""HTTP/1.1 without encryption, for the models that people serve themselves: a quarter of the usual transport's CPU."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress

import httptools
import httpx

_IDLE_SECONDS = 4.0
"""How long a connection is kept for the next request; usual servers close it after five seconds."""
_READ_BYTES = 2**16
_RESPONSE_FROM = 200
"""Statuses below it come before the response."""


class PlainHttp(httpx.AsyncBaseTransport):
    """Sends requests to ``http`` addresses; waits as long as its caller lets it, and opens as many connections."""

    def __init__(self) -> None:
        self._idle: list[_Connection] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response, its body still to be read; raises what httpx's own transport raises.

        A request that a kept connection took when the server had just closed it is sent once more on a new one.
        """
        message = _message(request)
        kept = self._kept()
        if kept is not None:
            with suppress(_ClosedBeforeAnswerError):
                return await self._exchange(kept, message)
        return await self._exchange(await _connected(request.url), message)

    async def aclose(self) -> None:
        """Close the connections that are kept."""
        while self._idle:
            self._idle.pop().close()

    def _kept(self) -> _Connection | None:
        """The connection that was used last, where it can still be used; those that cannot are closed."""
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                return connection
            connection.close()
        return None

    async def _exchange(self, connection: _Connection, message: bytes) -> httpx.Response:
        try:
            answer = await connection.ask(message)
        except BaseException:
            connection.close()
            raise
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(connection, answer, self._idle)
        )


class _ClosedBeforeAnswerError(httpx.RemoteProtocolError):
    """The server closed the connection without a byte of an answer."""


class _Answer:
    """What the parser has found of one response."""

    def __init__(self) -> None:
        self.parser = httptools.HttpResponseParser(self)
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self.body: list[bytes] = []
        self.began = False
        self.complete = False
        self.reusable = False
        self._measured = False

    def feed(self, data: bytes) -> None:
        """Take what arrived; no data: the server ends the connection."""
        if not data:
            self._end()
            return
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError as error:
            if not self.complete:
                raise httpx.RemoteProtocolError(str(error)) from None
            self.reusable = False  # it said more than it was asked

    def _end(self) -> None:
        if not self.began or self._measured:
            raise httpx.RemoteProtocolError("the server closed the connection within its answer")
        self.complete = True  # of a body without a length this is how it ends

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """All headers of the response, or of what came before it."""
        self.status = self.parser.get_status_code()
        if self.status < _RESPONSE_FROM:
            self.headers.clear()
            return
        names = {name.lower() for name, _ in self.headers}
        self._measured = not names.isdisjoint((b"content-length", b"transfer-encoding"))
        self.began = True
        self.reusable = self.parser.should_keep_alive()

    def on_body(self, data: bytes) -> None:
        """A part of the body."""
        self.body.append(data)

    def on_message_complete(self) -> None:
        """The end, unless more was announced."""
        self.complete = self.began


class _Connection:
    """One connection, with one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._used_at = time.monotonic()
        self._asked = False

    @property
    def usable(self) -> bool:
        """Whether the server still listens, as far as can be seen."""
        fresh = time.monotonic() - self._used_at < _IDLE_SECONDS
        return fresh and not self._reader.at_eof() and not self._writer.is_closing()

    async def ask(self, message: bytes) -> _Answer:
        """The answer up to its headers, and what came with them."""
        again, self._asked = self._asked, True
        answer = _Answer()
        try:
            self._writer.write(message)
            await self._writer.drain()
            data = await self._reader.read(_READ_BYTES)
        except OSError as error:
            if again:
                raise _ClosedBeforeAnswerError(str(error)) from None
            raise httpx.ReadError(str(error)) from None
        if again and not data:
            raise _ClosedBeforeAnswerError("the server closed a connection that it had kept")
        answer.feed(data)
        while not answer.began:
            await self.read(answer)
        return answer

    async def read(self, answer: _Answer) -> None:
        """Some more of it."""
        try:
            answer.feed(await self._reader.read(_READ_BYTES))
        except OSError as error:
            raise httpx.ReadError(str(error)) from None

    def rest(self) -> None:
        """Wait for the next request."""
        self._used_at = time.monotonic()

    def close(self) -> None:
        """Close it."""
        self._writer.close()


class _Body(httpx.AsyncByteStream):
    """The body as it arrives; its connection is kept when all of it was read."""

    def __init__(self, connection: _Connection, answer: _Answer, idle: list[_Connection]) -> None:
        self._connection: _Connection | None = connection
        self._answer = answer
        self._idle = idle

    async def __aiter__(self) -> AsyncIterator[bytes]:
        answer = self._answer
        while self._connection is not None:
            said = b"".join(answer.body)
            answer.body.clear()
            if said:
                yield said
            if answer.complete:
                return
            await self._connection.read(answer)

    async def aclose(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if self._answer.complete and self._answer.reusable:
            connection.rest()
            self._idle.append(connection)
        else:
            connection.close()


async def _connected(url: httpx.URL) -> _Connection:
    try:
        reader, writer = await asyncio.open_connection(url.host, url.port or 80, happy_eyeballs_delay=0.25)
    except OSError as error:
        raise httpx.ConnectError(str(error)) from error
    return _Connection(reader, writer)


def _message(request: httpx.Request) -> bytes:
    """A request as it goes over the wire; its body was given whole. LocalProtocolError: a header is none."""
    if any(b"\n" in value or b"\r" in value for _, value in request.headers.raw):
        raise httpx.LocalProtocolError("a header has more than one line")
    headers = b"".join(b"%b: %b\r\n" % header for header in request.headers.raw)
    return b"%b %b HTTP/1.1\r\n%b\r\n%b" % (
        request.method.encode(),
        request.url.raw_path,
        headers,
        request.content,
    )
