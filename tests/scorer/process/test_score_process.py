"""The score process: what it does when its thread cannot go on."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import resource
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from ragvigil.scorer.app import PERMANENT, run_score
from ragvigil.scorer.config import load
from ragvigil.scorer.erasure.forgetting import Desk
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.lock import Lock
from ragvigil.scorer.process.score import score
from ragvigil.scorer.process.scoring_thread import Scoring
from ragvigil.scorer.process.ticking import ticking
from ragvigil.scorer.scoring.pipeline import Pipeline, Turn
from ragvigil.scorer.store.reading import alive_at, lives, open_for_reading
from ragvigil.scorer.store.sqlite import SqliteStore


async def test_a_thread_that_breaks_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scorer that lives on without scoring would say "ok" for ever; one that ends is started again."""

    def broken(_: Pipeline) -> Turn:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(Pipeline, "turn", broken)
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})
    with pytest.raises(RuntimeError, match="a bug of ours"):
        async with asyncio.timeout(30):
            await score(settings, asyncio.Event())


def test_an_erasure_takes_many_steps_between_two_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One alone took an hour under load where a million answers are looked through."""
    steps, turns, turned = 200, itertools.count(), Pipeline.turn
    left = iter(range(steps))
    done: Future[int] = Future()

    def step(_: Desk) -> bool:
        if next(left, None) is not None:
            return True
        if not done.done():
            done.set_result(next(turns))
        return False

    def turn(pipeline: Pipeline) -> Turn:
        next(turns)
        return turned(pipeline)

    monkeypatch.setattr(Desk, "step", step)
    monkeypatch.setattr(Pipeline, "turn", turn)
    scoring = Scoring(
        load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}}), hand_out=lambda _: None
    )
    scoring.open()
    try:
        assert done.result(30) < steps / 10
    finally:
        scoring.stop()


def test_a_scorer_lives_from_its_start_on(tmp_path: Path) -> None:
    """`ragvigil status` called a restarted one NOT RUNNING until its first tick."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})
    with SqliteStore(settings) as store:
        store.beat(1)
    scoring = Scoring(settings, hand_out=lambda _: None)
    scoring.open()
    try:
        with closing(open_for_reading(settings.store.path)) as connection:
            assert (alive_at(connection) or 0) > 1
    finally:
        scoring.stop()


@pytest.mark.parametrize(("ago", "alive"), [(5, True), (-5, True), (600, False), (-86_400, False)])
def test_a_sign_of_life_that_lies_far_ahead_is_none(ago: int, alive: bool) -> None:
    """A dead scorer was alive for a day, for its clock had been a day ahead."""
    now = 1_772_334_000 * 10**9
    assert lives(now - ago * 10**9, now, 10.0) is alive


async def test_ticks_that_take_longer_than_their_clock_do_not_pile_up() -> None:
    """Else deliveries wait behind them, longer and longer, and SIGTERM waits for all of them."""
    asked: list[Future[None]] = []
    late = asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow() -> None:
        time.sleep(0.1)
        if len(asked) == 3:
            loop.call_soon_threadsafe(late.set)

    with ThreadPoolExecutor(1) as thread:

        def ask() -> Future[None]:
            assert all(one.done() for one in asked)
            asked.append(thread.submit(slow))
            return asked[-1]

        with ticking(ask, 0.001):
            async with asyncio.timeout(30):
                await late.wait()


async def test_a_stop_while_a_tick_is_asked_for_tells_no_error(caplog: pytest.LogCaptureFixture) -> None:
    """The asking waited for a thread and was cancelled: a traceback at a clean stop, once in a while."""
    loop, busy, asked = asyncio.get_running_loop(), threading.Event(), asyncio.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    blocked = loop.run_in_executor(None, busy.wait)

    def ask() -> Future[None]:
        asked.set()
        return Future()

    with ticking(ask, 0.001), contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asked.wait(), 0.5)
    busy.set()
    await blocked
    assert asked.is_set()
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_store_that_cannot_be_opened_is_said_at_once(tmp_path: Path) -> None:
    """Not after a silent restart loop."""
    (tmp_path / "ragvigil.db").write_text("this is no database, and long enough to be looked at " * 20)
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})
    with pytest.raises(StoreError, match=r"ragvigil\.db"):
        async with asyncio.timeout(30):
            await score(settings, asyncio.Event())


def limited_files() -> None:
    """No file of this process grows beyond a kilobyte: the pid in a lock has room, a page of a database has none."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_024, 1_024))


MODEL = {"RAGVIGIL_JUDGE__KIND": "openai", "OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("supervised", "code", "judge", "file"),
    [
        (True, 1, {}, "ragvigil.db"),
        (False, 3, {}, "ragvigil.db"),
        (True, 1, MODEL, "ragvigil-judge.db"),
    ],
)
def test_a_disk_that_takes_nothing_at_the_start_is_tried_again(
    tmp_path: Path, supervised: bool, code: int, judge: dict[str, str], file: str
) -> None:
    """A full disk is given room: the receiver beside it must not end for it. By itself it says so and ends."""
    command = [sys.executable, "-m", "ragvigil.scorer", "serve", "--role", "score"]
    command += ["--store", f"sqlite:///{tmp_path / 'ragvigil.db'}"] + ["--supervised"] * supervised
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stderr=pipe, text=True, preexec_fn=limited_files, env=os.environ | judge
    ) as process:
        assert process.wait(60) == code
        assert process.stderr is not None
        said = process.stderr.read()
    assert (code in PERMANENT) != supervised
    assert f"{tmp_path / file}: disk I/O error" in said
    assert "Traceback" not in said


def test_a_store_that_another_process_still_holds_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A predecessor whose receiver was killed may take a while to end: its successor's acks go on."""
    monkeypatch.setattr("ragvigil.scorer.process.score.PATIENCE_SECONDS", 0.0)
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})
    with closing(Lock(tmp_path / "ragvigil.db.lock", what="store", remedy="wait")):
        assert run_score(settings, supervised=True) not in PERMANENT
        with pytest.raises(StoreError, match="is in use by process"):
            run_score(settings)
