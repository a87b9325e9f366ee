"""What labels say of judge and annotators, against simulated truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.scorer.estimate.worlds import Integers, Stretch, World, stretch

from ragvigil.scorer.estimate import (
    Confusion,
    Estimate,
    Promotion,
    Refusal,
    Strata,
    audited_level,
    cohen_kappa,
    confusion,
    krippendorff_alpha,
    labels_for,
    next_labels,
    promotion,
    strata_of,
)

REPS = 60


def labelled(one: Stretch, strata: Strata, total: int, seed: int, truth: Integers | None = None) -> Integers:
    """Labels in two waves."""
    given = np.full(one.window.size, -1, dtype=np.int64) if truth is None else truth.copy()
    for _ in range(2):
        drawn = next_labels(one.window, strata, given, total=total, seed=seed)
        given[drawn.index] = one.truth[drawn.index]
    return given


@pytest.mark.parametrize(
    ("world", "judged", "design"),
    [
        (World(), 1_000, "uniform"),
        (World(faithful=0.88, clustered=True), 600, "uniform"),
        (World(faithful=0.8, sensitivity=0.75, specificity=0.85, separation=0.5), 500, "suspicious"),
    ],
    ids=["default", "conversations", "weighted"],
)
def test_the_intervals_of_a_judge_hold_its_true_rates(world: World, judged: int, design: str) -> None:
    """Labels enriched for what is doubtful; every figure within four standard errors of 95 % below."""
    s, t, pi, p = world.sensitivity, world.specificity, world.faithful, world.passed
    true = {
        "sensitivity": s,
        "specificity": t,
        "agreement": pi * s + (1 - pi) * t,
        "informativeness": s + t - 1,
        "right_when_passed": pi * s / p,
        "right_when_failed": (1 - pi) * t / (1 - p),
    }
    hits, errors = dict.fromkeys(true, 0), {name: list[float]() for name in true}
    for seed in range(REPS):
        one = stretch(world, np.random.default_rng([11, seed]), judged, design=design)
        strata = strata_of(one.window)
        found = confusion(one.window, strata, labelled(one, strata, 200, seed))
        assert isinstance(found, Confusion)
        assert sum(found.shares) == pytest.approx(1.0)
        for name, value in true.items():
            figure = getattr(found, name)
            hits[name] += figure.lower <= value <= figure.upper
            errors[name].append(figure.value - value)
    least = 0.95 - 4.0 * math.sqrt(0.95 * 0.05 / REPS)
    assert {name: count for name, count in hits.items() if count / REPS < least} == {}
    assert max(abs(float(np.mean(those))) for those in errors.values()) < 0.03


def test_counting_stratified_labels_without_weights_would_be_wrong() -> None:
    """That is why the probabilities are stored: flagged answers are read much more often."""
    one = stretch(World(), np.random.default_rng(5), 2_000)
    strata = strata_of(one.window)
    found = confusion(one.window, strata, labelled(one, strata, 200, 1))
    assert isinstance(found, Confusion)
    right, wrong = found.labels[0], found.labels[1]
    assert right / (right + wrong) < 0.78
    assert abs(found.sensitivity.value - 0.85) < 0.03


def test_a_judge_that_guesses_is_refused() -> None:
    """s + t - 1 is about 0; nothing may be corrected by it."""
    one = stretch(World(faithful=0.8, sensitivity=0.6, specificity=0.45), np.random.default_rng(6), 1_000)
    strata = strata_of(one.window)
    found = confusion(one.window, strata, labelled(one, strata, 200, 1))
    assert isinstance(found, Confusion)
    assert found.refusal is not None
    assert found.refusal.reason == "judge_not_informative"
    assert "judge not informative" in found.refusal.detail


def test_a_judge_without_labels_of_one_verdict_is_refused() -> None:
    """Nothing is known of what it flags when nobody read any of it."""
    one = stretch(World(), np.random.default_rng(7), 1_000)
    strata = strata_of(one.window)
    passed = np.flatnonzero(one.window.verdict == 1)[:60]
    truth = np.full(one.window.size, -1)
    truth[passed] = one.truth[passed]
    found = confusion(one.window, strata, truth)
    assert isinstance(found, Refusal)
    assert "fewer than 5 labels of answers that failed" in found.detail


@pytest.mark.parametrize(("figure", "width"), [("level", 0.030), ("sensitivity", 0.040)])
def test_so_many_more_labels_do_bring_the_width(figure: str, width: float) -> None:
    """On average within a tenth of what was asked for."""
    reached: list[float] = []
    more: list[int] = []
    for seed in range(12):
        one = stretch(World(faithful=0.92), np.random.default_rng([13, seed]), 2_000)
        strata = strata_of(one.window)

        def of(truth: Integers, one: Stretch = one, strata: Strata = strata) -> float:
            judge = confusion(one.window, strata, truth)
            found = audited_level(one.window, strata, truth) if figure == "level" else getattr(judge, figure)
            assert isinstance(found, Estimate)
            return found.upper - found.lower

        truth = labelled(one, strata, 100, seed)
        plan = labels_for(
            one.window, strata, truth, width=width, now=of(truth),
            figure="level" if figure == "level" else "sensitivity",
        )  # fmt: skip
        assert plan.more is not None
        more.append(plan.more)
        reached.append(of(labelled(one, strata, 100 + plan.more, seed, truth)))
    assert np.median(more) > 10
    assert np.mean(reached) == pytest.approx(width, rel=0.1)


def test_a_width_that_labels_alone_cannot_reach_is_said() -> None:
    """The judged answers themselves are a sample."""
    one = stretch(World(), np.random.default_rng(8), 300)
    strata = strata_of(one.window)
    truth = labelled(one, strata, 100, 1)
    plan = labels_for(one.window, strata, truth, width=0.005, now=0.06)
    assert plan.more is None
    assert plan.narrowest > 0.005


def annotators(random: np.random.Generator, items: int, right: float) -> Integers:
    """Three kinds; two people who say what is there so often, and else any kind."""
    truth = random.choice(3, size=items, p=(0.7, 0.1, 0.2))
    guess = random.choice(3, size=(items, 2), p=(0.7, 0.1, 0.2))
    return np.where(random.random((items, 2)) < right, truth[:, None], guess)


def test_the_interval_of_agreement_holds_the_true_coefficient() -> None:
    """Two people who both know an item with chance r, and else guess by the marginals, have kappa and alpha r²."""
    hits = {"kappa": 0, "alpha": 0}
    for seed in range(REPS):
        table = annotators(np.random.default_rng([17, seed]), 150, 0.8)
        kappa = cohen_kappa(table[:, 0], table[:, 1], kinds=3)
        alpha = krippendorff_alpha(table, kinds=3)
        assert isinstance(kappa, Estimate)
        assert isinstance(alpha, Estimate)
        hits["kappa"] += kappa.lower <= 0.64 <= kappa.upper
        hits["alpha"] += alpha.lower <= 0.64 <= alpha.upper
    assert min(hits.values()) / REPS >= 0.95 - 4.0 * math.sqrt(0.95 * 0.05 / REPS)


def test_gaps_and_single_labels_say_nothing_of_agreement() -> None:
    """Alpha takes any number of annotators with gaps; items with one label do not move it."""
    table = annotators(np.random.default_rng(3), 60, 0.8)
    alone = np.full((30, 2), -1)
    alone[:, 0] = 1
    both = krippendorff_alpha(np.concatenate([table, alone]), kinds=3)
    only = krippendorff_alpha(np.column_stack([table, np.full(60, -1)]), kinds=3)
    assert isinstance(both, Estimate)
    assert isinstance(only, Estimate)
    assert (both.value, both.lower, both.n_judged) == (only.value, only.lower, 60)


def test_full_agreement_has_an_interval_and_one_label_none() -> None:
    """Twenty of twenty is not certainty; where everybody always says the same, chance explains it."""
    same = np.repeat([0, 1], 10)
    full = cohen_kappa(same, same, kinds=2)
    assert isinstance(full, Estimate)
    assert full.value == 1.0
    assert full.lower < 0.8
    nothing = krippendorff_alpha(np.zeros((40, 2), dtype=np.int64), kinds=2)
    assert isinstance(nothing, Refusal)
    assert nothing.reason == "one_label_only"
    few = cohen_kappa([0] * 19, [1] * 19, kinds=2)
    assert isinstance(few, Refusal)
    assert few.reason == "not_enough_data"


def test_the_difference_of_two_judges_is_covered_and_paired() -> None:
    """Answers chosen with unequal probabilities; both judges share half of their errors."""
    hits = {"difference": 0, "new": 0}
    for seed in range(2 * REPS):
        random = np.random.default_rng([19, seed])
        size = 3_000
        hard = random.random(size) < 0.2
        truth = (random.random(size) < 0.8).astype(np.int64)
        shared = random.random(size) < np.where(hard, 0.2, 0.02)
        wrong = [shared | (random.random(size) < share * np.where(hard, 2.0, 0.75)) for share in (0.06, 0.03)]
        chance = np.where(hard, 0.25, 0.06)
        chosen = random.random(size) < chance
        old, new = (np.where(one, 1 - truth, truth) for one in wrong)
        found = promotion(truth[chosen], old[chosen], new[chosen], chance[chosen])
        assert isinstance(found, Promotion)
        kept = 1.0 - (0.2 * 0.2 + 0.8 * 0.02)
        true = [1.0 - _union(share) for share in (0.06, 0.03)]
        assert kept > true[1] > true[0]
        hits["difference"] += found.difference.lower <= true[1] - true[0] <= found.difference.upper
        hits["new"] += found.new.lower <= true[1] <= found.new.upper
    least = 0.95 - 4.0 * math.sqrt(0.95 * 0.05 / (2 * REPS))
    assert min(hits.values()) / (2 * REPS) >= least


def _union(share: float) -> float:
    """Share of wrong verdicts in the world above."""
    hard = 1.0 - 0.8 * (1.0 - 2.0 * share)
    easy = 1.0 - 0.98 * (1.0 - 0.75 * share)
    return 0.2 * hard + 0.8 * easy


def test_judges_that_never_differ_still_have_an_interval() -> None:
    """And a promotion needs 100 answers, 80 % agreement, and not to be surely worse."""
    found = promotion([1] * 90, [1] * 90, [1] * 90, [1.0] * 90)
    assert isinstance(found, Promotion)
    assert found.difference.lower < 0.0 < found.difference.upper
    assert found.p_value == 1.0
    assert len(found.obstacles) == 1
    worse = promotion([1] * 200, [1] * 200, [1] * 150 + [0] * 50, [1.0] * 200)
    assert isinstance(worse, Promotion)
    assert [words.split()[0] for words in worse.obstacles] == ["agrees", "agrees"]
    mute = promotion([1] * 100, [1] * 100, [1] * 85 + [-1] * 15, [1.0] * 100)
    assert isinstance(mute, Promotion)
    assert (mute.new.value, mute.only_old) == (0.85, 15)
