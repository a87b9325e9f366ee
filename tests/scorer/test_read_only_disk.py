"""A disk that becomes read-only while everything runs, and is given back: told to senders, and over without a restart.

A mount cannot be made read-only under files that are open for writing, and a file system that did so by itself after an
error cannot be given back. So the real processes run over a few lines of C that answer EROFS to the calls that write.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from pathlib import Path

import grpc
import grpc.aio
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from tests.conftest import Scorer, Serve, eventually
from tests.scorer.replay.conftest import question

PROTOBUF = {"content-type": "application/x-protobuf"}
COMPILER = shutil.which("cc")

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


class Disk:
    """What lies under some path, writable until told otherwise."""

    def __init__(self, folder: Path, under: Path) -> None:
        self._flag = folder / "read-only"
        library = folder / "read_only.so"
        source = Path(__file__).with_name("read_only.c")
        assert COMPILER is not None
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        self.environment = {
            "LD_PRELOAD": str(library),
            "READ_ONLY_UNDER": str(under),
            "READ_ONLY_WHILE": str(self._flag),
            "RAGVIGIL_INBOX__PATH": str(folder / "inbox"),
        }

    def refuse(self) -> None:
        """From now on it is read-only."""
        self._flag.touch()

    def allow(self) -> None:
        """It is writable again."""
        self._flag.unlink()


def send(scorer: Scorer, number: int) -> httpx.Response:
    """One whole question over HTTP."""
    content = question(number, 1_700_000_000 * 10**9, cited="p1", price=number + 2).SerializeToString()
    return httpx.post(f"http://{scorer.http}/v1/traces", content=content, headers=PROTOBUF)


async def by_grpc(scorer: Scorer, number: int) -> grpc.aio.AioRpcError | None:
    """The same over gRPC; what was refused."""
    content = question(number, 1_700_000_000 * 10**9, cited="p1", price=number + 2).SerializeToString()
    async with grpc.aio.insecure_channel(scorer.grpc) as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
        )
        try:
            await call(content, timeout=30)
        except grpc.aio.AioRpcError as error:
            return error
    return None


def test_an_inbox_on_a_disk_that_becomes_read_only_is_a_503_that_passes(serve: Serve, tmp_path: Path) -> None:
    """Retry-After, and UNAVAILABLE with RetryInfo; the same processes take again, and what was acked is scored."""
    disk = Disk(tmp_path, tmp_path / "inbox")
    scorer = serve(environment=disk.environment)
    receiving, scoring = scorer.process.pid, eventually(lambda: scorer.score_process)
    assert send(scorer, 1).status_code == 200
    disk.refuse()
    refused = send(scorer, 2)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert Status.FromString(refused.content).message
    error = asyncio.run(by_grpc(scorer, 2))
    assert error is not None
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    details = dict(error.trailing_metadata() or ())["grpc-status-details-bin"]
    assert isinstance(details, bytes)
    assert Status.FromString(details).details[0].Unpack(RetryInfo())
    disk.allow()
    eventually(lambda: send(scorer, 2).status_code == 200)
    assert asyncio.run(by_grpc(scorer, 3)) is None
    eventually(lambda: scorer.ledger().ingested == 3 and scorer.ledger().balanced)
    assert (scorer.process.pid, scorer.score_process) == (receiving, scoring)


def test_a_store_on_a_disk_that_becomes_read_only_delays_scores_and_loses_none(
    serve: Serve, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Senders notice nothing: what they send waits in the inbox, and is scored by the same process once it can be."""
    disk = Disk(tmp_path, tmp_path / "ragvigil.db")
    scorer = serve(environment=disk.environment)
    scoring = eventually(lambda: scorer.score_process)
    assert send(scorer, 1).status_code == 200
    eventually(lambda: scorer.ledger().ingested == 1)
    disk.refuse()
    assert [send(scorer, number).status_code for number in range(2, 6)] == [200] * 4
    assert asyncio.run(by_grpc(scorer, 6)) is None
    eventually(lambda: "inbox or store cannot be used" in capfd.readouterr().err)
    assert scorer.ledger().ingested == 1
    disk.allow()
    eventually(lambda: scorer.ledger().ingested == 6 and scorer.ledger().balanced)
    assert scorer.score_process == scoring
