"""The drop rule: quiet when nothing changed, loud when something did."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect import compare, nanoseconds, stretches
from ragvigil.scorer.monitoring import Sums

LOOK = nanoseconds(600)
DAY = 144
"""Looks a day."""

Counts = npt.NDArray[np.int64]


def unweighted(n: int, passed: int) -> Sums:
    """The sums of 0/1 observations that were all kept."""
    return Sums(n, float(n), float(passed), float(n), float(passed), float(passed))


def traffic(
    random: np.random.Generator, truth: npt.NDArray[np.float64], *, a_day: int
) -> tuple[Counts, Counts]:
    """Cumulated observations and passes, one entry a look."""
    n = random.poisson(a_day / DAY, truth.size)
    passed = random.binomial(n, truth)
    return np.concatenate([[0], np.cumsum(n)]), np.concatenate([[0], np.cumsum(passed)])


def first_page(n: Counts, passed: Counts, rule: Rule, *, begin: int) -> int | None:
    """The first look from `begin` on that pages."""
    lengths = [length // LOOK for length in stretches(rule)]
    baseline = nanoseconds(rule.baseline_seconds) // LOOK
    for look in range(begin, n.size):
        for length in lengths:
            middle, start = look - length, max(0, look - length - baseline)
            window = unweighted(int(n[look] - n[middle]), int(passed[look] - passed[middle]))
            before = unweighted(int(n[middle] - n[start]), int(passed[middle] - passed[start]))
            found = compare(before, window, rule)
            if found is not None and found.fell:
                return look
    return None


@pytest.mark.parametrize("truth", [0.75, 0.88, 0.95, 0.99])
def test_two_hundred_quiet_days_give_no_page(truth: float) -> None:
    """5,000 records a day, a tenth judged, defaults, a look every ten minutes."""
    random = np.random.default_rng(3)
    n, passed = traffic(random, np.full(200 * DAY, truth), a_day=500)
    assert first_page(n, passed, Rule(), begin=7 * DAY) is None


def test_a_fall_from_95_to_80_pages_within_hours() -> None:
    """500 verdicts a day: four hours bring about 80, and no rule can know much sooner."""
    delays: list[float] = []
    for seed in range(20):
        random = np.random.default_rng(seed)
        truth = np.concatenate([np.full(8 * DAY, 0.95), np.full(DAY, 0.80)])
        n, passed = traffic(random, truth, a_day=500)
        page = first_page(n, passed, Rule(), begin=8 * DAY + 1)
        assert page is not None
        delays.append((page - 8 * DAY) / 6)
    assert np.median(delays) <= 6
    assert max(delays) <= 16


def test_a_small_fall_needs_a_longer_stretch_than_one_window_but_pages() -> None:
    """95 to 88 at 5,000 verdicts a day: an hour holds 200, which do not prove it; the stretches of 2 and 4 do."""
    random = np.random.default_rng(1)
    truth = np.concatenate([np.full(8 * DAY, 0.95), np.full(DAY, 0.88)])
    n, passed = traffic(random, truth, a_day=5_000)
    page = first_page(n, passed, Rule(), begin=8 * DAY + 1)
    assert page is not None
    assert page - 8 * DAY <= 8 * 6


def test_small_samples_never_page() -> None:
    """Forty-nine failures of forty-nine, or a baseline of 299, are not compared."""
    assert compare(unweighted(3_000, 2_850), unweighted(49, 0), Rule()) is None
    assert compare(unweighted(299, 284), unweighted(500, 0), Rule()) is None


def test_a_significant_trifle_does_not_page() -> None:
    """Four points on a million records are certain, and not worth a night."""
    found = compare(unweighted(1_000_000, 950_000), unweighted(1_000_000, 910_000), Rule())
    assert found is not None
    assert found.change.upper < -0.03
    assert not found.fell


def test_a_large_but_uncertain_fall_does_not_page() -> None:
    """Twelve points on fifty records may be chance."""
    found = compare(unweighted(3_000, 2_850), unweighted(50, 41), Rule())
    assert found is not None
    assert found.change.value < -0.1
    assert not found.fell


def test_a_low_rate_that_did_not_fall_does_not_page() -> None:
    """No floor on an uncalibrated rate: a judge that passes 60 % of good answers is not an incident."""
    found = compare(unweighted(3_000, 1_800), unweighted(500, 300), Rule())
    assert found is not None
    assert not found.fell
