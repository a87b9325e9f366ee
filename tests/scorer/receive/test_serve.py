"""The receiving role from start to end."""

from __future__ import annotations

import asyncio
import ctypes
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil.scorer.errors import ConfigError, StoreError
from ragvigil.scorer.inbox import Arrival, InboxReader
from ragvigil.scorer.receive import http_server
from ragvigil.scorer.receive.intake import Intake
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.receive.memory import give_back, keep_large_apart
from ragvigil.scorer.receive.otlp_http import application

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]

PROTOBUF = {"Content-Type": "application/x-protobuf"}

IMPORTS_OF_THE_RECEIVER = """
import sys
import ragvigil.scorer.receive.job
import ragvigil.scorer.receive.serve
heavy = {"numpy", "httpx", "sqlite_utils", "pandas", "google.protobuf.json_format", "pydantic", "typer"}
heavy |= {"ragvigil.exporters", "ragvigil.tracer", "ragvigil.scorer.config"}
heavy |= {"ragvigil.scorer." + room for room in ("checks", "dialects", "judge", "sample", "store")}
heavy &= set(sys.modules)
assert not heavy, heavy
"""


def test_the_receiver_imports_nothing_heavy() -> None:
    """numpy alone would cost a third of its memory, what validates the settings another quarter."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS_OF_THE_RECEIVER],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_memory_is_given_back_only_where_the_c_library_can(monkeypatch: pytest.MonkeyPatch) -> None:
    """On another one the receiver starts all the same."""

    def another_library(name: str | None) -> object:
        return object()

    assert isinstance(give_back(), bool)
    monkeypatch.setattr(ctypes, "CDLL", another_library)
    assert give_back() is False
    assert keep_large_apart() is False


LARGE_AND_SMALL = """
import sys
from pathlib import Path
from ragvigil.scorer.receive.memory import keep_large_apart
def resident():
    return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0]) // 1024
if not keep_large_apart():
    sys.exit(77)
bytes(bytearray(30 << 20))
before, large, small = resident(), [], []
for _ in range(20):
    large.append(bytearray(b"x" * (8 << 20)))
    small.append(bytearray(b"x" * 100_000))
