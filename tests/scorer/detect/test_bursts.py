"""Who is judged when something is suspected, and what is left for the next suspicion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragvigil.scorer.detect import GoldSet, MonitorSettings
from ragvigil.scorer.detect.sequential.baseline import BINS, Series
from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.burst import FUTILE, SIZES, Burst
from ragvigil.scorer.detect.sequential.bursts import KEPT, OVERALL_SOONER, SURE, sureness, tend_bursts, wish
from ragvigil.scorer.detect.sequential.evidence import Verdicts, gather, suspect
from ragvigil.scorer.detect.sequential.faithfulness import Faithfulness
from ragvigil.scorer.detect.sequential.gold import Instruments, learn_instruments
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.weighing import weigh

SETTINGS = MonitorSettings(segments=3)
OVERALL = SETTINGS.slots
OPENS = SETTINGS.suspicion - OVERALL_SOONER
SIZE = 4000


def instruments() -> Instruments:
    """Of a judge and a cheap score that are good."""
    random = np.random.default_rng(7)
    truth = (np.arange(200) < 140).astype(np.float64)
    verdict = np.where(random.random(200) < 0.92, truth, 1.0 - truth)
    cheap = np.clip(0.3 + 0.4 * truth + random.normal(0.0, 0.1, 200), 0.0, 1.0)
    return learn_instruments(GoldSet(truth, verdict, cheap))


def suspected(level: float) -> Faithfulness:
    """All traffic under suspicion by the judge's own evidence, in nats; a burst is open."""
    series = Faithfulness.fresh(SETTINGS)
    series.plain.log[OVERALL] = level - np.log(series.plain.log.shape[1])
    series.bursts = [Burst(OVERALL, False, 0.0, 0.05, np.zeros(SIZES.size), fresh=False)]
    return series


def added(series: Faithfulness, *, credit: float, surplus: float = 0.0) -> Floats:
    """Calls beyond the base, per trace."""
    base = np.full(SIZE, 0.05)
    slot = np.arange(SIZE) % SETTINGS.segments
    cheap = np.where(np.arange(SIZE) < 100, 0.2, 0.9)
    suspicion = suspect(cheap, np.ones(SIZE, np.bool_), instruments())
    nothing = np.zeros(SETTINGS.streams, np.bool_)
    extra: Floats = wish(series, base, slot, suspicion, nothing, SETTINGS, credit, surplus) - base
    return extra


def test_more_evidence_buys_more_verdicts() -> None:
    """Two fifths of a burst when it opens, all that is saved when it is nearly sure."""
    opened, sure = suspected(OPENS), suspected(OPENS + SURE)
    assert sureness(opened, SETTINGS)[OVERALL] == pytest.approx(0.0, abs=1e-6)
    assert sureness(sure, SETTINGS)[OVERALL] == pytest.approx(1.0)
    assert added(opened, credit=5000.0).sum() == pytest.approx(0.4 * SETTINGS.burst_cap, rel=0.02)
    assert added(sure, credit=5000.0).sum() == pytest.approx(1.4 * SETTINGS.burst_cap, rel=0.02)


def test_a_burst_that_has_just_opened_leaves_something_to_the_tripwire() -> None:
    """The same credit is spent whole when the evidence is there."""
    assert added(suspected(OPENS), credit=KEPT + 100.0).sum() == pytest.approx(KEPT / 2 + 100.0, rel=0.2)
    assert added(suspected(OPENS + SURE), credit=KEPT + 100.0).sum() == pytest.approx(KEPT + 100.0, rel=0.02)


def test_what_bursts_leave_of_the_surplus_goes_to_suspects() -> None:
    """So that a budget is not forfeited while a burst waits."""
    extra = added(suspected(OPENS), credit=0.0, surplus=50.0)
    assert extra.sum() == pytest.approx(50.0, rel=0.05)
    assert extra[:100].sum() > 20.0 * extra[100:].mean()


