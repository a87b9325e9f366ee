"""The judged rate and its interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragvigil.scorer.estimate import rate
from ragvigil.scorer.monitoring import Sums


def summed(values: list[float], weights: list[float]) -> Sums:
    """The sums that a rollup would hold."""
    sums = Sums()
    for value, weight in zip(values, weights, strict=True):
        sums += Sums.of(value, weight)
    return sums


def drawn(random: np.random.Generator, *, size: int, truth: float, suspicious_first: bool) -> Sums:
    """One window of `size` records of which about a tenth is judged, as sums."""
    passed = (random.random(size) < truth).astype(float)
    cheap = random.random(size) * 0.6 + 0.4 * passed
    inclusion = np.where(cheap < 0.5, 0.5, 0.06) if suspicious_first else np.full(size, 0.1)
    judged = random.random(size) < inclusion
    value, weight = passed[judged], 1.0 / inclusion[judged]
    square = weight * weight
    return Sums(
        len(value),
        float(weight.sum()),
        float((weight * value).sum()),
        float(square.sum()),
        float((square * value).sum()),
        float((square * value * value).sum()),
    )


@pytest.mark.parametrize("truth", [0.80, 0.88, 0.95, 0.97])
@pytest.mark.parametrize("size", [2_000, 20_000])
@pytest.mark.parametrize("suspicious_first", [False, True])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(
    truth: float, size: int, suspicious_first: bool
) -> None:
    """95 % over 800 windows; weighted samples may cover more, for n_eff never exceeds n, but not less."""
    random = np.random.default_rng(20260301)
    estimates = [
        rate(drawn(random, size=size, truth=truth, suspicious_first=suspicious_first)) for _ in range(800)
    ]
    covered = [one.lower <= truth <= one.upper for one in estimates if one is not None]
    assert len(covered) == 800
    assert 0.93 <= np.mean(covered) <= (0.995 if suspicious_first else 0.97)


def test_judging_suspicious_answers_first_does_not_move_the_mean() -> None:
    """Trap 8 of the statistics: unweighted, this sample is 16 points too low."""
    random = np.random.default_rng(7)
    estimates = [rate(drawn(random, size=5_000, truth=0.95, suspicious_first=True)) for _ in range(200)]
    values = [one.value for one in estimates if one is not None]
    assert abs(float(np.mean(values)) - 0.95) < 0.002


def test_fewer_than_twenty_observations_are_not_a_rate() -> None:
    """Nineteen perfect answers print a count, not 100 %."""
    assert rate(summed([1.0] * 19, [10.0] * 19)) is None
    assert rate(summed([1.0] * 20, [10.0] * 20)) is not None
    assert rate(Sums()) is None


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0])
def test_equal_observations_still_have_an_interval_with_width(value: float) -> None:
    """A bootstrap would give width zero."""
    estimate = rate(summed([value] * 20, [1.0 + number % 3 for number in range(20)]))
    assert estimate is not None
    assert estimate.lower <= estimate.value <= estimate.upper
    assert estimate.upper - estimate.lower > 0.1
    assert estimate.n_effective < 20


def test_equal_weights_give_wilsons_interval_on_n() -> None:
    """95 of 100 at any weight: Wilson's limits are .888 and .978."""
    for weight in (1.0, 10.0, 1e6):
        estimate = rate(summed([1.0] * 95 + [0.0] * 5, [weight] * 100))
        assert estimate is not None
        assert (round(estimate.lower, 3), round(estimate.upper, 3)) == (0.888, 0.978)
        assert estimate.n_judged == 100
        assert estimate.n_traces == round(100 * weight)


def test_a_corrected_score_leaves_no_trace_in_the_interval() -> None:
    """A late span takes a 0 away and puts a 1 in its place."""
    clean = summed([1.0] * 300, [10.0] * 300)
    corrected = clean + Sums.of(0.0, 3.7) + -Sums.of(0.0, 3.7)
    first, second = rate(clean), rate(corrected)
    assert first is not None
    assert second is not None
    assert math.isclose(first.lower, second.lower, rel_tol=1e-9)


@pytest.mark.parametrize(
    "sums",
    [
        Sums(n=50, w=0.0),
        Sums(n=50, w=-1.0, wx=-1.0),
        Sums(n=50, w=math.nan, wx=1.0),
        Sums(n=50, w=math.inf, wx=math.inf),
        Sums(n=50, w=50.0, wx=math.nan),
    ],
)
def test_damaged_sums_are_no_rate(sums: Sums) -> None:
    """They never become a number that a page could quote."""
    assert rate(sums) is None