held = resident() - before
large.clear()
print(held, resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_freed_large_blocks_are_the_systems_again() -> None:
    """Also between small ones that stay, and after the C library has seen one that was freed."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE_AND_SMALL], capture_output=True, text=True, timeout=60, check=False
    )
    if done.returncode == 77:
        pytest.skip("this C library has no mallopt")
    assert done.returncode == 0, done.stderr
    held, left = map(int, done.stdout.split())
    assert held > 150
    assert left < 20


async def test_the_receiver_keeps_large_blocks_apart(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or what hostile requests took would stay with it."""
    asked: list[bool] = []
    monkeypatch.setattr(
        "ragvigil.scorer.receive.serve.keep_large_apart", lambda: asked.append(keep_large_apart())
    )
    await start()
    assert len(asked) == 1


RECEIVE_UNTIL_KILLED = """
import asyncio, sys
from pathlib import Path
from ragvigil.scorer.config import load
from ragvigil.scorer.receive.serve import receive
from ragvigil.scorer.receive.settings import receiving

async def main():
    free = {"grpc": "127.0.0.1:0", "http": "127.0.0.1:0"}
    settings = load(overrides={"receive": free, "inbox": {"path": Path(sys.argv[1])}})
    await receive(receiving(settings), ready=lambda bound: print(bound.http, flush=True), stop=asyncio.Event())

asyncio.run(main())
"""


async def test_kill_9_of_the_receiver_loses_no_acked_span(
    tmp_path: Path, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Three lives under load: every span that got its 200 is in the inbox afterwards."""
    acked: set[int] = set()
    for life in range(3):
        command = [sys.executable, "-c", RECEIVE_UNTIL_KILLED, str(tmp_path)]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        assert process.stdout is not None
        url = f"http://{(await process.stdout.readline()).decode().strip()}/v1/traces"

        async def send(sender: int, url: str = url, first: int = 100_000 * life) -> None:
            for number in range(first + 10_000 * sender + 1, first + 10_000 * (sender + 1)):
                body = request_of([span_of(number, number, text="x" * 2_000)]).SerializeToString()
                if (await client.post(url, content=body, headers=PROTOBUF)).status_code == 200:
                    acked.add(number)

        asyncio.get_running_loop().call_later(0.15 + 0.1 * life, process.kill)
        ends = await asyncio.gather(*(send(sender) for sender in range(4)), return_exceptions=True)
        await process.wait()
        assert all(isinstance(end, httpx.TransportError) for end in ends), ends
    with closing(InboxReader(tmp_path)) as reader:
        stored = {int(row.trace_id, 16) for row in reader.read(limit=100_000)}
    assert len(acked) > 10
    assert acked <= stored


async def test_a_connection_whose_headers_never_end_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow headers cost a bounded time; a connection that is kept alive between requests is left alone."""
    monkeypatch.setattr(http_server, "_HEADER_SECONDS", 0.1)
    server = http_server.HttpServer(
        application(Intake(BrokenDisk(), Limits()), dict), "127.0.0.1:0", grace_seconds=1
    )
    server.start()
    host, port = server.address.split(":")
    slow_reader, slow = await asyncio.open_connection(host, int(port))
    reader, kept = await asyncio.open_connection(host, int(port))
    slow.write(b"POST /v1/traces HTTP/1.1\r\nX-Slow: ")
    for _ in range(2):
        kept.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"200 OK" in await reader.readuntil(b"{}")
        assert await asyncio.wait_for(slow_reader.read(), 10) == b""
    for writer in (slow, kept):
        writer.close()
        await writer.wait_closed()
    await server.stop()


async def test_stopping_answers_what_is_under_way_and_ends(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Requests that wait for a slow commit get their 200 and are stored; then the role ends."""
    receiver = await start(inbox={"commit_seconds": 0.5})
    bodies = [request_of([span_of(number, number)]).SerializeToString() for number in range(1, 6)]
    sent = [
        asyncio.create_task(client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF))
        for body in bodies
    ]
    await until_requests(client, receiver, 5)
    receiver.stop.set()
    assert [(await one).status_code for one in sent] == [200] * 5
    await asyncio.wait_for(receiver.ended, 10)
    assert len(receiver.spans()) == 5
    with pytest.raises(httpx.ConnectError):
        await client.post(f"{receiver.url}/v1/traces", content=bodies[0], headers=PROTOBUF)


async def until_requests(client: httpx.AsyncClient, receiver: Any, count: int) -> None:
    """Poll until so many requests have come in."""
    async with asyncio.timeout(10):
        while True:
            found = (await client.get(f"{receiver.url}/healthz")).json()
            if found["received"]["requests"] == {"http spans": count}:
                return
            await asyncio.sleep(0.005)


async def test_a_second_receiver_on_the_same_inbox_is_told_so(start: Start) -> None:
    """Before it binds anything."""
    await start()
    with pytest.raises(StoreError, match=r"set inbox\.path"):
        await start()


@pytest.mark.parametrize("protocol", ["grpc", "http"])
async def test_an_address_in_use_is_a_config_error(start: Start, protocol: str, tmp_path: Path) -> None:
    """It names the key, and leaves nothing behind: each try of a service manager left a folder, or a file in it."""
    first = await start()
    taken, second = getattr(first.bound, protocol), tmp_path / "second"
    with pytest.raises(ConfigError, match=rf"receive\.{protocol}: {taken} is in use .*name another port"):
        await start(receive={protocol: taken}, inbox={"path": second})
    assert not second.exists()
    await start(inbox={"path": second})


class BrokenDisk:
    """Staging whose commits fail, then work."""

    def __init__(self) -> None:
        self.broken = True

    def append(self, rows: Iterable[Arrival]) -> Future[None]:
        """A future that fails while the disk is broken."""
        future: Future[None] = Future()
        if self.broken:
            future.set_exception(StoreError("inbox cannot be written: disk I/O error"))
        else:
            future.set_result(None)
        return future


async def test_a_failing_disk_is_a_503_that_passes(request_of: Request, span_of: SpanOf) -> None:
    """Nothing is acked, the sender is told to come back, and afterwards it is taken."""
    disk = BrokenDisk()
    intake = Intake(disk, Limits())
    body = request_of([span_of(1, 1)]).SerializeToString()
    async with client_of(intake) as client:
        answer = await client.post("/v1/traces", content=body, headers=PROTOBUF)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        disk.broken = False
        assert (await client.post("/v1/traces", content=body, headers=PROTOBUF)).status_code == 200
    assert (intake.counters.spans, dict(intake.counters.refused)) == (1, {"store": 1})


async def test_a_stopping_receiver_refuses_new_work(request_of: Request, span_of: SpanOf) -> None:
    """503 with Retry-After, so that the sender keeps its spans."""
    intake = Intake(BrokenDisk(), Limits())
    intake.stopping = True
    async with client_of(intake) as client:
        answer = await client.post("/v1/traces", content=b"", headers=PROTOBUF)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


async def test_a_sender_that_falls_silent_is_refused(request_of: Request) -> None:
    """A body that stops coming costs a bounded time, and the memory is given back."""
    intake = Intake(BrokenDisk(), Limits(chunk_seconds=0.05))

    async def silent() -> AsyncIterator[bytes]:
        yield b"{"
        await asyncio.Event().wait()

    async with client_of(intake) as client:
        answer = await client.post(
            "/v1/traces", content=silent(), headers={"Content-Type": "application/json"}
        )
    assert (answer.status_code, answer.headers["connection"]) == (503, "close")
    assert intake.open_bytes.held == 0


async def test_too_many_bytes_at_once_are_refused_for_now(request_of: Request, span_of: SpanOf) -> None:
    """Requests that are worked on hold at most so much memory together; one alone is always let in."""
    disk = BrokenDisk()
    disk.broken = False
    intake = Intake(disk, Limits(max_open_bytes=1_000))
    body = request_of([span_of(1, 1, text="x" * 5_000)]).SerializeToString()
    async with client_of(intake) as client:
        assert (await client.post("/v1/traces", content=body, headers=PROTOBUF)).status_code == 200
        with intake.hold() as held:
            held.grow(900)
            assert (await client.post("/v1/traces", content=body, headers=PROTOBUF)).status_code == 429
    assert intake.open_bytes.held == 0


async def test_a_fault_of_our_own_is_never_a_500(
    request_of: Request, span_of: SpanOf, caplog: pytest.LogCaptureFixture
) -> None:
    """Senders do not retry a 500, so it would lose data."""

    class Faulty:
        """Raises what nobody expects."""

        def append(self, rows: Iterable[Arrival]) -> Future[None]:
            """Never returns."""
            raise ZeroDivisionError

    body = request_of([span_of(1, 1)]).SerializeToString()
    async with client_of(Intake(Faulty(), Limits())) as client:
        answer = await client.post("/v1/traces", content=body, headers=PROTOBUF)
    assert answer.status_code == 503
    assert "failed unexpectedly" in caplog.text


def client_of(intake: Intake) -> httpx.AsyncClient:
    """A client that talks to the application without a socket."""
    transport = httpx.ASGITransport(application(intake, dict))
    return httpx.AsyncClient(transport=transport, base_url="http://receiver")
