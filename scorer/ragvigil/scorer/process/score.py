"""The score process: one event loop, and one thread that alone writes the store."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Collection, Sequence

from ragvigil.scorer import config
from ragvigil.scorer.incidents.deliver import Courier
from ragvigil.scorer.judge import paid_of, rubric_of
from ragvigil.scorer.judge.endpoint.trouble import Trouble
from ragvigil.scorer.judge.judges import judges_of, look_at
from ragvigil.scorer.judge.judging import SEATS_A_REQUEST, TRIES, Bench
from ragvigil.scorer.lock import PATIENCE_SECONDS, Lock
from ragvigil.scorer.monitor.heartbeat import beat
from ragvigil.scorer.monitoring import told_in
from ragvigil.scorer.process.loop_outbox import LoopOutbox
from ragvigil.scorer.process.parts import channels
from ragvigil.scorer.process.scoring_thread import Scoring
from ragvigil.scorer.process.ticking import ticking
from ragvigil.scorer.receive.memory import give_back
from ragvigil.scorer.sending.outward import Outward
from ragvigil.scorer.store.port import Job, Judgement, Purpose

_OBJECTS_A_COLLECTION = 100_000
"""What one commit of some hundred records holds; nearly all goes by reference counts, without the collector."""


async def score(settings: config.Settings, stop: asyncio.Event) -> None:
    """Score what the inbox receives until `stop`; raises StoreError when the store cannot be used."""
    path = settings.store.path
    lock = path.with_name(f"{path.name}.lock")
    with Lock(lock, what=f"store {path}", remedy="name another with --store", patience=PATIENCE_SECONDS):
        await _score(settings, stop)


def collect_less() -> None:
    """Give back what loading freed; let the collector of cycles pass over what was loaded, and look less often."""
    give_back()
    gc.freeze()
    gc.set_threshold(_OBJECTS_A_COLLECTION, 20, 50)


async def _score(settings: config.Settings, stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    bench: Bench | None = None

    def hand_out(jobs: Sequence[Job]) -> None:
        if bench is not None and jobs:
            loop.call_soon_threadsafe(bench.submit, jobs)

    def drop(traces: Collection[str]) -> None:
        if bench is not None:
            loop.call_soon_threadsafe(bench.drop, traces)

    def withdraw(records: Collection[int], purpose: Purpose) -> None:
        if bench is not None:
            loop.call_soon_threadsafe(bench.withdraw, records, purpose)

    paid, trouble = paid_of(settings, settings.judge), Trouble()
    scoring = Scoring(settings, hand_out=hand_out, drop=drop, withdraw=withdraw, paid=paid, trouble=trouble)

    def deliver(judgements: Sequence[Judgement]) -> None:
        scoring.call(lambda: scoring.judged(judgements))

    judge, afresh, measuring = judges_of(settings, paid, trouble, tries=TRIES)
    if judge is not None:
        bench = Bench(
            judge,
            rubric_of(settings.judge),
            seats=SEATS_A_REQUEST * settings.judge.max_in_flight,
            deliver=deliver,
            afresh=afresh,
            measuring=measuring,
            told=told_in(settings.monitor.page_environments),
        )
    outward = Outward(settings, scoring)
    await loop.run_in_executor(None, scoring.open)
    collect_less()
    with ticking(lambda: scoring.call(scoring.tick), settings.monitor.tick_seconds):
        tasks = [*_tasks(settings, scoring, bench, stop), *outward.tasks(stop)]
        ended = asyncio.wrap_future(scoring.ended)
        ended.add_done_callback(lambda _: stop.set())
        await stop.wait()
        await loop.run_in_executor(None, scoring.stop)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        outward.close()
        if measuring is not None:
            await measuring.close()
        if judge is not None:
            await judge.close()
        if paid is not None:
            paid.close()
        await ended


def _tasks(
    settings: config.Settings, scoring: Scoring, bench: Bench | None, stop: asyncio.Event
) -> list[asyncio.Task[None]]:
    """What runs on the loop beside the scores that go out: messages to channels, the heartbeat and the judge."""
    courier = Courier(LoopOutbox(scoring), channels(settings.channels))
    tasks = [asyncio.create_task(courier.run(stop))]
    if settings.health.heartbeat_url is not None:
        tasks.append(asyncio.create_task(beat(settings, lambda: scoring.succeeded_at, stop)))
    if bench is not None:
        tasks += [asyncio.create_task(bench.run()), asyncio.create_task(look_at(settings.judge))]
    return tasks
