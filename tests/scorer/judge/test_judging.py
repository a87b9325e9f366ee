"""The judge's queue, with judges that misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pytest

from ragvigil.prompts import Prompt, load
from ragvigil.scorer.judge.judging import Bench
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

RECORD = RagTrace("a" * 32, "b" * 16, "shop", 0, query="q", answer="a")
GOOD = Verdict("scripted", "1", "d", "supported", 1.0, 0.9)


class Scripted:
    """A judge that answers by trace id."""

    name, version = "scripted", "1"

    def __init__(self, replies: dict[str, Verdict | Exception]) -> None:
        self._replies = replies

    async def close(self) -> None:
        """It holds nothing."""

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The scripted answer."""
        reply = self._replies[record.trace_id]
        if isinstance(reply, Exception):
            raise reply
        return reply


async def judged(replies: Sequence[Verdict | Exception]) -> list[Judgement]:
    """What becomes of one job per reply, in order of the jobs."""
    jobs = [
        Job(number, b"", replace(RECORD, trace_id=f"{number:032x}"), 0.1) for number in range(len(replies))
    ]
    done: list[Judgement] = []
    scripted = Scripted({job.record.trace_id: reply for job, reply in zip(jobs, replies, strict=True)})
    complete = asyncio.Event()

    def deliver(batch: Sequence[Judgement]) -> None:
        done.extend(batch)
        if len(done) == len(jobs):
            complete.set()

    bench = Bench(scripted, load("faithfulness"), seats=2, deliver=deliver)
    bench.submit(jobs)
    running = asyncio.create_task(bench.run())
    async with asyncio.timeout(10):
        await complete.wait()
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    return sorted(done, key=lambda judgement: judgement.job.record_id)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1.7, -0.1])
async def test_a_figure_that_is_no_probability_is_a_failure_of_the_judge(value: float) -> None:
    """NaN is below one half in no sense: it must never count as an unfaithful answer."""
    absurd, good = await judged([replace(GOOD, faithfulness=value), GOOD])
    assert (absurd.verdict, good.verdict) == (None, GOOD)
    assert absurd.failure == f"judge: faithfulness is {value}, not in [0, 1]"


async def test_a_judge_that_raises_fails_that_record_and_judges_the_next() -> None:
    """With its class as the reason; its words go to the log."""
    failed, good = await judged([TimeoutError("slow"), GOOD])
    assert (failed.verdict, failed.failure, good.verdict) == (None, "judge: TimeoutError", GOOD)


async def test_jobs_of_forgotten_traces_are_answered_and_not_judged() -> None:
    """The queue holds their texts; an answer, because somebody counts those that wait."""
    jobs = [Job(number, b"", replace(RECORD, trace_id=f"{number:032x}"), 0.1) for number in range(3)]
    done: list[Judgement] = []
    bench = Bench(Scripted({}), load("faithfulness"), seats=2, deliver=done.extend)
    bench.submit(jobs)
    bench.drop({jobs[1].record.trace_id})
    assert done == [Judgement(jobs[1], None, "forgotten")]
    bench.drop({job.record.trace_id for job in jobs})
    assert len(done) == 3


async def test_seats_that_wait_for_their_judge_lose_no_judgement() -> None:
    """One seat hands on what is done while another still asks."""
    jobs = [Job(number, b"", replace(RECORD, trace_id=f"{number:032x}"), 0.1) for number in range(20)]
    done: list[Judgement] = []
    complete = asyncio.Event()

    class Slow:
        name, version = "slow", "1"

        async def close(self) -> None:
            """It holds nothing."""

        async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
            """A verdict that takes longer for every third record."""
            for _ in range(1 + 30 * (int(record.trace_id, 16) % 3 == 0)):
                await asyncio.sleep(0)
            return GOOD

    def deliver(batch: Sequence[Judgement]) -> None:
        done.extend(batch)
        if len(done) == len(jobs):
            complete.set()

    bench = Bench(Slow(), load("faithfulness"), seats=4, deliver=deliver)
    bench.submit(jobs)
    running = asyncio.create_task(bench.run())
    async with asyncio.timeout(30):
        await complete.wait()
    running.cancel()
    assert {one.job.record_id for one in done} == set(range(20))
