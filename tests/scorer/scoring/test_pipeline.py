"""The pipeline over a real inbox and a real store, with the failures that a test can place."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.scoring.bench import PASSED, SECOND, Bench, Failing, question, span

from ragvigil.scorer.config import load
from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.receive.told import Feedback
from ragvigil.scorer.span import spans_of
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import Job, Judgement, RawTrace, RecordStore, ScoredTrace


def test_a_store_that_cannot_be_written_for_a_while_loses_nothing(bench: Bench) -> None:
    """Disk full, locked: the same traces are committed once it works again."""
    bench.crash()
    bench.start(lambda store: Failing(store, sqlite3.OperationalError("database or disk is full"), 3))
    bench.receive(question(1) + question(2))
    for _ in range(3):
        with pytest.raises(sqlite3.OperationalError):
            bench.pipeline.turn()
        bench.clock.now += 5 * SECOND
    assert len(bench.settle()) == 2
    assert bench.ledger() == reading.Ledger(2, {"pending": 2}, {})


def test_late_spans_of_a_trace_that_waits_to_be_written_join_it(bench: Bench) -> None:
    """The disk is full for a while, and meanwhile more of the same trace comes: none of the two parts is lost."""
    bench.crash()
    bench.start(lambda store: Failing(store, sqlite3.OperationalError("database or disk is full"), 4))
    search, root = question(1)
    for arrivals in ([root], [], [search], []):
        if arrivals:
            bench.receive(arrivals)
        bench.clock.now += 60 * SECOND
        with pytest.raises(sqlite3.OperationalError):
            bench.pipeline.turn()
    bench.settle()
    trace_id = f"{1:032x}"
    assert len(spans_of(bench.store.records.raw([trace_id])[trace_id].spans)) == 2
    assert bench.ledger() == reading.Ledger(1, {"pending": 1}, {})


def test_a_trace_that_lost_spans_at_its_bound_is_never_complete(bench: Bench) -> None:
    """A late span for which there is room does not bring back those that were dropped."""
    bench.settings = load(
        overrides={**bench.settings.model_dump(include={"store"}), "assemble": {"max_trace_spans": 4}}
    )
    bench.crash()
    bench.start()
    search, root = question(1)
    bench.receive([root, search, *(span(1, f"step {number}", parent=True) for number in range(4))])
    bench.settle()
    bench.crash()
    bench.settings = load(overrides=bench.settings.model_dump(include={"store"}))
    bench.start()
    bench.receive([span(1, "late", parent=True)])
    bench.settle()
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        rows = connection.execute(
            "SELECT completeness, timed_out, span_count, dropped FROM records JOIN traces USING (trace_id)"
        )
        assert [tuple(row) for row in rows] == [("timed_out", 1, 5, 2)]


@pytest.mark.parametrize(
    "error",
    [
        OverflowError("Python int too large to convert to SQLite INTEGER"),
        AttributeError("'int' object has no attribute 'encode'"),
        TypeError("unsupported type"),
        KeyError("p1"),
        RecursionError("maximum recursion depth exceeded"),
    ],
)
def test_a_trace_that_cannot_be_stored_is_failed_and_hurts_no_other(bench: Bench, error: Exception) -> None:
    """One poisoned record must not stop the pipeline for ever, nor end its process again and again."""
    bench.crash()
    bench.start(lambda store: PickyStore(store, f"{1:032x}", error))
    bench.receive([*question(1), *question(2), *question(3)])
    assert len(bench.settle()) == 2
    assert bench.ledger() == reading.Ledger(3, {"pending": 2, "failed": 1}, {})


class PickyStore(Failing):
    """A store that cannot hold the records of one trace."""

    def __init__(self, store: RecordStore, refused: str, error: Exception) -> None:
        super().__init__(store, ValueError(), 0)
        self._refused = refused
        self._error = error

    def before_commit(self, traces: Sequence[ScoredTrace]) -> None:
        """Fail as SQLite does for a number that it cannot hold, or as the code that makes its rows may."""
        if any(trace.trace_id == self._refused and trace.records for trace in traces):
            raise self._error


def test_an_unreadable_payload_is_failed_and_hurts_no_other(bench: Bench) -> None:
    """Bytes that are no spans, though the receiving side should never let them in."""
    bench.receive([Arrival("spans", bytes(15) + b"\x07", b"\xff\xff\xff", 0), *question(2)])
    bench.settle()
    bench.clock.now += 1_000 * SECOND
    bench.settle()
    assert bench.ledger().states == {"pending": 1, "failed": 1}


def test_verdicts_that_cannot_be_written_for_a_while_are_written_later(bench: Bench) -> None:
    """A disk that is full for a minute must not leave records pending until the next restart."""
    bench.receive(question(1))
    jobs = bench.settle()
    bench.crash()
    store = Failing(bench.store.records, sqlite3.OperationalError("disk is full"), 0)
    bench.start(lambda records: store.over(records))
    store.times = 2
    bench.pipeline.judged([Judgement(job, PASSED) for job in jobs])
    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError):
            bench.pipeline.turn()
    assert bench.pipeline.turn().verdicts == 1
    assert bench.ledger().states == {"judged": 1}


def test_a_verdict_that_cannot_be_stored_is_failed_and_hurts_no_other(bench: Bench) -> None:
    """A judge that answers 1.7 is the judge's fault, not the batch's."""
    bench.receive(question(1) + question(2))
    first, second = bench.settle()
    absurd = replace(PASSED, support=1.7)
    bench.pipeline.judged([Judgement(first, absurd), Judgement(second, PASSED)])
    assert bench.pipeline.turn().verdicts == 2
    assert bench.ledger().states == {"judged": 1, "failed": 1}


def test_what_a_verdict_cost_counts_against_the_day(bench: Bench) -> None:
    """As the judge reports it; a judge that reports nothing costs nothing."""
    bench.receive(question(1) + question(2) + question(3))
    first, second, third = bench.settle()
    usage = {"calls": 1, "input_tokens": 900, "output_tokens": 100, "cost_usd": 0.25}
    dear, unpriced = (replace(PASSED, details={"usage": one}) for one in (usage, {**usage, "cost_usd": None}))
    bench.pipeline.judged([Judgement(first, dear), Judgement(second, unpriced), Judgement(third, PASSED)])
    bench.pipeline.turn()
    spent = bench.pipeline.sampler.state().spent
    assert (round(spent["tokens"]), round(spent["usd"], 6)) == (2000, 0.25)


def test_finished_segments_go_even_when_nothing_arrives(bench: Bench) -> None:
    """They hold what was not redacted yet."""
    for trace in range(1, 60):
        bench.receive(question(trace))
    assert len(list(bench.settings.inbox_path.glob("*.db"))) > 1
    bench.settle()
    bench.clock.now += 2 * SECOND
    bench.pipeline.turn()
    assert len(list(bench.settings.inbox_path.glob("*.db"))) == 1


def test_more_of_a_trace_that_was_unreadable_does_not_stop_the_scorer(bench: Bench) -> None:
    """Bytes that cannot be redacted are not kept, so the new half is read by itself."""
    broken = Arrival("spans", (7).to_bytes(16, "big"), b"\xff\xff\xff", 0)
    bench.receive([broken])
    bench.settle(1_000)
    bench.receive([*question(7), *question(8)])
    bench.settle(1_000)
    assert bench.ledger() == reading.Ledger(2, {"pending": 2}, {})


def test_what_is_sent_again_is_stored_once(bench: Bench) -> None:
    """While the trace is open or later, in other batches, spans and log records."""
    search, root = question(7)
    both = search._replace(payload=search.payload + root.payload)
    told = Feedback(trace_id=f"{7:032x}", kind="comment", comment="crooked").arrival(1)
    bench.receive([search, search, told, told])
    bench.settle()
    bench.receive([both, root, told])
    bench.settle()
    bench.receive([both, told])
    bench.settle()
    raw = bench.store.records.raw([f"{7:032x}"])[f"{7:032x}"]
    assert len(spans_of(raw.spans)) == 2
    assert raw.logs.count(b"crooked") == 1


def test_a_late_part_that_cannot_be_redacted_is_not_kept_and_counted(bench: Bench) -> None:
    """Once, also when the commit is tried again; the trace stays as it was."""
    bench.receive(question(7))
    bench.settle()
    bench.crash()
    bench.start(lambda store: Failing(store, sqlite3.OperationalError("database or disk is full"), 2))
    bench.receive([Arrival("spans", (7).to_bytes(16, "big"), b"\xff\xff\xff", 0)])
    bench.pipeline.turn()
    for _ in range(2):
        bench.clock.now += 1_000 * SECOND
        with pytest.raises(sqlite3.OperationalError):
            bench.pipeline.turn()
    bench.settle(1_000)
    assert bench.ledger() == reading.Ledger(1, {"pending": 1}, {}, not_kept=1)


def test_a_score_that_is_no_number_is_unknown_and_counted(bench: Bench) -> None:
    """A retriever that divides by zero must not pass in silence."""
    search, root = question(1)
    data = TracesData.FromString(search.payload)
    pair = data.resource_spans[0].scope_spans[0].spans[0].attributes.add()
    pair.key, pair.value.double_value = "retrieval.documents.0.document.score", float("nan")
    bench.receive([search._replace(payload=data.SerializeToString()), root])
    (job,) = bench.settle()
    assert job.record.documents[0].score is None
    assert bench.ledger().not_finite == 1


def test_spans_that_a_service_lost_are_in_the_ledger(bench: Bench) -> None:
    """Its tracer says so on the next span that gets through."""
    search, root = question(1)
    data = TracesData.FromString(root.payload)
    data.resource_spans[0].scope_spans[0].scope.name = "ragvigil"
    pair = data.resource_spans[0].scope_spans[0].spans[0].attributes.add()
    pair.key, pair.value.int_value = "ragvigil.dropped_spans", 12
    bench.receive([search, root._replace(payload=data.SerializeToString())])
    bench.settle()
    assert bench.ledger().lost_spans == 12


def test_beyond_the_judges_queue_records_are_shed_and_counted(tmp_path: Path) -> None:
    """Bounded memory, never a silent loss."""
    bench = Bench(tmp_path, rate=1.0, max_jobs=3)
    with closing(bench):
        bench.receive([arrival for trace in range(1, 8) for arrival in question(trace)])
        jobs = bench.settle()
        assert bench.ledger().states == {"pending": 3, "shed": 4}
        bench.pipeline.judged([Judgement(job, PASSED) for job in jobs])
        bench.settle()
        bench.receive(question(9))
        assert len(bench.settle()) == 1


def test_without_a_judge_every_record_is_checked_only(tmp_path: Path) -> None:
    """judge.kind = none."""
    bench = Bench(tmp_path, rate=0.0)
    with closing(bench):
        bench.receive(question(1))
        assert bench.settle() == []
        assert bench.ledger().states == {"checked_only": 1}


def test_an_open_trace_holds_the_watermark_back(bench: Bench) -> None:
    """Its first half is in memory only, so the inbox must still have it after a crash."""
    search, root = question(1)
    bench.receive([search, *question(2)])
    bench.settle(5)
    assert bench.ledger().ingested == 1
    bench.crash()
    bench.start()
    bench.receive([root])
    bench.settle()
    ledger = bench.ledger()
    assert (ledger.ingested, ledger.balanced) == (2, True)
    (record,) = [job.record for job in bench.store.records.pending() if job.record.trace_id == f"{1:032x}"]
    assert [document.id for document in record.documents] == ["p1"]


@pytest.mark.parametrize("seed", range(8))
def test_whatever_the_moment_of_a_crash_the_ledger_adds_up(tmp_path: Path, seed: int) -> None:
    """Spans in any order and twice, crashes between any two steps: each question counts once and is judged once."""
    chance = random.Random(seed)
    bench = Bench(tmp_path, rate=1.0)
    with closing(bench):
        arrivals = [arrival for trace in range(1, 41) for arrival in question(trace)]
        arrivals += chance.sample(arrivals, 20)
        chance.shuffle(arrivals)
        jobs: list[Job] = []
        while arrivals:
            batch, arrivals = arrivals[:7], arrivals[7:]
            bench.receive(batch)
            bench.clock.now += chance.choice([0, SECOND // 2, 3 * SECOND])
            jobs += bench.pipeline.turn().jobs
            if chance.random() < 0.3:
                done = chance.sample(jobs, len(jobs) // 2)
                bench.pipeline.judged([Judgement(job, PASSED) for job in done])
                jobs += bench.pipeline.turn().jobs if chance.random() < 0.5 else []
                bench.crash()
                jobs = list(bench.start())
        bench.settle()
        bench.pipeline.judged([Judgement(job, PASSED) for job in bench.store.records.pending()])
        bench.settle()
        assert bench.ledger() == reading.Ledger(40, {"judged": 40}, {})
        series = bench.store.monitoring.series()
        sums = {key.name: bench.store.monitoring.buckets(key, 0, 10**6 * SECOND)[0].sums for key in series}
        assert sums["faithfulness"].n == 40
        assert (sums["citation"].n, sums["citation"].wx) == (40, 40.0)


def test_what_comes_after_the_content_is_gone_is_counted(bench: Bench) -> None:
    """A vote on an answer of which only scores are left: it was acknowledged, and must not vanish without a word."""
    bench.receive(question(1) + question(2))
    bench.settle()
    assert bench.store.retention.expire(None, 1, counter="content_expired") == [f"{1:032x}"]
    for trace in (1, 2):
        bench.receive([Feedback(trace_id=f"{trace:032x}", kind="thumbs", value="down").arrival(0)])
    bench.settle()
    assert bench.ledger() == reading.Ledger(2, {"pending": 1, "expired": 1}, {}, after_content=1)


class Weighing(Failing):
    """A store that notes how many bytes it gives, and is given, at once."""

    def __init__(self, store: RecordStore) -> None:
        super().__init__(store, ValueError(), 0)
        self.most = 0

    def raw(self, trace_ids: Collection[str]) -> Mapping[str, RawTrace]:
        """As it is."""
        found = super().raw(trace_ids)
        self._note(found.values())
        return found

    def before_commit(self, traces: Sequence[ScoredTrace]) -> None:
        """Note what is given."""
        self._note([trace.raw for trace in traces])

    def _note(self, traces: Iterable[RawTrace]) -> None:
        self.most = max(self.most, sum(len(raw.spans) + len(raw.logs) for raw in traces))


def test_late_votes_on_large_traces_bring_back_few_of_them_at_once(bench: Bench) -> None:
    """Each is some bytes, and all that is stored of its trace comes with it: so a gigabyte is in memory at once."""
    large = span(1, "tool", parent=True, output__value="page " * 200_000)
    count, size = 40, len(large.payload)
    for trace in range(1, count + 1):
        tool = span(trace, "tool", parent=True, output__value="page " * 200_000)
        bench.receive([tool, *question(trace)])
        bench.settle()
    bench.crash()
    store = Weighing(bench.store.records)
    bench.start(lambda records: store.over(records))
    bench.receive(
        [
            Feedback(trace_id=f"{trace:032x}", kind="thumbs", value="down").arrival(0)
            for trace in range(1, count + 1)
        ]
    )
    bench.settle()
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        rows = connection.execute("SELECT count(*) FROM records WHERE feedback LIKE '%down%'")
        assert rows.fetchone()[0] == count
    assert size < store.most < 17 * 2**20 < count * size
