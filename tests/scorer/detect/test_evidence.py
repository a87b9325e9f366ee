"""The bets are fair while nothing falls, whatever the sampling, the conversations and the cheap score do."""

from __future__ import annotations

import numpy as np
import pytest

from ragvigil.scorer.detect.sequential.baseline import Baseline, Day, Sum
from ragvigil.scorer.detect.sequential.batch import Booleans, Floats
from ragvigil.scorer.detect.sequential.e_detector import EDetector
from ragvigil.scorer.detect.sequential.evidence import (
    Verdicts,
    gather,
    plain_factors,
    suspect,
    suspect_back_factors,
    suspect_factors,
    suspect_stake,
)
from ragvigil.scorer.detect.sequential.gold import GoldSet, Instruments, learn_instruments

BATCHES = 4000


def instruments() -> Instruments:
    """A judge with s = .85, t = .92 and a cheap score that separates well."""
    random = np.random.default_rng(3)
    truth = np.arange(4000) < 2800
    verdict = random.random(4000) < np.where(truth, 0.85, 0.08)
    cheap = np.clip(np.where(truth, 0.76, 0.3) + random.normal(0.0, 0.16, 4000), 0.0, 1.0)
    return learn_instruments(GoldSet(truth.astype(np.float64), verdict.astype(np.float64), cheap))


def bets(*, drift: float, turns: int, chance: float) -> tuple[Floats, Floats]:
    """(plain, suspect) factors of quiet batches of 60 traces, the cheap score lower by `drift`."""
    known = instruments()
    random = np.random.default_rng(5)
    answers: list[tuple[Floats, Floats]] = []
    flags = (0.05 + 0.004) * known.signal
    for _ in range(BATCHES):
        conversation = np.arange(60) // turns
        shared = random.random(60)[conversation]
        faithful = np.where(random.random(60) < 0.4, shared, random.random(60)) >= 0.05
        cheap = np.clip(np.where(faithful, 0.76, 0.3) + random.normal(0.0, 0.16, 60) - drift, 0.0, 1.0)
        passed = (random.random(60) < np.where(faithful, 0.85, 0.08)).astype(np.float64)
        everyone = np.ones(60, np.bool_)
        doubt = suspect(cheap, everyone, known)
        chances = np.clip(chance + (1.0 - chance) * doubt.plain * 3.0, 0.0, 1.0)
        slot = np.zeros(60, np.int64)
        judged = random.random(60) < chances
        verdicts = gather(
            slot,
            conversation,
            doubt,
            chance=chances,
            answered=judged,
            passed=passed,
            expected=np.full(60, 0.2),
            instruments=known,
            slots=1,
            scored=everyone,
        )
        shift = np.array([[0.05]])
        stake = suspect_stake(shift * known.signal, np.array([[0.1, 2.0]]))
        answers.append(
            (
                plain_factors(verdicts, np.array([0.8115]), shift * known.youden, 1)[0],
                suspect_factors(verdicts, np.array([flags]), stake, 1)[0],
            )
        )
    plain, suspects = zip(*answers, strict=True)
    return np.exp(np.concatenate(plain)), np.exp(np.concatenate(suspects))


@pytest.mark.parametrize("turns", [1, 6])
def test_a_quiet_batch_multiplies_the_stake_by_one_on_average(turns: int) -> None:
    """With uneven sampling, and with conversations that fail as one."""
    for factors in bets(drift=0.0, turns=turns, chance=0.2):
        error = factors.std() / BATCHES**0.5
        assert factors.mean() <= 1.0 + 4.0 * error


def test_a_cheap_score_that_drifts_wins_no_bet() -> None:
    """Suspect verdicts are taken with the flags that faithful answers get, so fake suspects cancel out."""
    _, suspects = bets(drift=0.05, turns=1, chance=0.2)
    assert np.log(suspects).mean() < 0.0


@pytest.mark.parametrize("chance", [0.0, 1e-4])
def test_a_few_traces_that_are_hardly_ever_chosen_do_not_mute_the_verdicts_of_the_others(
    chance: float,
) -> None:
    """One answer in thirty without claims is never judged, so nothing is known of it; the rest is bet on as before."""
    known, random = instruments(), np.random.default_rng(8)
    size, slot = 300, np.zeros(300, np.int64)
    cheap, passed = random.random(size), (random.random(size) < 0.8).astype(np.float64)
    chances = np.full(size, 0.2)
    chances[::30] = chance
    judged = (random.random(size) < 0.2) & (np.arange(size) % 30 > 0)

    def gathered(rows: Booleans) -> Verdicts:
        place = np.flatnonzero(rows)
        everyone = np.ones(place.size, np.bool_)
        doubt = suspect(cheap[place], everyone, known)
        flags = np.full(place.size, 0.2)
        return gather(
            slot[place],
            place,
            doubt,
            chance=chances[place],
            answered=judged[place],
            passed=passed[place],
            expected=flags,
            instruments=known,
            slots=1,
            scored=everyone,
        )

    whole, usual = gathered(np.ones(size, np.bool_)), gathered(np.arange(size) % 30 > 0)
    assert whole.weight.sum() == usual.weight.sum() == judged.sum()
    assert plain_factors(whole, np.array([0.85]), np.array([[0.05]]), 1) == pytest.approx(
        plain_factors(usual, np.array([0.85]), np.array([[0.05]]), 1)
    )
    if not chance:
        assert whole.traces.tolist() == usual.traces.tolist()
        assert whole.noise == pytest.approx(usual.noise)


