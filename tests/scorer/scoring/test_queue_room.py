"""One service that floods the judge sheds its own records, and never those of another."""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.scoring.bench import PASSED, Bench, question
from tests.scorer.store.records import FAILED, RECORD, scored
from tests.scorer.store.records import PASSED as SUPPORTED
from tests.scorer.store.test_sqlite import settings, store

from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.judge.backlog import Backlog
from ragvigil.scorer.judge.turns import Turns
from ragvigil.scorer.monitoring import SeriesKey
from ragvigil.scorer.sample import Sampler, stratum_of
from ragvigil.scorer.scoring.queue_room import QueueRoom
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import Job, Judgement, LedgerEntry, LedgerState, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Place, RagTrace

__all__ = ["settings", "store"]

LOOP: Place = ("loop", "staging")
SHOP: Place = ("shop", "production")


def job(number: int, place: Place) -> Job:
    """A record of that place that waits."""
    service, environment = place
    trace_id = f"{number:032x}"
    return Job(
        number,
        number.to_bytes(32),
        replace(RECORD, service=service, environment=environment, trace_id=trace_id),
        0.5,
    )


def full_of(place: Place, count: int, most: int) -> QueueRoom:
    """Room for `most` in which so many of that place wait."""
    room = QueueRoom(most)
    room.add(job(number, place) for number in range(count))
    return room


def test_a_place_that_is_alone_has_all_the_room() -> None:
    """Nothing is kept for others where there never was one; drawn records count before they are stored."""
    room = full_of(LOOP, 9, 10)
    assert room.left(LOOP) == 1
    room.draw(job(9, LOOP).record)
    assert (room.left(LOOP), len(room)) == (0, 10)
    room.stored()
    assert (room.left(LOOP), len(room)) == (1, 9)


def test_a_place_below_its_share_is_let_into_a_full_room() -> None:
    """What that is too much the largest gives back, and an eighth of the room with it, but never what is its share."""
    room = full_of(LOOP, 100, 100)
    assert room.left(SHOP) == 50
    assert room.crowded() is None
    room.add([job(1_000, SHOP)])
    crowd = room.crowded()
    assert crowd == (LOOP, 0.87)
    room.expire(range(13))
    assert (room.crowded(), room.left(LOOP), len(room)) == (None, 0, 88)
    room.add(job(number, SHOP) for number in range(1_001, 1_050))
    crowd = room.crowded()
    assert crowd is not None
    assert (crowd[0], round(crowd[1] * 87)) == (LOOP, 50)
    assert room.left(SHOP) == 0


def test_previews_leave_a_place_that_pages_its_room() -> None:
    """Sixty of them left production a sixtieth of the queue, and it was shed."""
    room = QueueRoom(100, told=lambda place: place == SHOP)
    room.add(job(number, ("shop", f"preview-{number % 60}")) for number in range(100))
    assert room.left(SHOP) == 100 * 8 // 68
    room.add(job(number, SHOP) for number in range(200, 211))
    crowd = room.crowded()
    assert crowd is not None
    assert crowd[0] != SHOP
    assert room.left(("shop", "preview-1")) == 0


def test_answered_and_expired_records_give_their_room_back_once() -> None:
    """A verdict may come of a record that expired while it was asked about; one that changed waits twice."""
    room = QueueRoom(10)
    jobs = [job(number, SHOP) for number in range(3)]
    changed = replace(jobs[0], input_hash=b"\1" * 32)
    room.add([*jobs, changed])
    assert len(room) == 4
    room.expire([0])
    room.remove([jobs[0], changed, jobs[1]])
    assert len(room) == 1
    room.remove(jobs)
    assert (len(room), room.left(SHOP)) == (0, 10)


async def test_places_take_turns_before_the_judge_and_keep_their_order() -> None:
    """The third record of a quiet service is not behind the thousandth of a loud one."""
    line = Turns()
    for number in range(6):
        line.put_nowait(job(number, LOOP))
    for number in range(10, 13):
        line.put_nowait(job(number, SHOP))
    assert line.qsize() == 9
    found = [(await line.get()).record_id for _ in range(9)]
    assert found == [0, 10, 1, 11, 2, 12, 3, 4, 5]
    assert line.empty()
    waiting = asyncio.create_task(line.get())
    await asyncio.sleep(0)
    line.put_nowait(job(7, SHOP))
    assert (await waiting).record_id == 7


async def test_places_of_which_nobody_is_told_have_every_fourth_turn() -> None:
    """Sixty previews by turns left production one verdict in sixty-one."""
    line = Turns(told=lambda place: place == SHOP)
    for number in range(6):
        line.put_nowait(job(number, (f"preview-{number}", "staging")))
    for number in range(10, 17):
        line.put_nowait(job(number, SHOP))
    found = [(await line.get()).record_id for _ in range(line.qsize())]
    assert found == [10, 11, 12, 0, 13, 14, 15, 1, 16, 2, 3, 4, 5]


async def test_a_canary_has_every_fourth_turn_while_scores_wait() -> None:
    """Scores were behind four hundred of them, or they behind ten thousand scores, for too long."""
    line = Turns()
    for number in range(8):
        line.put_nowait(replace(job(100 + number, SHOP), purpose="canary"))
    for number in range(5):
        line.put_nowait(job(number, LOOP))
    found = [(await line.get()).record_id for _ in range(line.qsize())]
    assert found == [0, 1, 2, 100, 3, 4, *range(101, 108)]


def at(place: Place, arrivals: Sequence[Arrival]) -> Iterator[Arrival]:
    """The spans as that service sends them."""
    for arrival in arrivals:
        data = TracesData.FromString(arrival.payload)
        for key, value in (("service.name", place[0]), ("deployment.environment.name", place[1])):
            pair = data.resource_spans[0].resource.attributes.add()
            pair.key, pair.value.string_value = key, value or ""
        yield arrival._replace(payload=data.SerializeToString())


