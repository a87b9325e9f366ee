"""What is said of a backend, how often, and how what is sent to it is counted."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)
from starlette.applications import Starlette
from tests.command_line import ragvigil
from tests.scorer.receive.forward.backends import PROTOBUF, Backend, has, to, until

from ragvigil.scorer.config import load
from ragvigil.scorer.receive.forward import queue
from ragvigil.scorer.receive.forward.item import Answer, Item, Received
from ragvigil.scorer.receive.forward.queue import Forwarder
from ragvigil.scorer.receive.http_server import HttpServer
from ragvigil.scorer.receive.settings import ForwardTo, receiving
from ragvigil.scorer.store.sqlite import SqliteStore

Start = Callable[..., Awaitable[Any]]
Backends = Callable[..., Awaitable[Backend]]


class Turns:
    """Answers as it is told, one after the other, and takes whatever comes after these."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def form(self, received: Received) -> Item:
        """As it came."""
        return Item(received.signal, received.body, received.encoding, received.gzipped, received.headers)

    async def send(self, item: Item) -> Answer:
        """The next answer."""
        await asyncio.sleep(0.001)
        return self.answers.pop(0) if self.answers else Answer(taken=True)

    async def close(self) -> None:
        """Nothing is open."""


TAKEN = Answer(taken=True)
LIMITED = Answer(taken=False, reason="http_429", retry=True, wait_seconds=0.0, advice="raise its limit")
TURNS = ForwardTo("", ("traces",), {}, {}, (), "none", None, 1 << 20, 60, 60)


async def test_a_backend_that_limits_its_senders_is_told_of_once_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It refuses and takes in turns, many times a minute; what can be done about it is told too."""
    counts = Counter[str]()
    forwarder = Forwarder("b", TURNS, Turns(*[LIMITED, TAKEN] * 20), counts)
    for _ in range(20):
        forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await until(lambda: counts["b.delivered"] == 20)
    assert counts["b.retries"] == 20
    assert [record.getMessage() for record in caplog.records] == [
        "forward.b: http_429 (raise its limit); acks go on",
        "forward.b takes requests again",
    ]


async def test_a_backend_that_says_at_once_for_ever_is_not_flooded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry-After in the past or of zero, a hundred times: it had 160 requests a second for as long as it refused."""
    monkeypatch.setattr(queue, "_FIRST_WAIT_SECONDS", 10.0)
    monkeypatch.setattr(queue, "_LONGEST_WAIT_SECONDS", 30.0)
    counts = Counter[str]()
    forwarder = Forwarder("b", TURNS, Turns(*[LIMITED] * 10_000), counts)
    for _ in range(10):
        forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await asyncio.sleep(0.4)
    assert 8 <= counts["b.retries"] <= 16, "at once the first time, then with pauses of its own"
    await forwarder.stop(0)


@pytest.mark.parametrize(("said", "counted"), [(-5, 0), (2**62, 10_000_000), (3, 3)])
async def test_what_a_backend_claims_to_have_rejected_is_bounded(said: int, counted: int) -> None:
    """A counter that falls, or that no JSON reader takes, would break whoever reads it."""
    counts = Counter[str]()
    forwarder = Forwarder("b", TURNS, Turns(Answer(taken=True, rejected=said)), counts)
    forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await until(lambda: counts["b.delivered"] == 1)
    assert counts["b.rejected"] == counted
    await forwarder.stop(0)


async def test_a_backend_that_goes_on_failing_is_told_of_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Though it took a request soon after the first line about it: the log must not end with that."""
    monkeypatch.setattr(queue, "_TELL_SECONDS", 0.3)
    counts = Counter[str]()
    forwarder = Forwarder("b", TURNS, Turns(LIMITED, TAKEN, *[LIMITED] * 10_000), counts)
    forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await until(lambda: counts["b.delivered"] == 1)
    forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    await until(lambda: caplog.text.count("acks go on") == 2)
    assert caplog.text.count("takes requests again") == 1
    await forwarder.stop(0)


async def test_what_can_be_done_about_a_backend_is_told(
    start: Start, client: httpx.AsyncClient, http_backend: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """One that is not there, that speaks no TLS or no gRPC, and where nothing is served."""
    backend = await http_backend()
    nothing = HttpServer(Starlette(), "127.0.0.1:0", grace_seconds=1)
    nothing.start()
    place = f"http://{nothing.address}/otlp"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        dead = f"127.0.0.1:{taken.getsockname()[1]}"
        forward = {
            "gone": {"url": f"http://{dead}"},
            "gone_grpc": {"url": f"grpc://{dead}"},
            "plain": {"url": backend.url.replace("http:", "https:")},
            "elsewhere": {"url": place},
            "http": {"url": backend.url.replace("http:", "grpc:")},
        }
        receiver = await start(forward=forward)
        await client.post(f"{receiver.url}/v1/traces", content=b"\n\x00", headers=PROTOBUF)
        await until(lambda: caplog.text.count("acks go on") >= len(forward))
    await nothing.stop()
    told = {record.getMessage().partition(": ")[0]: record.getMessage() for record in caplog.records}
    assert "unreachable (nothing answers: check url, and whether it runs)" in told["forward.gone"]
    assert "check url, and whether it runs; 'failed to connect" in told["forward.gone_grpc"]
    assert "(it speaks no TLS: check url" in told["forward.plain"]
    assert f"nothing takes OTLP at {place}/v1/traces: check url" in told["forward.elsewhere"]
    assert "check url" in told["forward.http"]


class OutOfOrder:
    """Takes the second request first, and then refuses the first one."""

    def __init__(self) -> None:
        self.attempts = 0
        self.taken = asyncio.Event()

    def form(self, received: Received) -> Item:
        """As it came."""
        return Item(received.signal, received.body, received.encoding, received.gzipped, received.headers)

    async def send(self, item: Item) -> Answer:
        """The first attempt's refusal, or a success."""
        self.attempts += 1
        if self.attempts == 1:
            await self.taken.wait()
            return Answer(taken=False, reason="http_429", retry=True)
        self.taken.set()
        return Answer(taken=True)

    async def close(self) -> None:
        """Nothing is open."""


