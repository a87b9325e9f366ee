"""The judge's queue: jobs in, judgements out, in the event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence

from ragvigil.prompts import Prompt
from ragvigil.scorer.judge import Judge
from ragvigil.scorer.judge.endpoint import LaterError
from ragvigil.scorer.judge.measures import Measuring
from ragvigil.scorer.judge.put_off_jobs import PutOff
from ragvigil.scorer.judge.turns import Turns
from ragvigil.scorer.monitoring import told_everywhere
from ragvigil.scorer.store.port import Job, Judgement, Purpose
from ragvigil.scorer.trace import Place
from ragvigil.scorer.verdict import Verdict

_log = logging.getLogger(__name__)

UNASKED = "forgotten"
"""Failure of a job that nobody wants judged any more."""
TRIES = 3
"""Failures in a row after which a job leaves its seat to another."""
SEATS_A_REQUEST = 2
"""Jobs at once for each request that may be in flight: one is asked while another is made ready or concluded."""
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
        afresh: Judge | None = None,
        measuring: Measuring | None = None,
        put_off: PutOff | None = None,
        told: Callable[[Place], bool] = told_everywhere,
    ) -> None:
        """`afresh` judges what is judged again: it remembers nothing. `put_off` says how long what fails waits.

        `told` says of which places somebody is told: they come first.
        """
        self._judge = judge
        self._afresh = afresh or judge
        self._rubric = rubric
        self._measuring = measuring
        self._seats = seats
        self._deliver = deliver
        self._jobs = Turns(told)
        self._done: list[Judgement] = []
        self._put_off = put_off or PutOff()
        self._asked: dict[int, Job] = {}
        self._resting: dict[int, tuple[Job, asyncio.TimerHandle]] = {}
        self._unwanted = set[int]()
        """Of the jobs that are being asked, those that need not be asked again."""

    def submit(self, jobs: Sequence[Job]) -> None:
        """Queue jobs; the caller bounds how many."""
        for job in jobs:
            self._jobs.put_nowait(job)

    def drop(self, traces: Collection[str]) -> None:
        """Let go of the jobs of these traces: they are answered, but not judged."""
        self._let_go(lambda job: job.record.trace_id in traces)

    def withdraw(self, records: Collection[int], purpose: Purpose = "score") -> None:
        """Let go of the jobs of these records: scores that expired, or canaries that nobody waits for."""
        gone = frozenset(records)
        self._let_go(lambda job: job.purpose == purpose and job.record_id in gone)

    def _let_go(self, concerns: Callable[[Job], bool]) -> None:
        jobs = [self._jobs.get_nowait() for _ in range(self._jobs.qsize())]
        self.submit([job for job in jobs if not concerns(job)])
        gone = [job for job in jobs if concerns(job)]
        for job, timer in [one for one in self._resting.values() if concerns(one[0])]:
            timer.cancel()
            del self._resting[id(job)]
            gone.append(job)
        for job in gone:
            self._put_off.forget(job)
        self._unwanted |= {key for key, job in self._asked.items() if concerns(job)}
        if gone:
            self._deliver([Judgement(job, None, UNASKED) for job in gone])

    async def run(self) -> None:
        """Judge until cancelled."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._seats):
                group.create_task(self._sit())

    async def _sit(self) -> None:
        while True:
            job = await self._jobs.get()
            judge = self._judge if job.purpose == "score" else self._afresh
            self._asked[id(job)] = job
            judgement: Judgement | None
            try:
                judgement = await judgement_of(job, judge, self._rubric, self._measuring)
            except LaterError as error:
                judgement = self._postponed(job, error)
            finally:
                del self._asked[id(job)]
                self._unwanted.discard(id(job))
            if judgement is not None:
                self._put_off.forget(job)
                self._done.append(judgement)  # only now is it known which list is waiting
            if self._done and (self._jobs.empty() or len(self._done) >= _JUDGEMENTS_A_BATCH):
                self._hand_on()
            await asyncio.sleep(0)  # a judge that never waits must not starve the servers

    def _hand_on(self) -> None:
        """Outside of the seat: what a seat names it keeps until it hands on again."""
        batch, self._done = self._done, []
        self._deliver(batch)

    def _postponed(self, job: Job, error: LaterError) -> Judgement | None:
        """None: it is asked again later; else what became of a job that nobody wants, or that fails for ever."""
        if id(job) in self._unwanted:
            return Judgement(job, None, UNASKED)
        seconds = self._put_off.rest(job, error)
        if seconds is None:
            return Judgement(job, None, f"judge: {error}, again and again while others were answered")
        timer = asyncio.get_running_loop().call_later(seconds, self._resume, job)
        self._resting[id(job)] = job, timer
        return None

    def _resume(self, job: Job) -> None:
        del self._resting[id(job)]
        self._jobs.put_nowait(job)


async def judgement_of(
    job: Job, judge: Judge, rubric: Prompt, measuring: Measuring | None = None
) -> Judgement:
    """What the judge says of a job; a failure, or a verdict that cannot be, is an answer too.

    What is judged again to see whether the judge has changed is not measured beside it. Raises LaterError.
    """
    try:
        verdict = await judge.judge(job.record, rubric)
        if measuring is not None and job.purpose == "score":
            verdict = await measuring.added(verdict, job.record)
        problem = _absurd(verdict)
        return Judgement(job, None, problem) if problem else Judgement(job, verdict)
    except LaterError:
        raise
    except Exception as error:
        _log.exception("the judge failed on trace %s", job.record.trace_id)
        return Judgement(job, None, f"judge: {type(error).__name__}")


def _absurd(verdict: Verdict) -> str | None:
    """What makes a verdict unusable: a figure that is no probability. NaN would pass for a failure."""
    for name in ("support", "faithfulness"):
        value = getattr(verdict, name)
        if value is not None and not 0.0 <= value <= 1.0:
            return f"judge: {name} is {value}, not in [0, 1]"
    for one in verdict.measured:
        if one.value is not None and not 0.0 <= one.value <= 1.0:
            return f"judge: {one.name} is {one.value}, not in [0, 1]"
    return None