def test_a_flood_of_one_service_sheds_no_record_of_another(tmp_path: Path) -> None:
    """Through inbox, pipeline and store: the loud one's are shed and thinned, the quiet one's all judged."""
    with closing(Bench(tmp_path, rate=1.0, max_jobs=16)) as bench:
        backlog = Backlog(bench.store.backlog, longest_seconds=1e6, drop=bench.pipeline.room.expire)
        bench.receive([one for number in range(1, 21) for one in at(LOOP, question(number))])
        bench.settle()
        assert bench.ledger().states == {"pending": 16, "shed": 4}
        bench.receive([one for number in range(101, 108) for one in at(SHOP, question(number))])
        jobs = bench.settle()
        assert [one.record.place for one in jobs] == [SHOP] * 7
        crowd = bench.pipeline.room.crowded()
        assert crowd is not None
        backlog.make_room(*crowd, 5)
        assert len(bench.pipeline.room) <= 16
        bench.pipeline.judged([Judgement(one, PASSED) for one in bench.store.records.pending()])
        bench.settle()
        states = Counter(_states(bench, SHOP))
        assert states == {("judged", 1.0): 7}
        assert {inclusion for state, inclusion in _states(bench, LOOP) if state == "judged"} == {crowd[1]}
        assert len(bench.pipeline.room) == 0
        assert bench.ledger().balanced


def _states(bench: Bench, place: Place) -> list[tuple[str, float]]:
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        rows = connection.execute(
            "SELECT state, inclusion FROM ledger JOIN records USING (trace_id, span_id) WHERE service = ?",
            (place[0],),
        )
        return [(row[0], row[1]) for row in rows]


@pytest.mark.parametrize("seed", range(2))
def test_estimates_stay_unbiased_under_a_flood(store: SqliteStore, seed: int) -> None:
    """A loop floods a judge that is away at times: each rate is that of all traffic, and the quiet ones lose nothing.

    Of the loop, what is left stands for what expired: its weights add up to those of all that was to be judged.
    """
    chance = random.Random(seed)
    rates: dict[Place, float] = {LOOP: 0.4, SHOP: 0.9, ("desk", "production"): 0.8, ("faq", None): 0.7}
    flood = Flood(store, rates)
    for step in range(600):
        times = 6 if step % 300 > 40 else 1
        flood.receive(
            step,
            [
                (place, chance.random() < rate, f"{chance.getrandbits(128):032x}")
                for place, rate in rates.items()
                for _ in range(times if place == LOOP else 1)
            ],
        )
        flood.judge(step, 0 if 100 <= step % 300 < 125 else 3 if step < 599 else 1_000)
    assert flood.thinned > 0
    for place, rate in rates.items():
        sums = store.monitoring.sums(SeriesKey("faithfulness", *place), 0, 10**15)
        spread = math.sqrt(rate * (1 - rate) * sums.w2) / sums.w
        assert abs(sums.wx / sums.w - rate) < 4.0 * spread
        assert abs(sums.w - flood.drawn[place]) < 4.0 * math.sqrt(sums.w2)
        if place != LOOP:
            assert flood.shed[place] == 0
            assert sums.w == pytest.approx(flood.drawn[place])  # each as it was drawn


class Flood:
    """Sampler, room, store and line of a scorer, without its processes."""

    def __init__(self, store: SqliteStore, places: Collection[Place]) -> None:
        self._store = store
        self._room, self._sampler, self._line = QueueRoom(120), Sampler(0.5), Turns()
        self._expired = set[int]()
        self._backlog = Backlog(store.backlog, longest_seconds=1e6, drop=self._drop)
        self._truth = dict[str, bool]()
        self.drawn = dict.fromkeys(places, 0.0)
        """Records that were to be judged, by weight."""
        self.shed = Counter[Place]()
        self.thinned = 0

    def _drop(self, gone: Collection[int]) -> None:
        self._room.expire(gone)
        self._expired.update(gone)

    def receive(self, step: int, arrivals: Sequence[tuple[Place, bool, str]]) -> None:
        """Decide and store what arrives: where, whether it is faithful, and its trace id."""
        traces = list[ScoredTrace]()
        for place, faithful, trace_id in arrivals:
            record = replace(RECORD, trace_id=trace_id, service=place[0], environment=place[1])
            self._truth[trace_id] = faithful
            traces.append(scored(record, ledger=self._decided(record)))
        jobs = self._store.records.commit(traces, None, step)
        self._room.stored()
        self._room.add(jobs)
        for one in jobs:
            self._line.put_nowait(one)
        crowd = self._room.crowded()
        if crowd is not None:
            self.thinned += 1
            self._backlog.make_room(*crowd, step)

    def judge(self, step: int, most: int) -> None:
        """So many verdicts."""
        done = list[Judgement]()
        while len(done) < most and not self._line.empty():
            one = self._line.get_nowait()
            if one.record_id not in self._expired:
                done.append(Judgement(one, SUPPORTED if self._truth[one.record.trace_id] else FAILED))
        self._room.remove(one.job for one in done)
        self._store.records.record_judgements(done, step)

    def _decided(self, record: RagTrace) -> LedgerEntry:
        left = self._room.left(record.place) > 0
        decision = self._sampler.decide(record.trace_id, stratum_of(record), room=left)
        state: LedgerState = "checked_only" if not decision.judged else "pending" if left else "shed"
        if state == "pending":
            self._room.draw(record)
            self.drawn[record.place] += 1.0 / decision.inclusion
        self.shed[record.place] += state == "shed"
        return LedgerEntry(state, decision.inclusion, stratum=decision.stratum)
