"""Who is judged when something is suspected, and what is left for the next suspicion."""

from __future__ import annotations

import numpy as np
import pytest

from ragvigil.scorer.detect import GoldSet, MonitorSettings
from ragvigil.scorer.detect.sequential.batch import Floats
from ragvigil.scorer.detect.sequential.burst import SIZES, Burst
from ragvigil.scorer.detect.sequential.bursts import KEPT, OVERALL_SOONER, SURE, sureness, tend_bursts, wish
from ragvigil.scorer.detect.sequential.evidence import suspect
from ragvigil.scorer.detect.sequential.faithfulness import Faithfulness
from ragvigil.scorer.detect.sequential.gold import Instruments, learn_instruments

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
