"""What sampling spent outlives the process, and is charged once."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.scorer.scoring.bench import PASSED, SECOND, Bench, Failing, question

from ragvigil.scorer.sample import Budget, Spent
from ragvigil.scorer.scoring.draws import Draws, SamplePlan
from ragvigil.scorer.store.port import Job, Judgement, RecordStore, ScoredTrace

PRICED = replace(
    PASSED, details={"usage": {"calls": 3, "input_tokens": 900, "output_tokens": 100, "cost_usd": 0.25}}
)


def test_a_kill_forgets_no_draw(bench: Bench) -> None:
    """They are written with the records that were drawn, and not once a minute."""
    bench.receive([arrival for trace in range(1, 8) for arrival in question(trace)])
    bench.settle()
    bench.crash()
    bench.start()
    state = bench.pipeline.sampler.state()
    assert round(state.spent["calls"]) == 7
    assert round(sum(state.traffic.values())) == 7


def test_a_stop_keeps_what_no_draw_wrote(bench: Bench) -> None:
    """What verdicts cost, for one, and what was asked for beside them."""
    bench.receive(question(1))
    jobs = bench.settle()
    bench.pipeline.judged([Judgement(job, PRICED) for job in jobs])
    bench.settle()
    bench.pipeline.leave()
    bench.crash()
    bench.start()
    state = bench.pipeline.sampler.state()
    assert (round(state.spent["calls"]), round(state.spent["tokens"])) == (3, 1_000)
    assert state.usual == Spent(0.0, 1_000.0, 0.25)


def test_a_full_disk_is_no_traffic(bench: Bench) -> None:
    """Each try decided the same records again, and each counted."""
    bench.crash()
    bench.start(lambda store: Failing(store, sqlite3.OperationalError("database or disk is full"), 20))
    bench.receive(question(1) + question(2))
    for _ in range(20):
        with pytest.raises(sqlite3.OperationalError):
            bench.pipeline.turn()
        bench.clock.now += 5 * SECOND
    bench.settle()
    state = bench.pipeline.sampler.state()
    assert (round(state.spent["calls"]), round(sum(state.traffic.values()))) == (2, 2)


class FillingUp(Failing):
    """A store that cannot take some traces together, and whose disk is full after the first of them alone."""

    def __init__(self, store: RecordStore) -> None:
        super().__init__(store, ValueError(), 0)
        self.full = False

    def before_commit(self, traces: Sequence[ScoredTrace]) -> None:
        """Refuse a group; take one trace, and no more while the disk is full."""
        if len(traces) > 1:
            raise ValueError("one of them cannot be stored")
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        self.full = bool(traces)


def test_what_was_stored_before_the_disk_filled_up_is_judged(bench: Bench) -> None:
    """One by one: the job of the first was forgotten with the failure of the second, until the next start."""
    bench.crash()
    filling: list[FillingUp] = []

    def over(store: RecordStore) -> FillingUp:
        filling.append(FillingUp(store))
        return filling[-1]

    bench.start(over)
    bench.receive(question(1) + question(2) + question(3))
    bench.pipeline.turn()
    bench.clock.now += 5 * SECOND
    jobs: list[Job] = []
    for _ in range(12):
        try:
            jobs += bench.pipeline.turn().jobs
        except sqlite3.OperationalError:
            filling[0].full = False
    assert sorted(int(job.record.trace_id, 16) for job in jobs) == [1, 2, 3]
    assert bench.pipeline.waiting == 3
    assert bench.ledger().states == {"pending": 3}


class PickyJudgements(Failing):
    """A store that cannot take some verdicts together, and whose disk is full after the first of them alone."""

    def __init__(self, store: RecordStore) -> None:
        super().__init__(store, ValueError(), 0)
        self.written: list[int] = []
        self.full = False

    def record_judgements(self, judgements: Sequence[Judgement], now: int) -> None:
        """Refuse a group; take one, and no more while the disk is full."""
        if len(judgements) > 1:
            raise ValueError("one of them cannot be stored")
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        self.full = True
        self.written += [one.job.record_id for one in judgements]
        super().record_judgements(judgements, now)


def test_a_verdict_is_written_and_charged_once_though_the_disk_fills_up(bench: Bench) -> None:
    """One by one: those before the failure were written and counted again."""
    bench.receive(question(1) + question(2) + question(3))
    jobs = bench.settle()
    bench.crash()
    picky: list[PickyJudgements] = []

    def over(store: RecordStore) -> PickyJudgements:
        picky.append(PickyJudgements(store))
        return picky[-1]

    bench.start(over)
    bench.pipeline.judged([Judgement(job, PRICED) for job in jobs])
    for _ in range(6):
        try:
            bench.pipeline.turn()
        except sqlite3.OperationalError:
            picky[0].full = False
    assert sorted(picky[0].written) == sorted(job.record_id for job in jobs)
    assert round(bench.pipeline.sampler.state().spent["usd"], 6) == 0.75
    assert bench.pipeline.waiting == 0


def test_what_is_judged_again_is_charged_whole(bench: Bench) -> None:
    """Nobody counted its first call when it was drawn; of one that says no cost it is a call."""
    bench.receive(question(1))
    (job,) = bench.settle()
    draws = Draws(None, SamplePlan(1.0, 10), waiting=lambda: 0)
    canary = replace(job, purpose="canary")
    draws.charge([Judgement(canary, PRICED), Judgement(canary, PASSED), Judgement(job, PRICED)])
    assert draws.sampler.state().spent["calls"] == 3 + 1 + 2


def test_what_a_file_counts_is_not_counted_twice(bench: Bench) -> None:
    """Tokens and money of this process are in what everybody spent; an older state had them, too."""
    bench.receive(question(1))
    (job,) = bench.settle()
    kept = Draws(None, SamplePlan(1.0, 10), waiting=lambda: 0)
    kept.charge([Judgement(job, PRICED)])
    plan = SamplePlan(
        1.0, 10, Budget(usd_per_day=1.0), lambda: (Spent(), Spent(usd=0.25)), counts_calls_only=True
    )
    draws = Draws(kept.text(0.0), plan, waiting=lambda: 0)
    draws.charge([Judgement(job, PRICED)])
    assert [one.used for one in draws.sampler.pressures(0.0)] == [0.25]
