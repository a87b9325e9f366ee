"""Counts outlive the process that counted."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from tests.conftest import PATIENCE

from ragvigil.scorer.receive.counters import Counters, CountersFile, counters

Start = Callable[..., Awaitable[Any]]
Request = Callable[[Iterable[Span]], ExportTraceServiceRequest]
SpanOf = Callable[..., Span]

PROTOBUF = {"Content-Type": "application/x-protobuf"}


async def until(folder: Path, expected: dict[str, int]) -> None:
    """Poll the file until it says so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = counters(folder)
            if found | expected == found:
                return
            await asyncio.sleep(0.02)


async def test_counts_are_totals_over_restarts(
    start: Start, client: httpx.AsyncClient, request_of: Request, span_of: SpanOf
) -> None:
    """Readable while the receiver runs, complete after its stop, and its successor goes on from there."""
    bodies = (request_of([span_of(1, 1), Span(trace_id=b"short")]).SerializeToString(), b"nonsense")
    for life in (1, 2):
        receiver = await start()
        for body in bodies:
            await client.post(f"{receiver.url}/v1/traces", content=body, headers=PROTOBUF)
        expected = {
            "spans": life,
            "rejected.trace_id": life,
            "refused.malformed": life,
            "requests.http spans": 2 * life,
        }
        await until(receiver.folder, expected)
        await client.post(f"{receiver.url}/v1/metrics", content=b"", headers=PROTOBUF)
        shown = (await client.get(f"{receiver.url}/healthz")).json()["received"]
        assert (shown["spans"], shown["refused"]) == (life, {"malformed": life})
        receiver.stop.set()
        await asyncio.wait_for(receiver.ended, PATIENCE)
        assert counters(receiver.folder)["ignored.metrics_requests"] == life


def test_a_folder_without_a_receiver_has_no_counts(tmp_path: Path) -> None:
    """Neither has one that does not exist."""
    assert counters(tmp_path) == counters(tmp_path / "nowhere") == {}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"spans": NaN', b"\xff", b"[" * 100_000])
def test_a_file_that_is_no_longer_readable_begins_again(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Counts are not worth a scorer that does not start; the log says so."""
    (tmp_path / "counters.json").write_bytes(content)
    assert Counters.loaded(tmp_path) == Counters()
    assert "cannot be read" in caplog.text


def test_what_nobody_knows_is_left_out(tmp_path: Path) -> None:
    """A file of another version, or of somebody's making."""
    found = {"spans": 3, "logs": -1, "bytes": "x", "rejected.new": 2, "snapshot": 1, "flat.x": 1}
    (tmp_path / "counters.json").write_text(json.dumps(found))
    assert Counters.loaded(tmp_path) == Counters(spans=3, rejected=Counter(new=2))


def test_a_full_disk_is_told_once_and_survived(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Counting goes on, and is saved when there is room again."""
    counted = Counters()
    file = CountersFile(tmp_path / "inbox", counted)
    for spans in (1, 2):
        counted.spans = spans
        file.save(counted.flat())
    assert caplog.text.count("counters cannot be saved") == 1
    (tmp_path / "inbox").mkdir()
    file.save(counted.flat())
    assert counters(tmp_path / "inbox") == counted.flat()


async def test_reading_the_counts_loads_nothing_heavy() -> None:
    """`ragvigil status` needs neither protobuf nor a server for them."""
    code = (
        "import sys; from ragvigil.scorer.receive.counters import counters; "
        "print({'grpc', 'uvicorn', 'google.protobuf'} & set(sys.modules))"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    assert (await process.communicate())[0].strip() == b"set()"