async def test_a_refusal_that_a_success_overtook_is_no_new_problem(caplog: pytest.LogCaptureFixture) -> None:
    """Two requests are under way: the later one is taken before the earlier one's refusal arrives."""
    counts, problems = Counter[str](), list[object]()
    settings = ForwardTo("", ("traces",), {}, {}, (), "none", None, 1 << 20, 60, 60)
    forwarder = Forwarder("b", settings, OutOfOrder(), counts)
    for _ in range(2):
        forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()

    def retried() -> bool:
        problems.append(forwarder.health()["problem"])
        return counts["b.retries"] == 1

    await until(retried)
    assert set(problems) == {None}
    await until(lambda: counts["b.delivered"] == 2)
    assert "acks go on" not in caplog.text
    await forwarder.stop(0)


class Slow(OutOfOrder):
    """Refuses a first request for a hundred seconds of its own clock, then each request once."""

    now = 0.0

    async def send(self, item: Item) -> Answer:
        """Taken from the third attempt on."""
        self.attempts += 1
        self.now = 100.0
        return Answer(taken=self.attempts > 2, reason="http_503", retry=True, wait_seconds=0)


async def test_the_age_of_a_request_counts_from_its_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not from its first attempt, which may come after hours in the queue; that one it has all the same."""
    counts, backend = Counter[str](), Slow()
    monkeypatch.setattr(queue, "_SENDERS", 1)
    monkeypatch.setattr(queue, "time", SimpleNamespace(monotonic=lambda: backend.now))
    settings = ForwardTo("", ("traces",), {}, {}, (), "none", None, 1 << 20, 60, 60)
    forwarder = Forwarder("b", settings, backend, counts)
    for _ in range(2):
        forwarder.offer(Received("traces", b"", b"", "protobuf", {}))
    forwarder.start()
    await until(lambda: forwarder.health()["queued"] == 0)
    assert counts == {"b.offered": 2, "b.dropped.expired": 2}
    assert backend.attempts == 2
    await forwarder.stop(0)


async def test_the_same_partial_success_is_logged_once(
    start: Start, client: httpx.AsyncClient, backends: Backends, caplog: pytest.LogCaptureFixture
) -> None:
    """What a backend never takes may be in every request; another reason is news."""
    backend = await backends()
    receiver = await start(forward=to(backend))
    for number, reason in enumerate(("too old", "too old", "too new", "too old"), 1):
        answer = ExportTraceServiceResponse()
        answer.partial_success.rejected_spans = 1
        answer.partial_success.error_message = reason
        backend.answer = answer.SerializeToString()
        await client.post(f"{receiver.url}/v1/traces", content=b"", headers=PROTOBUF)
        await until(partial(has, client, receiver, {"b.rejected": number}))
    assert (caplog.text.count("too old"), caplog.text.count("too new")) == (2, 1)


async def test_what_is_under_way_when_it_is_forgotten_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can say whether it arrived; what is sent again is what was left of it, and each is counted once."""
    monkeypatch.setattr(queue, "_FIRST_WAIT_SECONDS", 0.0)
    asked, go_on = list[bytes](), asyncio.Event()

    class Slow:
        def form(self, received: Received) -> Item:
            return Item(received.signal, received.body, received.encoding, gzipped=False, headers={})

        async def send(self, item: Item) -> Answer:
            asked.append(item.body)
            await go_on.wait()
            return Answer(taken=item.body in (b"the rest", b"hers, taken"), reason="late", retry=True)

        async def close(self) -> None:
            """Nothing is open."""

    counts = Counter[str]()
    settings = load(overrides={"forward": {"b": {"url": "http://127.0.0.1:1"}}})
    forwarder = Forwarder("b", receiving(settings).forward["b"], Slow(), counts)
    for body in (b"all of it", b"all of hers", b"hers, taken"):
        forwarder.offer(Received("traces", body, body, "protobuf", {}))
    forwarder.start()
    await until(lambda: len(asked) == 3)
    first, second, third = forwarder.waiting
    assert first.item is not None
    assert not forwarder.replace(first, Item("traces", b"the rest", "protobuf", gzipped=False, headers={}))
    assert not forwarder.replace(second, None)
    assert not forwarder.replace(third, None)
    go_on.set()
    await until(lambda: not forwarder.waiting)
    assert asked[3:] == [b"the rest"]
    assert (counts["b.delivered"], counts["b.dropped.forgotten"]) == (2, 1)
    assert forwarder.health()["queued_bytes"] == 0
    await forwarder.stop(1)


def test_the_status_says_what_became_of_what_was_forwarded(tmp_path: Path) -> None:
    """Delivered, waiting, dropped and why; nothing when nothing is forwarded."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'r.db'}"}})
    SqliteStore(settings).close()
    settings.inbox_path.mkdir()
    told = {"offered": 12, "delivered": 7, "dropped.full": 2, "dropped.killed": 1, "rejected": 4}
    (settings.inbox_path / "counters.json").write_text(
        json.dumps({f"forwarded.tempo.{key}": count for key, count in told.items()})
    )
    shown = ragvigil("status", "--store", settings.store.url).stdout
    line = "forward tempo: 7 requests delivered, 2 waiting, 3 dropped (full 2, killed 1)"
    assert line in shown
    assert "4  spans, records or points that it took the request without" in shown
