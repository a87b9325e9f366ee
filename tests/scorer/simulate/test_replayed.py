"""A replayed stretch stays what it was, drawn anew, but for what is planted in it."""

from __future__ import annotations

from copy import deepcopy
from functools import partial

import numpy as np
import pytest
from tests.scorer.simulate.test_recorded import items

from ragvigil.scorer.detect import GoldSet, Monitor, MonitorSettings
from ragvigil.scorer.simulate import SCENARIOS, Recorded, Replayed, Stretch, World, drive, world_of
from ragvigil.scorer.simulate.drive import Drive
from ragvigil.scorer.simulate.repetition import JITTER, repeated
from ragvigil.scorer.simulate.scenario import DAY
from ragvigil.scorer.simulate.stretch import filled

ANSWERS = Recorded(items())
STEP = 7200.0


def stretch(days: int = 2, a_day: int = 6_000) -> Stretch:
    """A service of three segments, the smallest the worst, asleep at night, with conversations of two.

    A tenth of the answers makes no claims; 92 % of the others passed.
    """
    random = np.random.default_rng(11)
    size = days * a_day
    at = np.sort(random.uniform(0.0, days, size // 2).astype(np.int64) + random.beta(3.0, 3.0, size // 2))
    time = np.repeat(at, 2) * DAY
    segment = np.repeat(random.choice(3, size // 2, p=[0.65, 0.3, 0.05]), 2)
    claims = random.random(size) < 0.9
    passed = np.where(random.random(size) < np.where(segment == 2, 0.8, 0.925), 1, 0)
    cheap = np.where(claims, np.clip(random.normal(np.where(passed == 1, 0.8, 0.5), 0.1), 0.0, 1.0), np.nan)
    order = np.argsort(time, kind="stable")
    return Stretch(
        days, time[order], segment[order], np.repeat(np.arange(size // 2), 2)[order], cheap[order],
        (random.random(size) < 0.97).astype(np.float64), np.where(random.random(size) < 0.01, 0.0, 5.0),
        np.where(claims, passed, -1)[order], ("language=en", "language=de", "other"), size // 10,
    )  # fmt: skip


STRETCH = stretch()


def replayed(scenario: str, seed: int = 1, change: float = 4.0 * DAY) -> Replayed:
    """The stretch with a fault to come."""
    world = world_of(STRETCH, ANSWERS, batch_seconds=STEP)
    return Replayed(world, SCENARIOS[scenario], seed, days=9, change=change, stretch=STRETCH, answers=ANSWERS)


def rates(scenario: str) -> tuple[dict[str, float], dict[str, float]]:
    """Means over four days before the change and four after it."""
    traffic = replayed(scenario)
    sums = np.zeros((2, 9))
    for start in np.arange(0.0, 8.0 * DAY, STEP).tolist():
        batch, hidden = traffic.batch(start, start + STEP)
        cheap, segment = np.asarray(batch.cheap, np.float64), np.asarray(batch.segment)
        claims, inside = np.isfinite(cheap), np.asarray(batch.segment) == traffic.fault_segment
        passed = traffic.verdicts(hidden, start)
        sums[int(start >= 4.0 * DAY)] += (
            cheap.size, claims.sum(), hidden.faithful[claims].sum(), passed[claims].sum(), cheap[claims].sum(),
            np.asarray(batch.citation_ok).sum(), (np.asarray(batch.document_count, np.float64) > 0).sum(),
            (segment == 2).sum(), (inside & ~hidden.faithful).sum(),
        )  # fmt: skip
    before, after = (
        {
            "traces": all_, "faithful": faithful / claims, "passed": passed / claims, "cheap": cheap / claims,
            "citations": cited / all_, "retrieved": found / all_, "smallest": smallest / all_,
            "segment": planted / max(smallest, 1.0),
        }
        for all_, claims, faithful, passed, cheap, cited, found, smallest, planted in sums.tolist()
    )  # fmt: skip
    return before, after


def test_the_traffic_is_that_of_the_stretch() -> None:
    """Its volume, its hours, its segments, its verdicts, and its share of answers without claims."""
    found, _ = rates("null30")
    known = STRETCH.passed >= 0
    assert found["traces"] == pytest.approx(4 * STRETCH.traces_per_day, rel=0.05)
    assert found["passed"] == pytest.approx(STRETCH.passed[known].mean(), abs=0.01)
    assert found["cheap"] == pytest.approx(np.nanmean(STRETCH.cheap), abs=0.01)
    assert found["smallest"] == pytest.approx((STRETCH.segment == 2).mean(), abs=0.01)
    assert found["faithful"] == 1.0
    again = repeated(STRETCH, 1, 0)
    assert np.isnan(STRETCH.cheap[again.row]).mean() == pytest.approx(0.1, abs=0.01)
    night = (again.time % DAY < 2 * 3600.0).mean()
    assert night == pytest.approx((STRETCH.time % DAY < 2 * 3600.0).mean(), abs=0.02)


@pytest.mark.parametrize(
    ("scenario", "rate", "fall"),
    [
        ("drop88", "faithful", 0.07), ("drop80", "faithful", 0.15), ("drop80", "passed", 0.15 * 0.42),
        ("blind88", "faithful", 0.07), ("judge_drift", "passed", 0.07), ("cheap_drift", "cheap", 0.05),
        ("cite_drift", "citations", 0.37), ("outage", "retrieved", 0.59), ("mix_shift", "smallest", -0.19),
        ("mix_shift", "passed", 0.02), ("seg70", "segment", -0.225),
    ],
)  # fmt: skip
def test_each_fault_moves_what_it_says(scenario: str, rate: str, fall: float) -> None:
    """Answers without claims cannot be unfaithful, so a segment's planted share is nine tenths of what it says."""
    before, after = rates(scenario)
    assert before[rate] - after[rate] == pytest.approx(fall, abs=0.02)


@pytest.mark.parametrize(
    ("scenario", "factor"), [("mix_shift", 1.0), ("traffic_dip", 0.35), ("silence", 0.0)]
)
def test_a_scenario_of_volume_moves_the_volume(scenario: str, factor: float) -> None:
    """For as long as it lasts."""
    counts = [
        sum(
            np.size(batch.time)
            for start in np.arange(2.0 * DAY, 2.5 * DAY, STEP).tolist()
            for batch, _ in [traffic.batch(start, start + STEP)]
        )
        for traffic in (replayed("null30", change=2.0 * DAY), replayed(scenario, change=2.0 * DAY))
    ]
    assert counts[1] == pytest.approx(factor * counts[0], rel=0.1)


def test_conversations_stay_whole_and_nobody_shares_one() -> None:
    """Both turns of each come, as often as it comes, at one distance in time and under one code."""
    one, other = repeated(STRETCH, 1, 0), repeated(STRETCH, 1, 1)
    for again in (one, other):
        codes, turns = np.unique(again.conversation, return_counts=True)
        assert set(turns.tolist()) == {2}
        assert codes.size == pytest.approx(STRETCH.time.size / 2, rel=0.05)
        moved = np.abs(again.time - STRETCH.time[again.row])
        assert np.minimum(moved, STRETCH.days * DAY - moved).max() <= JITTER
        assert (np.diff(again.time) >= 0.0).all()
    assert not np.intersect1d(one.conversation, other.conversation).size


def test_a_seed_is_a_draw_and_the_same_seed_the_same() -> None:
    """To the bit, forks included, so that a benchmark can be repeated."""
    one, same, other = (replayed("drop88", seed).batch(0.0, STEP)[0] for seed in (5, 5, 6))
    assert np.array_equal(np.asarray(one.time), np.asarray(same.time))
    assert not np.array_equal(np.asarray(one.time), np.asarray(other.time))
    original = replayed("drop88", change=DAY)
    fork = deepcopy(original)
    for start in (0.0, STEP, 1.5 * DAY, 3.0 * DAY):
        first, second = original.batch(start, start + STEP), fork.batch(start, start + STEP)
        assert np.array_equal(np.asarray(first[0].cheap), np.asarray(second[0].cheap), equal_nan=True)
        assert np.array_equal(first[1].leniency, second[1].leniency)


def test_a_batch_may_begin_in_one_repetition_and_end_in_the_next() -> None:
    """Batches need not divide the day."""
    traffic = replayed("null30")
    batch, _ = traffic.batch(1.75 * DAY, 2.25 * DAY)
    parts = [replayed("null30").batch(start, start + 0.25 * DAY)[0] for start in (1.75 * DAY, 2.0 * DAY)]
    assert np.array_equal(np.asarray(batch.time), np.concatenate([np.asarray(part.time) for part in parts]))


def test_a_fork_in_its_healthy_weeks_is_the_run_that_it_stands_for() -> None:
    """With the whole monitor, whose judge is never asked about an answer without claims."""

    def build(world: World, gold: GoldSet) -> Monitor:
        return Monitor(MonitorSettings(segments=world.segments, batch_seconds=world.batch_seconds), gold)

    world = world_of(STRETCH, ANSWERS, batch_seconds=STEP)
    opens = partial(Replayed, stretch=STRETCH, answers=ANSWERS)
    healthy = Drive(build, SCENARIOS["null30"], 5, world=world, days=14, opens=opens)
    healthy.until(healthy.change)
    whole = drive(build, SCENARIOS["cite_drift"], 5, world=world, days=14, opens=opens)
    assert healthy.fork(SCENARIOS["cite_drift"]).until(14 * DAY).result() == whole
    assert whole.first_page() is not None
    assert whole.judged_share <= 0.1


def test_an_answer_that_was_never_judged_takes_the_verdict_of_its_nearest_neighbour() -> None:
    """Of its segment, and of any where none was judged; none without claims."""
    segment = np.array([0, 0, 0, 0, 1, 1, 2])
    cheap = np.array([0.2, 0.8, 0.3, 0.7, 0.2, 0.3, 0.79])
    passed = np.array([0, 1, -1, -1, 1, -1, -1])
    assert filled(segment, cheap, passed).tolist() == [0, 1, 0, 1, 1, 1, 1]


def test_among_equally_near_neighbours_the_verdict_is_drawn() -> None:
    """A cheap score that half of the answers share keeps its share of passes."""
    cheap = np.full(4_000, 1.0)
    passed = np.r_[np.tile([1, 1, 1, 0], 100), np.full(3_600, -1)]
    assert filled(np.zeros(4_000, np.int64), cheap, passed)[400:].mean() == pytest.approx(0.75, abs=0.03)
