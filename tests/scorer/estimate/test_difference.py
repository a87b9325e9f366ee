"""The difference of two rates."""

from __future__ import annotations

import numpy as np
import pytest

from ragvigil.scorer.estimate import Difference, Estimate, difference, judged_rate, rate, window
from ragvigil.scorer.monitoring import Sums


def estimate(passed: int, n: int) -> Estimate:
    """The estimate of `passed` out of `n` unweighted observations."""
    found = rate(Sums(n, float(n), float(passed), float(n), float(passed), float(passed)))
    assert found is not None
    return found


def test_two_perfect_rates_differ_by_zero_with_width_on_both_sides() -> None:
    """The textbook interval has no width here."""
    moved = difference(estimate(40, 40), estimate(60, 60), confidence=0.95)
    assert moved.value == 0.0
    assert moved.lower < 0.0 < moved.upper


def test_more_confidence_reaches_further() -> None:
    """The interval at .9999 holds the one at .95."""
    before, now = estimate(950, 1_000), estimate(80, 100)
    narrow, wide = (difference(before, now, confidence=level) for level in (0.95, 0.9999))
    assert wide.lower < narrow.lower < narrow.value < narrow.upper < wide.upper
    assert narrow.value == pytest.approx(-0.15)


def test_the_interval_of_a_fall_covers_it() -> None:
    """95 % over 1,000 pairs of windows, from .95 to .88 and without a fall."""
    random = np.random.default_rng(5)
    for truth in (0.88, 0.95):
        covered = 0
        for _ in range(1_000):
            before = estimate(int(random.binomial(1_500, 0.95)), 1_500)
            moved = difference(before, estimate(int(random.binomial(200, truth)), 200), confidence=0.95)
            covered += moved.lower <= truth - 0.95 <= moved.upper
        assert 930 <= covered <= 975


def judged(fate: int) -> Estimate:
    """100 of 1,000 verdicts never came (-1), or all of them passed (1) or failed (0)."""
    found = judged_rate(window(verdict=[fate] * 100 + [1] * 800 + [0] * 100, judged=np.ones(1_000)))
    assert isinstance(found, Estimate)
    return found


@pytest.mark.parametrize("side", ["before", "now", "both"])
def test_a_difference_holds_both_fates_of_verdicts_that_never_came(side: str) -> None:
    """Nine points either way on each side; all that is left of them was the difference of the others."""
    whole = estimate(900, 1_000)

    def of(before: int, now: int) -> Difference:
        return difference(
            whole if side == "now" else judged(before),
            whole if side == "before" else judged(now),
            confidence=0.95,
        )

    found, lowest, highest = of(-1, -1), of(1, 0), of(0, 1)
    assert found.bounds == (lowest, highest)
    assert (found.lower, found.upper) == (lowest.lower, highest.upper)
    assert lowest.value < found.value < highest.value
    assert lowest.bounds is None
