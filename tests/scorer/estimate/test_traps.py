"""The traps of estimating with an imperfect judge, each as it would bite."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.scorer.estimate.coverage import shown
from tests.scorer.estimate.worlds import World, stretch

from ragvigil.scorer.estimate import (
    Calibration,
    Estimate,
    MixChange,
    Refusal,
    Replay,
    Window,
    anchored_level,
    at_every_look,
    audited_level,
    betting_sequence,
    change_since,
    judged_rate,
    mix_change,
    next_labels,
    portable_level,
    quality_change,
    rate,
    replay,
    strata_of,
    window,
)
from ragvigil.scorer.monitoring import Sums

GOLD = Calibration(119, 21, 55, 5)


def verdicts(passed: int, n: int, *, traffic: int | None = None) -> Estimate:
    """The judged rate of `passed` out of `n`."""
    return shown(judged_rate(window(verdict=[1] * passed + [0] * (n - passed), n_traces=traffic)))


def summed(passed: int, n: int) -> Estimate:
    """The same from rollups."""
    found = rate(Sums(n, float(n), float(passed), float(n), float(passed), float(passed)))
    assert found is not None
    return found


def refused(found: Estimate | Refusal | object) -> Refusal:
    """The refusal."""
    assert isinstance(found, Refusal), found
    return found


@pytest.mark.parametrize("gold", [Calibration(70, 70, 30, 30), Calibration(80, 60, 36, 24)])
def test_trap_1_a_judge_that_tells_nothing_apart_is_refused(gold: Calibration) -> None:
    """A coin, and something little better: p is shown, its correction is not."""
    p = verdicts(160, 200)
    assert refused(portable_level(p, gold)).reason == "judge_not_informative"
    assert refused(change_since(p, p, gold)).reason == "judge_not_informative"


def test_trap_2_a_level_above_one_is_cut_for_display_only() -> None:
    """Averages of the uncut value stay true; all of it above 1 says that the sensitivity is understated."""
    level = shown(portable_level(verdicts(180, 200), GOLD))
    assert level.value == 1.0
    assert level.raw > 1.0
    assert 0.0 < level.lower < level.upper == 1.0
    above = shown(portable_level(verdicts(1_990, 2_000), Calibration(700, 300, 90, 10)))
    assert any("understate its sensitivity" in caveat for caveat in above.caveats)


@pytest.mark.parametrize("passed", [0, 20])
def test_trap_3_no_failure_still_has_a_width(passed: int) -> None:
    """No estimator shows an interval of one point."""
    p = verdicts(passed, 20)
    assert p.upper - p.lower > 0.1
    same = shown(change_since(p, p, GOLD))
    assert same.upper - same.lower > 0.1
    data = window(verdict=[1] * 200)
    level = shown(audited_level(data, strata_of(data), np.ones(200)))
    assert level.value == 1.0
    assert level.upper - level.lower > 0.01
    parts = mix_change(data, data)
    assert not isinstance(parts, Refusal)
    assert parts.within.upper - parts.within.lower > 0.005


@pytest.mark.parametrize("segments", [1, 3])
def test_trap_3_a_change_near_one_is_as_uncertain_as_its_two_rates(segments: int) -> None:
    """30 of 30 before and now: Wilson alone gives each .886 to 1, however many segments they are of."""
    data = window(verdict=[1] * 30, segment=[i % segments for i in range(30)])
    parts = mix_change(data, data)
    assert not isinstance(parts, Refusal)
    for part in (parts.raw, parts.within):
        assert part.lower < -0.08
        assert part.upper > 0.08


def test_trap_4_the_level_of_a_segment_needs_labels_of_that_segment() -> None:
    """Pooled s is wrong there by points; the segment's own gold set is taken."""
    p = verdicts(160, 200)
    assert refused(portable_level(p, GOLD, segment=3)).reason == "needs_segment_audit"
    assert isinstance(portable_level(p, Calibration(119, 21, 55, 5, segment=3), segment=3), Estimate)


def test_trap_5_gold_of_hard_cases_is_weighted_by_how_it_was_chosen() -> None:
    """Items near the judge's boundary were chosen five times as often: unweighted, s is far too low."""
    random = np.random.default_rng(5)
    hard = random.random(40_000) < 0.3
    verdict = (random.random(40_000) < np.where(hard, 0.6, 0.957)).astype(np.int64)
    chance = np.where(hard, 0.5, 0.1)
    chosen = random.random(40_000) < chance
    truth = np.ones(40_000, dtype=np.int64)
    naive = Calibration.of(truth[chosen], verdict[chosen])
    weighted = Calibration.of(truth[chosen], verdict[chosen], inclusion=chance[chosen])
    assert naive.sensitivity < 0.75
    assert weighted.sensitivity == pytest.approx(0.85, abs=0.015)
    assert weighted.faithful < naive.faithful  # weights cost information


