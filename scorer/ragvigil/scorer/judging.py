"""The judge's queue: jobs in, judgements out, in the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence

from ragvigil.prompts import Prompt
from ragvigil.scorer.judge import Judge
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.verdict import Verdict

_log = logging.getLogger(__name__)

_JUDGEMENTS_A_BATCH = 50


class Bench:
    """Judges what it is given, some at a time, and hands judgements on in batches."""

    def __init__(
        self,
        judge: Judge,
        rubric: Prompt,
        *,
        seats: int,
        deliver: Callable[[Sequence[Judgement]], None],
    ) -> None:
        self._judge = judge
        self._rubric = rubric
        self._seats = seats
        self._deliver = deliver
        self._jobs: asyncio.Queue[Job] = asyncio.Queue()
        self._done: list[Judgement] = []

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue jobs; the caller bounds how many."""
        for job in jobs:
            self._jobs.put_nowait(job)

    def drop(self, traces: Collection[str]) -> None:
        """Let go of the jobs of these traces: they are answered, but not judged."""
        jobs = [self._jobs.get_nowait() for _ in range(self._jobs.qsize())]
        self.submit([job for job in jobs if job.record.trace_id not in traces])
        dropped = [Judgement(job, None, "forgotten") for job in jobs if job.record.trace_id in traces]
        if dropped:
            self._deliver(dropped)

    async def run(self) -> None:
        """Judge until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._seats):
                group.create_task(self._sit())

    async def _sit(self) -> None:
        while True:
            job = await self._jobs.get()
            judgement = await judgement_of(job, self._judge, self._rubric)
            self._done.append(judgement)  # only now is it known which list is waiting
            if self._jobs.empty() or len(self._done) >= _JUDGEMENTS_A_BATCH:
                batch, self._done = self._done, []
                self._deliver(batch)
            await asyncio.sleep(0)  # a judge that never waits must not starve the servers


async def judgement_of(job: Job, judge: Judge, rubric: Prompt) -> Judgement:
    """What the judge says of a job; a failure, or a verdict that cannot be, is an answer too."""
    try:
        verdict = await judge.judge(job.record, rubric)
        problem = _absurd(verdict)
        return Judgement(job, None, problem) if problem else Judgement(job, verdict)
    except Exception as error:
        _log.exception("the judge failed on trace %s", job.record.trace_id)
        return Judgement(job, None, f"judge: {type(error).__name__}")


def _absurd(verdict: Verdict) -> str | None:
    """What makes a verdict unusable: a figure that is no probability. NaN would pass for a failure."""
    for name in ("support", "faithfulness"):
        value = getattr(verdict, name)
        if value is not None and not 0.0 <= value <= 1.0:
            return f"judge: {name} is {value}, not in [0, 1]"
    return None
