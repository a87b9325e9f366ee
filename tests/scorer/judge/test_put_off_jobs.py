"""A question that no server takes keeps no seat from the others, and an outage is no question's fault."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from threading import Event
from typing import cast

import pytest
from tests.scorer.judge.endpoint.answering import Json, said, server

from ragvigil.prompts import Prompt, load
from ragvigil.scorer.judge.endpoint import Limits, Question, pace
from ragvigil.scorer.judge.endpoint.client import Client
from ragvigil.scorer.judge.endpoint.openai import OpenAI
from ragvigil.scorer.judge.judging import TRIES, Bench
from ragvigil.scorer.judge.put_off_jobs import PutOff
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

SEATS = 2
RECORD = RagTrace("a" * 32, "b" * 16, "shop", 0, query="q", answer="a")
GOOD = Verdict("asking", "1", "d", "supported", 1.0, 0.9)


@pytest.fixture(autouse=True)
def _short_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """An endpoint that fails rests for a minute at most, which is nothing that these tests are about."""
    monkeypatch.setattr(pace, "_LONGEST_REST_SECONDS", 0.1)


class Asking:
    """A judge that is content with any answer of its endpoint."""

    name, version = "asking", "1"

    def __init__(self, endpoint: Client) -> None:
        self._endpoint = endpoint

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """A pass, once there is an answer."""
        await self._endpoint.ask(Question("Judge.", str(record.query), {"type": "object"}, 100))
        return GOOD

    async def close(self) -> None:
        """The endpoint is closed by who made it."""


def jobs(queries: Sequence[str]) -> list[Job]:
    """One for each query."""
    return [
        Job(number, b"", replace(RECORD, trace_id=f"{number:032x}", query=query), 0.1)
        for number, query in enumerate(queries)
    ]


@asynccontextmanager
async def sitting(url: str, put_off: PutOff, done: list[Judgement]) -> AsyncGenerator[Bench]:
    """A bench that judges by a model there."""
    limits = Limits(in_flight=SEATS, attempt_seconds=5.0, tries=TRIES)
    async with Client(OpenAI(), url=url, key=None, model="m", limits=limits) as endpoint:
        bench = Bench(
            Asking(endpoint), load("faithfulness"), seats=SEATS, deliver=done.extend, put_off=put_off
        )
        running = asyncio.create_task(bench.run())
        try:
            yield bench
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


def asked_of(body: Json) -> str:
    """The query in a request."""
    return str(cast("list[Json]", body["messages"])[1]["content"])


async def until(true: Callable[[], bool]) -> None:
    """Wait for it."""
    for _ in range(6_000):
        if true():
            return
        await asyncio.sleep(0.01)
    pytest.fail("it does not come true")


@pytest.mark.parametrize("status", [403, 429, 500])
async def test_questions_that_fail_for_ever_leave_their_seats_and_end_failed(status: int) -> None:
    """There are as many of them as seats, and they came first: a firewall, or a model that breaks, as for content."""

    def answer(body: Json) -> tuple[int, object]:
        return (status, {}) if asked_of(body).startswith("poison") else (200, said("{}"))

    done: list[Judgement] = []
    with server(answer) as url:
        async with sitting(url, PutOff(first_seconds=0.01, most=2), done) as bench:
            bench.submit(jobs([*(f"poison {number}" for number in range(SEATS)), *["fine"] * 20]))
            await until(lambda: len(done) >= 20)
            assert all(one.verdict == GOOD for one in done[:20])
            async with asyncio.timeout(60):
                while sum(one.verdict is None for one in done) < SEATS:
                    bench.submit(jobs(["fine"]))
                    await asyncio.sleep(0.05)
    failures = [str(one.failure) for one in done if one.verdict is None]
    assert all(f"answers {status}" in one and "others were answered" in one for one in failures)


async def test_an_outage_is_nobodys_fault() -> None:
    """Every question is put off, none ends, and all are answered when it is over."""
    down, asked = Event(), set[str]()
    down.set()

    def answer(body: Json) -> tuple[int, object]:
        asked.add(asked_of(body))
        return (403, {}) if down.is_set() else (200, said("{}"))

    done: list[Judgement] = []
    with server(answer) as url:
        async with sitting(url, PutOff(first_seconds=0.01, most=1), done) as bench:
            bench.submit(jobs([f"question {number}" for number in range(4)]))
            await until(lambda: len(asked) == 4)
            assert done == [], "none is at fault, and all had their turn"
            down.clear()
            await until(lambda: len(done) == 4)
    assert all(one.verdict == GOOD for one in done)


async def test_what_expires_while_it_fails_is_let_go() -> None:
    """In its seat, and while it waits apart."""
    asked: list[str] = []

    def answer(body: Json) -> tuple[int, object]:
        asked.append(asked_of(body))
        return (429, {}) if asked_of(body) == "poison" else (200, said("{}"))

    done: list[Judgement] = []
    with server(answer) as url:
        async with sitting(url, PutOff(first_seconds=3600.0), done) as bench:
            first, fine, second = jobs(["poison", "fine", "poison"])
            bench.submit([first])
            await until(lambda: "poison" in asked)
            bench.withdraw({first.record_id})
            await until(lambda: len(done) == 1)
            before = len(asked)
            bench.submit([second])
            async with asyncio.timeout(60):  # put off twice, the second time for an hour
                while asked[before:].count("poison") < 2 * TRIES:
                    bench.submit([replace(fine)])
                    await asyncio.sleep(0.05)
            bench.withdraw({second.record_id})
            await until(lambda: second.record_id in {one.job.record_id for one in done})
    assert {(one.job.record_id, one.failure) for one in done if one.verdict is None} == {
        (0, "forgotten"),
        (2, "forgotten"),
    }


async def test_canaries_that_are_withdrawn_leave_the_scores_of_their_records() -> None:
    """And the other way round: they are asked for different ends."""

    def answer(_: Json) -> tuple[int, object]:
        return 429, {}

    done: list[Judgement] = []
    with server(answer) as url:
        async with sitting(url, PutOff(first_seconds=3600.0), done) as bench:
            (score,) = jobs(["one"])
            canary = replace(score, purpose="canary")
            bench.submit([score, canary])
            bench.withdraw({score.record_id}, "canary")
            await until(lambda: len(done) == 1)
    assert done[0].job is canary
