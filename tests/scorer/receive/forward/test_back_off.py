"""What is to be tried again frees its sender, and what takes nothing is not asked for each request that waits."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest
from tests.scorer.receive.forward.backends import until

from ragvigil.scorer.receive.forward import queue
from ragvigil.scorer.receive.forward.item import Answer, Item, Received
from ragvigil.scorer.receive.forward.queue import Forwarder
from ragvigil.scorer.receive.settings import ForwardTo

SETTINGS = ForwardTo("", ("traces",), {}, {}, (), "none", None, 1 << 20, 60, 60)


class Tenants:
    """Refuses the requests of one tenant and takes all others."""

    def __init__(self) -> None:
        self.refused = b"heavy"
        self.got = list[bytes]()

    def form(self, received: Received) -> Item:
        """As it came."""
        return Item(received.signal, received.body, received.encoding, received.gzipped, received.headers)

    async def send(self, item: Item) -> Answer:
        """By whose it is."""
        await asyncio.sleep(0.001)
        self.got.append(item.body)
        return Answer(taken=item.body != self.refused, reason="http_503", retry=True)

    async def close(self) -> None:
        """Nothing is open."""


async def test_requests_that_are_refused_stop_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight of one tenant held every sender for an hour."""
    monkeypatch.setattr(queue, "_FIRST_WAIT_SECONDS", 1000.0)
    monkeypatch.setattr(queue, "_LONGEST_WAIT_SECONDS", 1000.0)
    counts = Counter[str]()
    settings = replace(SETTINGS, retry_seconds=10_000.0)
    forwarder = Forwarder("b", settings, Tenants(), counts)
    forwarder.start()
    for body in [b"heavy"] * 8 + [b"quiet"] * 20:
        forwarder.offer(Received("traces", body, body, "protobuf", {}))
    await until(lambda: counts["b.delivered"] == 20)
    assert (counts["b.retries"], forwarder.health()["queued"]) == (8, 8)
    await forwarder.stop(0)


async def test_what_was_refused_is_sent_once_it_is_taken() -> None:
    """It waits beside the queue, and is not lost there."""
    counts, backend = Counter[str](), Tenants()
    forwarder = Forwarder("b", SETTINGS, backend, counts)
    forwarder.start()
    for _ in range(12):
        forwarder.offer(Received("traces", b"heavy", b"heavy", "protobuf", {}))
    await until(lambda: counts["b.retries"] > 12)
    backend.refused = b""
    await until(lambda: counts["b.delivered"] == 12)
    assert forwarder.health()["queued_bytes"] == 0
    await forwarder.stop(0)


async def test_a_backend_that_takes_nothing_is_not_asked_for_each_request_that_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Thousands may wait: each has a back-off of its own, and together they would be a flood."""
    monkeypatch.setattr(queue, "_FIRST_WAIT_SECONDS", 10.0)
    monkeypatch.setattr(queue, "_LONGEST_WAIT_SECONDS", 30.0)
    counts, backend = Counter[str](), Tenants()
    forwarder = Forwarder("b", SETTINGS, backend, counts)
    forwarder.start()
    for _ in range(200):
        forwarder.offer(Received("traces", b"heavy", b"heavy", "protobuf", {}))
    await asyncio.sleep(0.3)
    assert 8 <= len(backend.got) <= 16
    await forwarder.stop(0)
