"""Requests to forget what waits to be forwarded, as the receiver looks for them."""

from __future__ import annotations

import asyncio
import logging
import threading
from pathlib import Path

import pytest
from tests.scorer.receive.forward.backends import until

from ragvigil.scorer.receive.forward import erasing
from ragvigil.scorer.receive.forward.cutting import Cut
from ragvigil.scorer.receive.forward.erasing import Unwanted, unsent_requests
from ragvigil.scorer.receive.limits import Limits

WANDA = Unwanted(before=0.0, names=["wanda"], key="", tombstones=["00" * 16])


async def test_a_fault_that_lasts_is_told_of_once_and_looked_at_ever_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another one is told of as well, and once it is over the request is answered."""
    pauses, sleep = list[float](), asyncio.sleep
    faults = ["the disk"] * 3 + ["the network"] * 5

    async def noted(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(0)

    def fails(unwanted: Unwanted, limits: Limits) -> Cut:
        if faults:
            raise OSError(faults.pop(0))
        return Cut(unwanted, limits)

    monkeypatch.setattr(asyncio, "sleep", noted)
    monkeypatch.setattr("ragvigil.scorer.receive.forward.cutting.Cut", fails)
    requests = unsent_requests(tmp_path)
    name = requests.ask(WANDA)
    with caplog.at_level(logging.ERROR):
        async with erasing.erasing(tmp_path, (), Limits()):
            while (answer := requests.answered(name)) is None:
                await sleep(0.001)
    assert answer.cut == {}
    assert [str(record.exc_info[1]) for record in caplog.records if record.exc_info] == [
        "the disk",
        "the network",
    ]
    assert pauses[:9] == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


async def test_a_long_request_is_read_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All the store ever forgot stands in it: hundreds of thousands of digests."""
    threads = set[int]()

    class Noting(Cut):
        def __init__(self, unwanted: Unwanted, limits: Limits) -> None:
            threads.add(threading.get_ident())
            super().__init__(unwanted, limits)

    def read(self: Path) -> bytes:
        if self.suffix == ".request":
            threads.add(threading.get_ident())
        with self.open("rb") as file:
            return file.read()

    monkeypatch.setattr(erasing, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr("ragvigil.scorer.receive.forward.cutting.Cut", Noting)
    monkeypatch.setattr(Path, "read_bytes", read)
    requests = unsent_requests(tmp_path)
    name = requests.ask(WANDA)
    async with erasing.erasing(tmp_path, (), Limits()):
        await until(lambda: requests.answered(name) is not None)
    assert threads
    assert threading.get_ident() not in threads