@pytest.mark.parametrize(("eased", "stays"), [(-0.5, True), (-1.5, False)])
def test_such_a_burst_ends_when_the_evidence_fades(eased: float, stays: bool) -> None:
    """A nat below where it opened."""
    series = suspected(OPENS + eased)
    tend_bursts(series, 60.0, SETTINGS, instruments())
    assert bool(series.bursts) is stays


def test_a_burst_on_all_traffic_wins_by_a_fall_that_is_small() -> None:
    """Of 1.2 points, where the cheap score shows two: the smallest bet wins and the largest loses."""
    random, known = np.random.default_rng(13), instruments()
    series = Faithfulness.fresh(SETTINGS)
    burst = Burst(OVERALL, True, 0.0, 0.02, np.zeros(SIZES.size), fresh=False)
    series.bursts = [burst]
    normal = judged_batch(random, known, 0.05, size=200_000)
    flags = float(normal.excess.sum() / normal.traces.sum())
    series.noise_base = float(normal.noise.sum() / normal.traces.sum())
    series.noise_full = float(normal.noise_unsampled.sum() / normal.traces.sum())
    for _ in range(50):
        verdicts = judged_batch(random, known, 0.062, size=1_000)
        weigh(series, verdicts, 1 / 48, SETTINGS, known, reference_of(flags))
    assert burst.log[0] > 5.0
    assert burst.log[0] > burst.log[1] > burst.log[2]
    assert burst.log[2] < FUTILE


def judged_batch(
    random: np.random.Generator, known: Instruments, unfaithful: float, *, size: int
) -> Verdicts:
    """Everything judged, by a judge and a cheap score like those of the labels."""
    faithful = random.random(size) >= unfaithful
    cheap = np.clip(np.where(faithful, 0.7, 0.3) + random.normal(0.0, 0.1, size), 0.0, 1.0)
    passed = (random.random(size) < np.where(faithful, known.sensitivity, 1.0 - known.specificity)).astype(
        float
    )
    slot = np.arange(size) % SETTINGS.slots
    everyone = np.ones(size, np.bool_)
    expected = np.full(size, 1.0 - known.sensitivity)
    doubt = suspect(cheap, everyone, known)
    return gather(
        slot,
        np.arange(size),
        doubt,
        chance=np.ones(size),
        answered=everyone,
        passed=passed,
        expected=expected,
        instruments=known,
        slots=SETTINGS.slots,
        scored=everyone,
    )


def reference_of(flags: float) -> Reference:
    """A baseline that is known for sure, of a service whose days do not differ."""
    even, none = np.ones(SETTINGS.slots), np.zeros(SETTINGS.slots)
    return Reference(
        share=even / SETTINGS.slots,
        cheap=0.05 * even,
        cheap_noise=0.01 * even,
        cheap_error=none,
        passed=0.9 * even,
        passed_error=none,
        passed_error_overall=0.0,
        flags=flags * even,
        flags_variance=1e-12 * even,
        flags_error=1e-6 * even,
        flags_error_overall=0.0,
        unfaithful=0.05 * even,
        day_spread=none,
        day_spread_overall=0.0,
        correction=np.zeros(BINS),
        bad_citations=0.02 * even,
        empty=0.01 * even,
        judged=1e6,
        learned=np.ones((len(Series), SETTINGS.slots), np.bool_),
    )


def test_more_segments_share_the_chance_that_a_burst_confirms_what_is_not_there() -> None:
    """Twice the streams open twice the bursts for nothing; few segments are no reason to ask for less."""
    usual = MonitorSettings(confirm=0.01).confirmed
    assert usual == pytest.approx(-math.log(0.01))
    assert MonitorSettings(segments=26, confirm=0.01).confirmed == pytest.approx(usual + math.log(2.0))
    assert MonitorSettings(segments=3, confirm=0.01).confirmed == usual
