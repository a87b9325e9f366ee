"""What waits for the judge too long is thinned by the hash of its trace ids, without a bias and for all to see."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from tests.scorer.store.records import FAILED, FAITHFULNESS, PASSED, PENDING, RECORD, scored
from tests.scorer.store.test_sqlite import ledger_of, settings, store, sums

from ragvigil.scorer.config import Settings
from ragvigil.scorer.judge.backlog import Backlog
from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store.port import Job, Judgement, LedgerEntry
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.batches import observed
from ragvigil.scorer.watch.port import Seen

__all__ = ["settings", "store"]
HOUR = 3600 * 10**9
INCLUSION = 0.5


def drawn(count: int, seed: int = 1) -> list[str]:
    """Trace ids of the records that a sampler at INCLUSION judges."""
    ids = random.Random(seed)
    return [
        one for one in (f"{ids.getrandbits(128):032x}" for _ in range(count)) if fraction(one) < INCLUSION
    ]


def waiting(store: SqliteStore, trace_ids: Collection[str]) -> list[Job]:
    """The jobs of records that have waited since moment 0."""
    entry = replace(PENDING, inclusion=INCLUSION)
    return list(
        store.records.commit(
            [scored(replace(RECORD, trace_id=one), ledger=entry) for one in trace_ids], None, 0
        )
    )


def test_half_of_what_waits_expires_after_the_limit_and_half_of_that_later(
    store: SqliteStore, settings: Settings
) -> None:
    """Never while nothing has waited too long, and never all at once."""
    dropped: list[int] = []
    jobs = waiting(store, drawn(400))
    backlog = Backlog(store.backlog, longest_seconds=8 * 3600.0, drop=dropped.extend)
    assert backlog.tick(7 * HOUR) == 0
    first = backlog.tick(9 * HOUR)
    assert 0.35 < first / len(jobs) < 0.65
    assert backlog.tick(9 * HOUR + HOUR // 2) == 0
    second = backlog.tick(10 * HOUR)
    assert 0.3 < second / (len(jobs) - first) < 0.7
    states = ledger_of(settings).states
    assert states == {"pending": len(jobs) - first - second, "expired": first + second}
    assert ledger_of(settings).balanced
    assert len(set(dropped)) == first + second


def test_what_waits_too_long_of_one_environment_expires_nothing_of_another(store: SqliteStore) -> None:
    """Staging that loops makes itself late: production has its own turns before the judge."""
    staging = replace(RECORD, environment="staging")
    entry = replace(PENDING, inclusion=INCLUSION)
    for record, moment in ((staging, 0), (RECORD, 5 * HOUR)):
        traces = [scored(replace(record, trace_id=one), ledger=entry) for one in drawn(60, seed=moment + 1)]
        store.records.commit(traces, None, moment)
    backlog = Backlog(store.backlog, longest_seconds=8 * 3600.0, drop=lambda _: None)
    gone = backlog.tick(9 * HOUR)
    assert gone > 0
    waiting = Counter((job.record.environment, job.inclusion) for job in store.records.pending())
    production = len(drawn(60, seed=5 * HOUR + 1))
    assert waiting[RECORD.environment, INCLUSION] == production
    assert waiting["staging", INCLUSION / 2] == waiting.total() - production
    assert backlog.tick(14 * HOUR) > 0  # each by its own time
    assert {job.inclusion for job in store.records.pending() if job.record.environment != "staging"} == {
        INCLUSION / 2
    }


def test_who_is_left_stands_for_who_expired(store: SqliteStore) -> None:
    """The weighted rate stays that of all traffic: the hash knows nothing of the verdicts."""
    trace_ids = drawn(3_000)
    truth = {one: random.Random(one).random() < 0.7 for one in trace_ids}
    jobs = waiting(store, trace_ids)
    gone = set(store.backlog.thin(RECORD.place, 0.5, 5))
    verdicts = [
        Judgement(job, PASSED if truth[job.record.trace_id] else FAILED)
        for job in jobs
        if job.record_id in gone
    ]
    store.records.record_judgements(verdicts, 6)
    assert sums(store, FAITHFULNESS) == []  # a verdict that comes all the same would break the weights
    left = [
        Judgement(job, PASSED if truth[job.record.trace_id] else FAILED)
        for job in jobs
        if job.record_id not in gone
    ]
    store.records.record_judgements(left, 6)
    (found,) = sums(store, FAITHFULNESS)
    assert abs(found.wx / found.w - sum(truth.values()) / len(truth)) < 0.05
    assert abs(found.w - 3_000) < 300


def test_a_record_that_expired_does_not_wait_again_when_a_late_span_changes_it(
    store: SqliteStore, settings: Settings
) -> None:
    """It was drawn out of the sample by its hash: a second draw would be biased."""
    waiting(store, drawn(40))
    store.backlog.thin(RECORD.place, 1e-9, 5)
    late = [
        scored(replace(RECORD, trace_id=one, answer="Other."), ledger=LedgerEntry("pending", 0.9))
        for one in drawn(40)
    ]
    assert store.records.commit(late, None, 6) == []
    assert set(ledger_of(settings).states) == {"expired"}


def test_the_detectors_do_not_miss_a_verdict_that_was_drawn_out() -> None:
    """What expired with its content is missing; what was thinned is not in the sample."""
    inside, outside = "0" * 32, "f" * 32
    place = fraction(outside)
    rows = [
        Seen(1, outside, 0, "{}", 0, 0.9, 1, 1, "expired", place / 2, None, None, None),
        Seen(2, outside, 0, "{}", 0, 0.9, 1, 1, "expired", min(1.0, place * 1.01), None, None, None),
        Seen(3, inside, 0, "{}", 0, 0.9, 1, 1, "pending", 1.0, None, None, None),
    ]
    batch = observed(rows, 0, 1)
    assert batch.judged is not None
    assert list(batch.judged) == [False, True, True]


def test_a_clock_that_is_set_ahead_expires_nothing(store: SqliteStore, settings: Settings) -> None:
    """Nothing has waited longer for that; what then waits too long by any clock expires as ever."""
    jobs = waiting(store, drawn(50))
    ticks = 0
    backlog = Backlog(store.backlog, longest_seconds=8 * 3600.0, drop=lambda _: None, ticks=lambda: ticks)
    assert backlog.tick(HOUR) == 0
    assert backlog.tick(100 * HOUR) == 0
    assert ledger_of(settings).states == {"pending": len(jobs)}
    ticks = 6 * HOUR
    assert backlog.tick(106 * HOUR) == 0
    ticks = 8 * HOUR
    assert backlog.tick(108 * HOUR) > 0


def test_since_when_the_oldest_waits_is_told_by_service_and_environment(store: SqliteStore) -> None:
    """One that has its verdict waits no more."""
    assert store.monitoring.waits_since() == {}
    first, second, third = (replace(RECORD, trace_id=f"{number:032x}") for number in range(1, 4))
    staging = replace(third, environment="staging")
    for moment, one in ((7, first), (5, second), (9, staging)):
        store.records.commit([scored(one, ledger=PENDING)], None, moment)
    place = RECORD.service, RECORD.environment
    assert store.monitoring.waits_since() == {place: 5, (RECORD.service, "staging"): 9}
    (job,) = (one for one in store.records.pending() if one.record.trace_id == second.trace_id)
    store.records.record_judgements([Judgement(job, PASSED)], 11)
    assert store.monitoring.waits_since()[place] == 7
