"""From candidates to pages: what a few flickering verdicts may decide, and what a page says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.scorer.detect.test_monitor_core import gold

from ragvigil.scorer.detect import MonitorSettings
from ragvigil.scorer.detect.sequential.canary import Canary
from ragvigil.scorer.detect.sequential.faithfulness import Candidate, Faithfulness
from ragvigil.scorer.detect.sequential.gold import learn_instruments
from ragvigil.scorer.detect.sequential.incidents import Incidents, Recent
from ragvigil.scorer.detect.sequential.paging import MOST_CANARIES, settle

SETTINGS = MonitorSettings(segments=3)


def suspected(difference: float) -> Faithfulness:
    """Segment 1 is a candidate; of a hundred past answers so many pass more than before, and that is all there is."""
    series = Faithfulness.fresh(SETTINGS)
    series.recent.gain, series.recent.gain_noise = np.full(4, 12.0), np.full(4, 15.0)
    series.recent.weight = np.full(4, 200.0)
    series.pending = [Candidate(1, 0.08, False, 9.0)]
    series.canary = Canary(100.0, difference, abs(difference) + 2.0, 0.0)
    series.asked = MOST_CANARIES
    return series


def test_a_guess_of_a_hundred_verdicts_changes_no_baseline_while_a_page_is_open() -> None:
    """Trap 15: judges flicker; the fault would become normal, and page again."""
    instruments = learn_instruments(gold())
    before, during = suspected(-4.0), suspected(-4.0)
    assert settle(before, 0.0, 0.0, instruments) == ([], -0.04)
    during.incidents.begin(3, 0.08, 0.0, suspects=False)
    assert settle(during, 0.0, 0.0, instruments) == ([], None)
    assert during.pending == []
    sure = suspected(-30.0)
    sure.incidents.begin(3, 0.08, 0.0, suspects=False)
    assert settle(sure, 0.0, 0.0, instruments) == ([], -0.3)


def test_a_page_says_how_large_the_fall_is_with_interval_and_n() -> None:
    """`fall` is what the bets won on; `seen` is what the verdicts show."""
    (page,), moved = settle(suspected(0.0), 0.0, 0.0, learn_instruments(gold()))
    assert moved is None
    seen, lower, upper, n = (float(page.evidence[name]) for name in ("seen", "lower", "upper", "n"))
    assert lower < seen < upper
    assert (n, page.evidence["n_of"]) == (800, "verdicts")
    assert 0.05 < seen < 0.12


def test_a_fall_that_was_guessed_too_large_does_not_look_over_while_it_lasts() -> None:
    """The first batch guessed twenty points, half a day shows seven: the same fall would page again."""
    plainly = replace(learn_instruments(gold()), sensitivity=1.0, specificity=1.0)
    incidents, recent = Incidents.none(4), Recent.fresh(3)
    incidents.begin(3, 0.2, 0.0, suspects=False)
    recent.weight, recent.gain = np.full(3, 1000.0), np.full(3, 70.0)
    for hour in range(30):
        assert not incidents.end(recent, hour * 3600.0, 1.0, plainly).any()
    recent.gain = np.full(3, 20.0)
    assert incidents.end(recent, 31 * 3600.0, 1.0, plainly).tolist() == [False, False, False, True]


def test_a_page_shows_the_hours_that_show_most() -> None:
    """A fall that began two hours ago is hardly seen over half a day."""
    series = suspected(0.0)
    series.recent.gain = np.full(4, 1.0)
    series.latest.weight, series.latest.gain = np.full(4, 40.0), np.full(4, 6.0)
    series.latest.gain_noise = np.full(4, 4.0)
    (page,), _ = settle(series, 0.0, 0.0, learn_instruments(gold()))
    assert page.evidence["hours"] == 2
    assert float(page.evidence["lower"]) > 0.0