@pytest.mark.parametrize("chance", [0.3, 0.03])
def test_a_fall_that_lasts_wins_no_bet_on_its_end(chance: float) -> None:
    """Also where hardly anybody is judged, so that one flag weighs more than a bet may lose."""
    known, random, size = instruments(), np.random.default_rng(6), 60
    slot, everyone, flags, factors = np.zeros(size, np.int64), np.ones(size, np.bool_), 0.0, list[float]()
    shift = np.array([[0.15 * known.signal]])
    batches: list[Verdicts] = []
    for _ in range(BATCHES):
        faithful = random.random(size) >= 0.2
        cheap = np.clip(np.where(faithful, 0.76, 0.3) + random.normal(0.0, 0.16, size), 0.0, 1.0)
        passed = (random.random(size) < np.where(faithful, 0.85, 0.08)).astype(np.float64)
        chances = np.full(size, chance)
        judged = random.random(size) < chances
        doubt = suspect(cheap, everyone, known)
        rows = np.arange(size)
        verdicts = gather(
            slot,
            rows,
            doubt,
            chance=chances,
            answered=judged,
            passed=passed,
            expected=chances,
            instruments=known,
            slots=1,
            scored=everyone,
        )
        batches.append(verdicts)
        flags += float(verdicts.excess.sum()) / size / BATCHES
    for verdicts in batches:
        noise = np.stack([verdicts.noise / size, np.ones(1)], axis=1)
        stake = suspect_stake(shift, noise)[:, 0]
        factors.append(float(np.exp(suspect_back_factors(verdicts, np.array([flags]), stake, 1)[0])))
    assert np.mean(factors) <= 1.0 + 4.0 * np.std(factors) / BATCHES**0.5


def test_the_detector_runs_as_long_as_it_promises() -> None:
    """Run lengths scatter like an exponential, so their mean is what is tested (trap 17: ARL is an average)."""
    random = np.random.default_rng(11)
    lengths: list[int] = []
    for _ in range(300):
        detector = EDetector.fresh(1, 1)
        length = 0
        while detector.level()[0] <= np.log(100.0):
            length += 1
            won = random.random() < 0.8
            detector.update(np.array([[np.log(1.125 if won else 0.5)]]), np.ones(1, np.bool_))
        lengths.append(length)
    assert np.mean(lengths) > 100.0 - 3.0 * np.std(lengths) / 300**0.5
    assert min(lengths) < np.mean(lengths) / 2.0


@pytest.mark.parametrize("narrow", [False, True])
def test_a_drift_of_the_cheap_score_makes_errors_weigh_more_by_what_the_labels_say(narrow: bool) -> None:
    """Where the score uses a part of its range only, that looks like a fall of two points that is none."""
    random = np.random.default_rng(7)
    truth: Booleans = np.concatenate([np.arange(4000) < 2800, np.arange(20_000) < 19_000])
    standard: Floats = random.normal(size=truth.size) - np.where(truth, 0.0, 2.7)
    spread: Floats = 0.6 + 0.4 / (1.0 + np.exp(-1.702 * standard)) if narrow else 0.76 + 0.16 * standard
    cheap: Floats = np.clip(spread, 0.0, 1.0)
    verdict = random.random(truth.size) < np.where(truth, 0.85, 0.08)
    labelled = slice(0, 4000)
    known = learn_instruments(
        GoldSet(truth[labelled].astype(np.float64), verdict[labelled].astype(np.float64), cheap[labelled])
    )
    traffic, answers = cheap[4000:], truth[4000:]
    now, then = (known.suspicion(np.clip(traffic - drift, 0.0, 1.0)) for drift in (0.0, 0.05))
    flags = known.specificity - known.false_flag
    risen = flags * float((known.weight(then) - known.weight(now))[~answers].mean())
    said = known.flags_moved(float((then - now).mean()))
    assert said == pytest.approx(risen, rel=0.5)
    assert (0.05 * said / known.signal > 0.01) == narrow


def test_a_cheap_score_that_says_nothing_moves_nothing() -> None:
    """Its suspicion is the same whatever it is."""
    random = np.random.default_rng(8)
    truth = np.arange(200) < 140
    known = learn_instruments(GoldSet(truth.astype(np.float64), truth.astype(np.float64), random.random(200)))
    assert known.flags_moved(0.1) == 0.0


def test_following_the_cheap_score_restates_the_flags_of_its_segments() -> None:
    """And nothing of the others."""
    sums = np.zeros((len(Sum), 2))
    sums[Sum.CHEAP_COUNT], sums[Sum.FLAG_TRACES], sums[Sum.FLAGS] = 100.0, 50.0, 2.0
    baseline = Baseline([Day(0, sums, np.zeros((2, 12)), np.zeros(2, np.bool_))])
    baseline.move_cheap(np.array([True, False]), 0.02, np.array([0.01, 0.01]))
    assert baseline.days[0].sums[Sum.CHEAP].tolist() == [2.0, 0.0]
    assert baseline.days[0].sums[Sum.FLAGS].tolist() == [2.5, 2.0]
