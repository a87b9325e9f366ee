"""The fit of the built-in judge, on rows made for it."""

from __future__ import annotations

import numpy as np
from tests.bench.fitting.learn import boost, grown_log_odds, regression

from ragvigil.scorer.checks.alignment.trees import Trees
from ragvigil.scorer.offline.measures import auroc, balanced_accuracy, f1, interval, threshold, within

SOURCE = np.random.default_rng(3)
FIGURES = SOURCE.normal(size=(600, 3)).round(3)
LABELS = ((FIGURES[:, 0] > 0) ^ (FIGURES[:, 1] > 0)).astype(float)
ONE, FIRST = np.ones(600), np.zeros(600, dtype=np.int64)


def test_trees_say_what_a_linear_model_cannot() -> None:
    """Either one or the other, and not both; the same figures at run time as in the fit."""
    linear = regression(FIGURES, LABELS, ONE, FIRST, 1, 1.0).log_odds(FIGURES)
    trees = boost(FIGURES, LABELS, ONE, linear, trees=20, rate=0.3, ridge=1.0, share=1.0)
    grown = grown_log_odds(trees, FIGURES)
    assert auroc(LABELS, linear) < 0.6 < 0.95 < auroc(LABELS, linear + grown)
    assert np.allclose(grown, Trees(trees).log_odds(FIGURES.tolist()))


def test_the_regression_finds_what_made_the_labels() -> None:
    """Slopes, and for each further source how much it is shifted."""
    source = np.repeat([0, 1], 300)
    odds = 2 * FIGURES[:, 0] - FIGURES[:, 1] + 1.5 * source
    labels = (SOURCE.uniform(size=600) < 1 / (1 + np.exp(-odds))).astype(float)
    fitted = regression(FIGURES, labels, ONE, source, 2, 1.0)
    assert np.allclose(fitted.weights, [2, -1, 0], atol=0.5)
    assert abs(fitted.shifts[1] - 1.5) < 0.6


def test_measures_are_what_their_names_say() -> None:
    """By hand."""
    positive, score = np.array([1.0, 0.0, 1.0, 0.0]), np.array([0.9, 0.8, 0.7, 0.1])
    assert auroc(positive, score) == 0.75
    assert within(positive, score, ["a", "b", "b", "a"]) == 0.5
    assert f1(positive, score >= 0.5) == 0.8
    assert balanced_accuracy(positive, score >= 0.5) == 0.75
    assert 0.1 < threshold(positive, score, f1) <= 0.7
    low, high = interval(lambda rows: float(positive[rows].mean()), ["a", "b", "c", "d"])
    assert 0.0 <= low < 0.5 < high <= 1.0