def test_trap_6_few_unfaithful_gold_items_are_said_and_none_is_refused() -> None:
    """200 random items at 95 % hold ten."""
    p = verdicts(1_620, 2_000)
    assert refused(portable_level(p, Calibration(170, 30, 0, 0))).reason == "no_unfaithful_gold"
    few = shown(portable_level(p, Calibration(164, 29, 6, 1)))
    assert any("7 unfaithful" in caveat for caveat in few.caveats)
    assert shown(portable_level(p, GOLD)).caveats == ()


def test_trap_7_an_old_audit_is_moved_by_the_change_not_by_old_shares() -> None:
    """After 95 to 88 the old shares of faithful answers miss nearly always; the anchored level does not."""
    random = np.random.default_rng(7)
    before, now = World(faithful=0.95), World(faithful=0.88)
    held = stale = 0
    for _ in range(25):
        then, today = stretch(before, random, 2_000), stretch(now, random, 2_000)
        strata, labels = strata_of(then.window), np.full(then.window.size, -1)
        for wave in range(2):
            drawn = next_labels(then.window, strata, labels, seed=wave)
            labels[drawn.index] = then.truth[drawn.index]
        audited = shown(audited_level(then.window, strata, labels))
        flagged, passed = (np.mean(then.truth[then.window.verdict == verdict]) for verdict in (0, 1))
        p = shown(judged_rate(today.window))
        old = p.value * passed + (1 - p.value) * flagged
        stale += abs(old - 0.88) < 0.02
        moved = change_since(judged_rate(then.window), p, before.gold(random))
        level = shown(anchored_level(audited, moved))
        held += level.lower <= 0.88 <= level.upper
    assert held >= 21
    assert stale <= 4


def test_trap_8_suspicious_answers_first_need_their_weights() -> None:
    """Forgotten, they cost 10 points and more; kept, nothing."""
    random = np.random.default_rng(8)
    world = World(separation=1.5, shared=0.6)
    looks = [stretch(world, random, 2_000, design="suspicious").window for _ in range(30)]
    weighted = np.mean([shown(judged_rate(look)).raw for look in looks])
    forgotten = np.mean([look.verdict[look.known].mean() for look in looks])
    assert weighted == pytest.approx(world.passed, abs=0.006)
    assert forgotten < world.passed - 0.10


def test_trap_9_verdicts_that_never_came_widen_the_interval_both_ways() -> None:
    """Bad answers time out more often: what is left looks better than it is, and the interval knows."""
    random = np.random.default_rng(9)
    passed = random.random(2_000) < 0.80
    lost = random.random(2_000) < np.where(passed, 0.02, 0.30)
    data = window(verdict=np.where(lost, -1, passed.astype(np.int64)), judged=np.ones(2_000))
    found = shown(judged_rate(data))
    complete = shown(judged_rate(window(verdict=np.where(lost, 1, passed.astype(np.int64)))))
    assert found.value > 0.83
    assert found.lower < 0.80 < found.upper
    assert found.upper == pytest.approx(complete.upper, abs=1e-9)
    assert found.n_judged == int((~lost).sum())
    assert "never came" in found.caveats[0]


def unanswered(*, fate: int = -1) -> Window:
    """300 of 2,000 verdicts that never came, of two segments; or with all of them passed (1) or failed (0)."""
    verdict = np.array([1] * 1_600 + [0] * 400)
    verdict[::7] = fate
    verdict[1400::60] = fate
    return window(verdict=verdict, judged=np.ones(2_000), segment=np.arange(2_000) % 2, n_traces=20_000)


_OTHER = verdicts(1_640, 2_000, traffic=20_000)
FEW = window(verdict=[1] * 330 + [0] * 70, segment=[int(i % 5 == 0) for i in range(400)], n_traces=4_000)
AUDITED = Estimate(0.95, 0.93, 0.97, 2_000, 20_000, 400.0, 0.95)


def split(before: Window, now: Window) -> MixChange:
    """`mix_change` of enough verdicts."""
    found = mix_change(before, now)
    assert isinstance(found, MixChange)
    return found


_RISING: dict[str, Callable[[Window], Estimate | Refusal]] = {
    "level": lambda data: portable_level(judged_rate(data), GOLD),
    "change now": lambda data: change_since(_OTHER, judged_rate(data), GOLD),
    "anchored": lambda data: anchored_level(AUDITED, change_since(_OTHER, judged_rate(data), GOLD)),
    "raw": lambda data: split(FEW, data).raw,
    "quality": lambda data: quality_change(split(FEW, data), GOLD),
    "every look": lambda data: at_every_look(shown(judged_rate(data))),
}
_FALLING: dict[str, Callable[[Window], Estimate | Refusal]] = {
    "change since": lambda data: change_since(judged_rate(data), _OTHER, GOLD),
    "within": lambda data: split(data, FEW).within,
}


