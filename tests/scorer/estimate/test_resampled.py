"""Intervals of means of metrics: they hold the truth as often as they say, and have width everywhere."""

from __future__ import annotations

import numpy as np
import pytest

from ragvigil.scorer.estimate.resampled import resampled


def test_fewer_than_20_have_no_interval() -> None:
    """Of so few nothing is known of others."""
    assert resampled(np.ones((19, 1)), np.arange(19), [(0.0, 1.0)]) is None


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_queries_that_are_all_alike_still_have_an_interval(value: float) -> None:
    """The ordinary bootstrap has no width there, as if 20 queries knew everything."""
    (found,) = resampled(np.full((20, 1), value), np.arange(20), [(0.0, 1.0)]) or []
    assert found.value == value
    assert 0.05 < found.upper - found.lower < 0.25


def test_an_interval_stays_within_what_the_metric_can_be() -> None:
    """Precision at 10 with one relevant passage is .1 at most."""
    (found,) = resampled(np.tile([[0.1], [0.0]], (30, 1)), np.arange(60), [(0.0, 0.1)]) or []
    assert 0.0 < found.lower < found.value < found.upper < 0.1


def test_the_same_values_have_the_same_interval() -> None:
    """Two reports of one run must not differ."""
    values = np.random.default_rng(1).random((40, 2))
    ends = [(0.0, 1.0)] * 2
    assert resampled(values, np.arange(40), ends) == resampled(values, np.arange(40), ends)


def test_queries_of_one_conversation_are_drawn_together() -> None:
    """Ten conversations of ten equal queries know as much as ten queries."""
    values = np.repeat([0.0, 1.0] * 5, 10)[:, None].astype(np.float64)
    (alone,) = resampled(values, np.arange(100), [(0.0, 1.0)]) or []
    (together,) = resampled(values, np.repeat(np.arange(10), 10), [(0.0, 1.0)]) or []
    assert together.upper - together.lower > 2.5 * (alone.upper - alone.lower)
    assert together.n_effective == 10.0


@pytest.mark.parametrize(
    ("kinds", "shares"),
    [
        ([0.0, 1.0], [0.05, 0.95]),
        ([0.0, 0.5, 0.63, 1.0], [0.02, 0.01, 0.04, 0.93]),
        ([-1.0, 0.0, 1.0], [0.02, 0.9, 0.08]),
    ],
    ids=["hit rate", "nDCG near 1", "paired difference"],
)
def test_20_and_50_queries_hold_the_truth_as_often_as_they_say(
    kinds: list[float], shares: list[float]
) -> None:
    """Where the ordinary bootstrap holds it in 66 to 91 samples of 100."""
    random = np.random.default_rng(5)
    truth, ends = float(np.dot(kinds, shares)), [(min(kinds), max(kinds))] * 200
    for n in (20, 50):
        samples = random.choice(kinds, size=(n, 200), p=shares)
        found = resampled(samples, np.arange(n), ends) or []
        assert sum(one.lower <= truth <= one.upper for one in found) >= 184, n
