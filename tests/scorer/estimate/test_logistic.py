"""The logistic regression that the detectors and the measures of a benchmark share."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.estimate.logistic import chances, logistic

DESIGN = np.column_stack([np.ones(6), [0.1, 0.4, 0.3, 0.8, 0.6, 0.9]])
TARGET = np.array([0.0, 0.0, 1.0, 0.0, 1.0, 1.0])
NO_RIDGE = np.zeros(2)


def test_a_row_that_weighs_three_counts_like_three_rows() -> None:
    weight = np.array([3.0, 1.0, 1.0, 1.0, 2.0, 1.0])
    rows = np.repeat(np.arange(6), weight.astype(int))
    heavy = logistic(DESIGN, TARGET, weight, NO_RIDGE)
    repeated = logistic(DESIGN[rows], TARGET[rows], np.ones(9), NO_RIDGE)
    np.testing.assert_allclose(heavy, repeated, rtol=1e-9)


def test_without_a_ridge_the_chances_sum_to_the_targets() -> None:
    """The likelihood's equation for the intercept."""
    found = chances(DESIGN, logistic(DESIGN, TARGET, np.ones(6), NO_RIDGE))
    assert abs(found.sum() - TARGET.sum()) < 1e-9


def test_a_column_that_makes_no_mistake_has_an_end_with_a_ridge() -> None:
    target = (DESIGN[:, 1] > 0.5).astype(float)
    intercept, slope = logistic(DESIGN, target, np.ones(6), np.array([0.0, 1.0]))
    assert 0.0 < slope < 10.0
    assert -slope < intercept < 0.0
