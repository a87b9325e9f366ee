"""A logistic regression of a handful of columns."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.estimate.window import Floats

_STEPS = 50
_STEEPEST = 30.0
_SETTLED = 1e-9


def logistic(design: Floats, target: Floats, weight: Floats, ridge: Floats) -> Floats:
    """The coefficients, one a column of `design`, under which `target` is likeliest: Newton's method, at most 50 steps.

    `design` is (rows, columns), with a column of ones where there is an intercept; `target`, (rows,), is 0 or 1, and
    `weight`, (rows,), says how often each row counts. `ridge`, (columns,), times one half of each coefficient squared
    is held against it: where that is more than 0, a column that tells the targets apart without a mistake has an end.

    >>> design = np.array([[1.0, 0.0]] * 4 + [[1.0, 1.0]] * 4)
    >>> target = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    >>> found = logistic(design, target, np.ones(8), np.zeros(2))
    >>> [float(one) for one in chances(design, found)[[0, -1]].round(6)]
    [0.25, 0.75]
    """
    coefficients = np.zeros_like(ridge)
    for _ in range(_STEPS):
        chance = chances(design, coefficients)
        gradient = design.T @ (weight * (target - chance)) - ridge * coefficients
        curvature = (design * (weight * chance * (1.0 - chance))[:, None]).T @ design + np.diag(ridge)
        step = np.linalg.solve(curvature, gradient)
        coefficients = coefficients + step
        if float(np.abs(step).max()) < _SETTLED:
            break
    return coefficients


def chances(design: Floats, coefficients: Floats) -> Floats:
    """The probability of 1 for each row, (rows,)."""
    return 1.0 / (1.0 + np.exp(-np.clip(design @ coefficients, -_STEEPEST, _STEEPEST)))
