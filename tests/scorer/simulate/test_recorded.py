"""Recorded answers keep the joint shape of cheap score and verdict, and faults are planted in them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.simulate import SCENARIOS, Opens, Recorded, Traffic, World
from ragvigil.scorer.simulate.instruments import Hidden
from ragvigil.scorer.simulate.scenario import DAY
from ragvigil.scorer.watch.gold import shipped_gold

WORLD = World(traces_per_day=40_000.0, batch_seconds=7200.0)


def items(inclusion: bool = False) -> GoldSet:
    """Twenty faithful answers, one in four failed, with low scores; ten others, half failed, with .1 to 1."""
    truth = np.repeat([1, 0], [20, 10])
    verdict = np.r_[np.tile([1, 1, 1, 0], 5), np.repeat([0, 1], 5)]
    cheap = np.r_[np.where(np.tile([1, 1, 1, 0], 5) == 1, 0.9, 0.6), np.arange(1, 11) / 10.0]
    chance = np.where(verdict == 1, 0.5, 1.0)
    return GoldSet(truth, verdict, cheap, chance if inclusion else None)


def drawn(recorded: Recorded, faithful: bool, looks: bool, size: int = 20_000) -> tuple[Hidden, object]:
    """So many answers of one kind, with their cheap scores."""
    random = np.random.default_rng(4)
    truth, seeming = np.full(size, faithful), np.full(size, looks)
    cheap, shared = recorded.cheap(truth, seeming, random)
    return Hidden(truth, recorded.leniency(shared, random), np.zeros(size, np.int64)), cheap


def test_verdict_and_cheap_score_come_together_as_recorded() -> None:
    """Not each by its own distribution: what failed here scored .6, what passed .9."""
    recorded = Recorded(items())
    hidden, cheap = drawn(recorded, faithful=True, looks=True)
    passed = recorded.passed(hidden, 0.0)
    assert passed.mean() == pytest.approx(recorded.sensitivity, abs=0.01) == 0.75
    assert np.array_equal(np.asarray(cheap) == 0.9, passed)


def test_answers_drawn_with_known_chances_count_by_them() -> None:
    """Passed ones were half as likely to be labelled, so there are twice as many."""
    recorded = Recorded(items(inclusion=True))
    assert recorded.sensitivity == pytest.approx(30 / 35)
    hidden, _ = drawn(recorded, faithful=True, looks=True)
    assert recorded.passed(hidden, 0.0).mean() == pytest.approx(30 / 35, abs=0.01)


def test_blind_errors_are_the_unfaithful_answers_with_the_highest_scores() -> None:
    """A quarter of them, rounded up; the judge's verdict comes with them."""
    recorded = Recorded(items())
    hidden, cheap = drawn(recorded, faithful=False, looks=True)
    assert set(np.unique(np.asarray(cheap)).tolist()) == {0.8, 0.9, 1.0}
    assert recorded.passed(hidden, 0.0).all()
    assert recorded.blind_passed == 1.0


def test_a_judge_that_drifts_fails_faithful_answers_that_it_passed() -> None:
    """So many of all faithful ones, and no other verdict changes."""
    recorded = Recorded(items())
    for faithful, fall in ((True, 0.15), (False, 0.0)):
        hidden, _ = drawn(recorded, faithful=faithful, looks=faithful)
        before, after = recorded.passed(hidden, 0.0), recorded.passed(hidden, 0.15)
        assert not (after & ~before).any()
        assert (before & ~after).mean() == pytest.approx(fall, abs=0.01)


@pytest.mark.parametrize(
    ("scenario", "rate", "alone", "by_good", "by_bad"),
    [
        ("drop88", "faithful", 0.07, 0, 0), ("drop88", "passed", 0, 0.07, -0.07), ("blind88", "faithful", 0.07, 0, 0),
        ("blind88", "passed", -0.07, 0.07, 0), ("judge_drift", "passed", 0.066, 0, 0),
        ("cheap_drift", "cheap", 0.05, 0, 0),
    ],
)  # fmt: skip
def test_each_fault_moves_what_it_says_among_the_shipped_answers(
    scenario: str, rate: str, alone: float, by_good: float, by_bad: float
) -> None:
    """Their judge passes a share `good` of the faithful, `bad` of the others, and all errors that its own score likes.

    A rate falls by `alone`, and by so much of these shares, whatever the fit made them.
    """
    shipped = shipped_gold("lexical-1")
    assert shipped is not None
    opens: Opens = partial(Traffic, instruments=Recorded(shipped))
    good, bad = (float(shipped.verdict[shipped.truth == one].mean()) for one in (1, 0))
    traffic = opens(WORLD, SCENARIOS[scenario], 2, days=6, change=2.0 * DAY)
    sums = np.zeros((2, 4))
    for start in np.arange(0.0, 4.0 * DAY, WORLD.batch_seconds).tolist():
        batch, hidden = traffic.batch(start, start + WORLD.batch_seconds)
        cheap = float(np.asarray(batch.cheap, np.float64).sum())
        passed = int(traffic.verdicts(hidden, start).sum())
        sums[int(start >= 2.0 * DAY)] += (hidden.faithful.size, hidden.faithful.sum(), passed, cheap)
    before, after = sums[:, 1:] / sums[:, :1]
    place = ("faithful", "passed", "cheap").index(rate)
    assert before[place] - after[place] == pytest.approx(alone + by_good * good + by_bad * bad, abs=0.012)
    assert before[:2] == pytest.approx([0.95, 0.95 * good + 0.05 * bad], abs=0.012)
