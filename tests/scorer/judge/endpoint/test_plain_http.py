"""Requests over connections of our own, to servers that say exactly these bytes."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from ragvigil.scorer.judge.endpoint.connections import pools_of
from ragvigil.scorer.judge.endpoint.plain_http import PlainHttp

CLOSE = b""
"""Instead of an answer the server closes the connection."""


class Server:
    """Answers requests in turn with what it was told to say."""

    def __init__(self, answers: Sequence[bytes]) -> None:
        self._answers = list(answers)
        self.connections = 0
        self.requests: list[bytes] = []
        self.url = ""
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.connections += 1
        self.writers.append(writer)
        with suppress(asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.requests.append(head + await reader.readexactly(4))
                answer = self._answers.pop(0)
                writer.write(answer)
                await writer.drain()
                if answer == CLOSE or b"content-length: 9" in answer or b"onnection: close" in answer:
                    break
        writer.close()


@asynccontextmanager
async def saying(*answers: bytes) -> AsyncGenerator[tuple[Server, PlainHttp]]:
    """A server that says these, and connections to it."""
    server = Server(answers)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1/x?y=1"
    http = PlainHttp()
    try:
        yield server, http
    finally:
        await http.aclose()
        listening.close()
        for writer in server.writers:
            writer.close()
        await asyncio.gather(*(one.wait_closed() for one in server.writers), return_exceptions=True)
        await listening.wait_closed()


async def asked(server: Server, http: PlainHttp) -> tuple[int, bytes]:
    """Status and body of one request."""
    request = httpx.Request("POST", server.url, headers={"x-key": "k"}, content=b"body")
    response = await http.handle_async_request(request)
    try:
        return response.status_code, b"".join([part async for part in response.aiter_bytes()])
    finally:
        await response.aclose()


def whole(body: bytes, *headers: bytes) -> bytes:
    """An answer with a length."""
    lines = b"".join(one + b"\r\n" for one in headers)
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n%b\r\n%b" % (len(body), lines, body)


async def test_one_connection_serves_one_request_after_another() -> None:
    """And the request goes over the wire as it should."""
    async with saying(whole(b"one"), whole(b"two")) as (server, http):
        assert await asked(server, http) == (200, b"one")
        assert await asked(server, http) == (200, b"two")
    assert server.connections == 1
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert body == b"body"
    first, *headers = head.split(b"\r\n")
    assert first == b"POST /v1/x?y=1 HTTP/1.1"
    assert {b"x-key: k", b"Content-Length: 4"} <= set(headers)
    assert any(one.startswith(b"Host: 127.0.0.1:") for one in headers)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nsai\r\n1\r\nd\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsaid",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nsaid",
        whole(gzip.compress(b"said"), b"content-encoding: gzip"),
    ],
    ids=["chunked", "ended by closing", "after a continue", "compressed"],
)
async def test_a_body_is_read_however_it_comes(answer: bytes) -> None:
    """In chunks, until the server closes, after words before the answer, compressed."""
    async with saying(answer, whole(b"next")) as (server, http):
        assert await asked(server, http) == (200, b"said")
        assert await asked(server, http) == (200, b"next")


@pytest.mark.parametrize(
    "answer",
    [
        CLOSE,
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-le",
        b"SMTP ready\r\nconnection: close\r\n\r\n",
    ],
    ids=["nothing", "half a body", "half a head", "no HTTP"],
)
async def test_half_an_answer_is_none(answer: bytes) -> None:
    """It is the transport's error, and the next request gets a connection of its own."""
    async with saying(answer, whole(b"next")) as (server, http):
        with pytest.raises(httpx.TransportError):
            await asked(server, http)
        assert await asked(server, http) == (200, b"next")
    assert server.connections == 2


async def test_a_kept_connection_that_the_server_has_closed_costs_nothing() -> None:
    """It looked alive when the request was sent: the request is sent once more."""
    async with saying(whole(b"one"), CLOSE, whole(b"two")) as (server, http):
        assert await asked(server, http) == (200, b"one")
        assert await asked(server, http) == (200, b"two")
    assert (server.connections, len(server.requests)) == (2, 3)


async def test_whom_nobody_listens_to_is_told_so() -> None:
    """As by httpx's own transport."""
    async with saying() as (server, _):
        pass
    with pytest.raises(httpx.ConnectError):
        await asked(server, PlainHttp())


async def test_a_key_of_two_lines_adds_no_header() -> None:
    """It is not sent at all."""
    request = httpx.Request("POST", "http://127.0.0.1:9/", headers={"x": "a\r\nhost: b"}, content=b"")
    with pytest.raises(httpx.LocalProtocolError, match="more than one line"):
        await PlainHttp().handle_async_request(request)


async def test_encrypted_addresses_and_proxies_get_the_usual_transport(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A proxy is what the environment names, unless it says that the host needs none."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    plain, secure = httpx.URL("http://judge.internal/v1"), httpx.URL("https://judge.internal/v1")
    assert [pool.seats for pool in pools_of(plain, seats=9, requests=1)] == [9]
    assert [pool.seats for pool in pools_of(secure, seats=9, requests=1)] == [4, 4, 1]
    monkeypatch.setenv("HTTP_PROXY", "proxy.internal:3128")
    assert not isinstance(pools_of(plain, seats=1, requests=1)[0].http, PlainHttp)
    monkeypatch.setenv("NO_PROXY", "judge.internal")
    assert isinstance(pools_of(plain, seats=1, requests=1)[0].http, PlainHttp)