@pytest.mark.parametrize("name", [*_RISING, *_FALLING])
def test_trap_9_what_is_made_from_a_rate_holds_the_missing_verdicts_too(name: str) -> None:
    """Failed and passed, to the last digit; the caveat says so, and is true."""
    number = (_RISING | _FALLING)[name]
    found = shown(number(unanswered()))
    lowest, highest = (
        shown(number(unanswered(fate=fate))) for fate in ((0, 1) if name in _RISING else (1, 0))
    )
    assert (found.lower, found.upper) == (lowest.lower, highest.upper)
    assert lowest.value < found.value < highest.value
    assert any("never came" in caveat for caveat in found.caveats)


def test_trap_9_a_change_of_mix_holds_the_missing_verdicts_that_move_it_furthest() -> None:
    """The first segment shrinks: at the highest its verdicts failed and those of the other passed."""
    first = unanswered().missing & (unanswered().segment == 0)
    highest, lowest = (
        split(FEW, replace(data, verdict=np.where(first, 1 - fate, data.verdict))).mix
        for fate in (1, 0)
        for data in [unanswered(fate=fate)]
    )
    found = split(FEW, unanswered()).mix
    assert (found.lower, found.upper) == (lowest.lower, highest.upper)
    assert "never came" in found.caveats[0]


def test_trap_9_an_audit_without_labels_of_missing_verdicts_holds_both_fates() -> None:
    """300 of 2,000 answers without a verdict were taken for ones that passed; a label of theirs ends the doubt."""
    data = unanswered()
    truth = np.where(data.known & (np.arange(2_000) % 5 == 1), 1, -1)
    found = shown(audited_level(data, strata_of(data), truth))
    assert found.lower < 0.85 < found.value == found.upper == 1.0
    assert any("neither verdict nor label" in caveat for caveat in found.caveats)
    truth[data.missing & (np.arange(2_000) % 2 == 0)] = 1
    assert shown(audited_level(data, strata_of(data), truth)).lower > 0.95


def test_trap_10_many_looks_need_a_sequence() -> None:
    """Thirty daily looks at 200 verdicts: a fixed interval misses in a fifth of months, a sequence hardly ever."""
    random = np.random.default_rng(10)
    fixed = sequence = betting = 0
    for month in range(200):
        values = (random.random(6_000) < 0.8).astype(np.int64)
        looks = [summed(int(values[: 200 * day].sum()), 200 * day) for day in range(1, 31)]
        fixed += any(not look.lower <= 0.8 <= look.upper for look in looks)
        wide = [at_every_look(look) for look in looks]
        sequence += any(not look.lower <= 0.8 <= look.upper for look in wide)
        if month < 20:
            lower, upper = betting_sequence(values[:600])
            betting += bool(np.any((lower > 0.8) | (upper < 0.8)))
            assert upper[-1] - lower[-1] < 0.2
    assert fixed > 30
    assert sequence <= 10
    assert betting <= 3


def test_trap_11_turns_of_a_conversation_are_not_independent() -> None:
    """40 conversations of 5 turns, judged whole: ignoring them the interval misses far too often."""
    random = np.random.default_rng(11)
    conversation = np.repeat(np.arange(160), 5)
    held = {"told": 0, "not told": 0}
    for _ in range(300):
        chance = random.beta(0.8 * 2.0, 0.2 * 2.0, 160)
        verdict = (random.random(800) < chance[conversation]).astype(np.int64)
        for name, codes in (("told", conversation), ("not told", None)):
            found = shown(judged_rate(window(verdict=verdict, conversation=codes)))
            held[name] += found.lower <= 0.8 <= found.upper
    assert held["told"] >= 276
    assert held["not told"] < 255


def test_trap_11_few_conversations_are_said() -> None:
    """Forty verdicts of two conversations are hardly two observations; no interval of theirs is to be trusted."""
    two = shown(judged_rate(window(verdict=[1, 1, 1, 0] * 10, conversation=[i % 2 for i in range(40)])))
    assert any("2 conversations" in caveat for caveat in two.caveats)
    alone = shown(judged_rate(window(verdict=[1, 1, 1, 0] * 10)))
    assert not alone.caveats


def test_trap_15_flicker_widens_a_replay_and_is_reported() -> None:
    """A judge that flips a tenth at random has not drifted; one that also got stricter has."""
    random = np.random.default_rng(15)
    old = (random.random(400) < 0.8).astype(np.int64)
    new, again = (np.where(random.random(400) < 0.1, 1 - old, old) for _ in range(2))
    symmetric = np.where(random.random(400) < 0.05, 1 - old, old)
    calm = replay(old, symmetric, again)
    assert isinstance(calm, Replay)
    assert calm.flips < 0.09
    assert calm.flicker is not None
    assert calm.flicker > 0.05
    strict = replay(old, np.where(random.random(400) < 0.15, 0, new))
    assert isinstance(strict, Replay)
    assert strict.drift.upper < 0.0
    assert refused(replay([1] * 19, [1] * 19)).reason == "not_enough_data"
