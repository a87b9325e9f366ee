"""A disk that is full is told to senders and over without a restart; one that can only be read, at start."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import grpc
import grpc.aio
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil.scorer.config import load
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import InboxReader
from ragvigil.scorer.receive.serve import receive
from ragvigil.scorer.receive.settings import receiving

Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]

PROTOBUF = {"Content-Type": "application/x-protobuf"}
RECEIVE = """
import asyncio, sys
from pathlib import Path
from ragvigil.scorer.config import load
from ragvigil.scorer.receive.serve import receive
from ragvigil.scorer.receive.settings import receiving

async def main():
    free = {"grpc": "127.0.0.1:0", "http": "127.0.0.1:0"}
    settings = load(overrides={"receive": free, "inbox": {"path": Path(sys.argv[1])}})
    ready = lambda bound: print(bound.grpc, bound.http, flush=True)
    await receive(receiving(settings), ready=ready, stop=asyncio.Event())

asyncio.run(main())
"""


@dataclass
class Running:
    """A receiver in a process of its own."""

    process: asyncio.subprocess.Process
    grpc: str
    http: str

    async def is_refused(self, client: httpx.AsyncClient, body: bytes) -> bool:
        """Whether both protocols are told to come back, and when."""
        answer = await client.post(f"http://{self.http}/v1/traces", content=body, headers=PROTOBUF)
        if answer.status_code != 503:
            return False
        assert answer.headers["retry-after"] == "1"
        async with grpc.aio.insecure_channel(self.grpc) as channel:
            call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
                "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
            )
            try:
                await call(body)
            except grpc.aio.AioRpcError as error:
                refused = error
            else:
                return False  # a checkpoint has made room meanwhile
        assert refused.code() is grpc.StatusCode.UNAVAILABLE
        details = dict(refused.trailing_metadata() or ())["grpc-status-details-bin"]
        assert isinstance(details, bytes)
        assert Status.FromString(details).details[0].Unpack(RetryInfo())
        return True


Run = Callable[[Path], Awaitable[Running]]


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    """Starts receivers that end with the test."""
    started: list[asyncio.subprocess.Process] = []

    async def begin(folder: Path) -> Running:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", RECEIVE, str(folder), stdout=asyncio.subprocess.PIPE
        )
        started.append(process)
        assert process.stdout is not None
        bound = (await process.stdout.readline()).decode().split()
        return Running(process, *bound)

    yield begin
    for process in started:
        process.kill()
        await process.wait()


async def test_a_disk_that_takes_no_more_bytes_is_a_503_that_passes(
    run: Run, tmp_path: Path, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Lifted, the same process takes again, and nothing acked is lost."""
    receiver = await run(tmp_path)
    fill(receiver)
    acked: list[int] = []
    number, body = 0, b""
    for number in range(1, 100):
        body = request_of([span_of(number, number, text="x" * 20_000)]).SerializeToString()
        if await receiver.is_refused(client, body):
            break
        acked.append(number)
    assert 0 < len(acked) < 50
    make_room(receiver)
    await takes_again(receiver, client, body)
    with closing(InboxReader(tmp_path)) as reader:
        assert {*acked, number} <= {int(row.trace_id, 16) for row in reader.read(limit=1_000)}


async def test_a_receiver_that_failed_finds_out_by_itself_that_it_can_write_again(
    run: Run, tmp_path: Path, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """A load balancer that took it out sends nothing that would show it."""
    receiver = await run(tmp_path)
    fill(receiver)
    body = request_of([span_of(1, 1, text="x" * 400_000)]).SerializeToString()
    assert await receiver.is_refused(client, body)
    await asyncio.sleep(2)
    assert await health(receiver, client) == "failing"
    make_room(receiver)
    await asyncio.sleep(2)
    assert await health(receiver, client) == "ok"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"this user may not mount: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


async def test_a_file_system_that_is_full_is_a_503_that_passes(
    run: Run, disk: Path, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Filled to the brim, then emptied."""
    receiver = await run(disk / "inbox")
    body = request_of([span_of(1, 1, text="x" * 20_000)]).SerializeToString()
    await takes_again(receiver, client, body)
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass
    async with asyncio.timeout(30):
        while not await receiver.is_refused(
            client, body
        ):  # what was left inside the segment is used up first
            pass
    ballast.unlink()
    await takes_again(receiver, client, body)


async def test_a_read_only_disk_is_named_at_start(disk: Path) -> None:
    """Before anything is bound, with the setting to change."""
    remounting = await asyncio.create_subprocess_exec("mount", "-o", "remount,ro", str(disk))
    assert await remounting.wait() == 0
    settings = load(
        overrides={
            "receive": {"grpc": "127.0.0.1:0", "http": "127.0.0.1:0"},
            "inbox": {"path": disk / "inbox"},
        }
    )
    with pytest.raises(StoreError, match=r"Read-only file system.*can be written by inbox\.path"):
        await receive(receiving(settings), ready=lambda bound: None, stop=asyncio.Event())


def fill(receiver: Running) -> None:
    """A file-size limit stands for the full disk."""
    _, most = resource.prlimit(receiver.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(receiver.process.pid, resource.RLIMIT_FSIZE, (300_000, most))


def make_room(receiver: Running) -> None:
    """Lift the limit."""
    _, most = resource.prlimit(receiver.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(receiver.process.pid, resource.RLIMIT_FSIZE, (most, most))


async def health(receiver: Running, client: httpx.AsyncClient) -> str:
    """What a load balancer is told."""
    answer = await client.get(f"http://{receiver.http}/healthz")
    return str(answer.json()["status"])


async def takes_again(receiver: Running, client: httpx.AsyncClient, body: bytes) -> None:
    """Come back as often as told to."""
    async with asyncio.timeout(30):
        while True:
            answer = await client.post(f"http://{receiver.http}/v1/traces", content=body, headers=PROTOBUF)
            if answer.status_code == 200:
                return
            assert answer.status_code == 503
            await asyncio.sleep(0.05)
