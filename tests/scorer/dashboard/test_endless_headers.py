"""What somebody without the token can make the pages hold: little, and not for long. Over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path

import httpx
import pytest
from tests.scorer.metrics.filled import settings_in

from ragvigil.scorer.commands._dashboard import status
from ragvigil.scorer.dashboard.application import application
from ragvigil.scorer.receive import http_server
from ragvigil.scorer.receive.http_server import HttpServer
from ragvigil.scorer.store.sqlite import SqliteStore

TOKEN = "a-token-of-the-pages-0123456789"
START = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
PIECE = 8 * 1024


@contextlib.asynccontextmanager
async def served(folder: Path) -> AsyncGenerator[tuple[str, int]]:
    """The pages behind a token, with the address they listen on."""
    settings = settings_in(folder, dashboard={"token": TOKEN})
    with SqliteStore(settings):
        pass
    server = HttpServer(application(settings, status()), "127.0.0.1:0", grace_seconds=1, key="dashboard.http")
    server.start()
    try:
        host, _, port = server.address.rpartition(":")
        yield host, int(port)
    finally:
        await server.stop()


async def sent(place: tuple[str, int], pieces: Iterable[bytes]) -> tuple[int, bytes]:
    """How many bytes were taken before it hung up, and what it answered."""
    reader, writer = await asyncio.open_connection(*place)
    taken, answer = 0, b""
    with contextlib.suppress(OSError):
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            taken += len(piece)
            await asyncio.sleep(0.002)
            if reader.at_eof():
                break
    with contextlib.suppress(OSError):
        async with asyncio.timeout(5):
            answer = await reader.read()
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return taken, answer


@pytest.mark.parametrize(
    "pieces",
    [
        [START + b"X-Long: ", *[b"a" * PIECE] * 2_000],
        [START + b"X", *[b"a" * PIECE] * 2_000],
        [START, *[b"X-Many: a\r\n" * (PIECE // 11)] * 2_000],
        [b"GET /", *[b"a" * PIECE] * 2_000],
        [
            b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            *[b"X-Trailer: a\r\n" * (PIECE // 14)] * 2_000,
        ],
    ],
    ids=["value", "name", "many", "address", "trailers"],
)
async def test_what_nobody_ends_is_hung_up_on_before_it_is_held(tmp_path: Path, pieces: list[bytes]) -> None:
    """It was held, 16 MB of each of these and on, before anybody asked for the token."""
    async with served(tmp_path) as place:
        taken, answer = await sent(place, pieces)
        assert taken < 2_000_000
        assert answer == b"" or answer.startswith((b"HTTP/1.1 431 ", b"HTTP/1.1 401 "))
        async with httpx.AsyncClient() as client:
            assert (await client.get(f"http://{place[0]}:{place[1]}/healthz")).status_code == 200


async def test_a_header_that_is_too_long_by_little_is_told_so(tmp_path: Path) -> None:
    """And one of 32 kB, as a proxy may add, is none."""
    async with served(tmp_path) as place, httpx.AsyncClient() as client:
        url = f"http://{place[0]}:{place[1]}/healthz"
        assert (await client.get(url, headers={"cookie": "a" * 32_768})).status_code == 200
        assert (await client.get(url, headers={"cookie": "a" * 70_000})).status_code == 431


async def test_who_sends_a_byte_at_a_time_is_hung_up_on_and_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty at once: headers have so many seconds, however busily they come."""
    monkeypatch.setattr(http_server, "_HEADER_SECONDS", 1.0)

    async def dripping(place: tuple[str, int]) -> float:
        begun = time.monotonic()
        reader, writer = await asyncio.open_connection(*place)
        with contextlib.suppress(OSError):
            for byte in START * 100:
                writer.write(bytes([byte]))
                await asyncio.sleep(0.05)
                if reader.at_eof() or writer.is_closing():
                    break
        writer.close()
        return time.monotonic() - begun

    async with served(tmp_path) as place, httpx.AsyncClient(timeout=10) as client:
        drips = [asyncio.create_task(dripping(place)) for _ in range(50)]
        await asyncio.sleep(0.3)
        url = f"http://{place[0]}:{place[1]}/"
        assert (await client.get(url, auth=("anybody", TOKEN))).status_code == 200
        assert max(await asyncio.gather(*drips)) < 8.0
