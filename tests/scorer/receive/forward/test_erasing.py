"""Requests to forget what waits to be forwarded, as the receiver looks for them."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from pathlib import Path

import pytest
from tests.scorer.receive.forward.backends import until

from ragvigil.scorer.receive.forward import erasing
from ragvigil.scorer.receive.forward.cutting import Cut
from ragvigil.scorer.receive.forward.unwanted import Unwanted, unsent_requests
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.request_files import RefusedError

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


@pytest.mark.parametrize(
    "text",
    [
        '{"before": "x", "names": 3, "key": "", "tombstones": []}',
        '{"before": 0, "names": [3], "key": "", "tombstones": []}',
        '{"before": 0, "names": [], "key": "", "tombstones": ["no hex"]}',
        '{"before": 0, "names": [], "key": ""}',
        '["wanda"]',
        '{"before": 1%s, "names": [], "key": "", "tombstones": []}' % ("0" * 400),
        '{"before": NaN, "names": [], "key": "", "tombstones": []}',
        "[" * 100_000,
        "\\",
    ],
)
async def test_a_request_of_another_shape_is_refused_and_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    """It was read again and again, and no erasure after it reached what waits to be forwarded."""
    monkeypatch.setattr(erasing, "_LOOK_SECONDS", 0.01)
    requests = unsent_requests(tmp_path)
    wrong, name = requests.ask(WANDA), requests.ask(WANDA)
    path = tmp_path / "forget-unsent" / f"{wrong}.request"
    path.write_text(text)
    os.utime(path, (1, 1))
    async with erasing.erasing(tmp_path, (), Limits()):
        await until(lambda: requests.answered(name) is not None)
    with pytest.raises(RefusedError):
        requests.answered(wrong)


async def test_a_request_that_cannot_be_answered_lets_the_others_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried again when they are through."""
    first = Unwanted(before=0.0, names=["first"], key="", tombstones=[])
    tried = list[list[str]]()

    def fails(unwanted: Unwanted, limits: Limits) -> Cut:
        tried.append(unwanted.names)
        if unwanted == first and len(tried) < 3:
            raise OSError("the disk")
        return Cut(unwanted, limits)

    monkeypatch.setattr(erasing, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr("ragvigil.scorer.receive.forward.cutting.Cut", fails)
    requests = unsent_requests(tmp_path)
    name = requests.ask(first)
    os.utime(tmp_path / "forget-unsent" / f"{name}.request", (1, 1))
    requests.ask(WANDA)
    async with erasing.erasing(tmp_path, (), Limits()):
        await until(lambda: requests.answered(name) is not None)
    assert tried == [["first"], ["wanda"], ["first"]]


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
