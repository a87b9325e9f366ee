"""Trees: what a linear model cannot say, as a sum of small decision tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = Sequence[Sequence[float]] | NDArray[np.float64]
"""Rows of figures, all of one length."""


class Tree(NamedTuple):
    """A table of eight values, chosen by three comparisons (an oblivious tree of depth three)."""

    first: int
    """Place of the first figure to compare; likewise `second` and `third`."""
    first_above: float
    second: int
    second_above: float
    third: int
    third_above: float
    values: tuple[float, ...]
    """One for each outcome; the first comparison decides between the halves."""


class Trees:
    """A sum of trees, of which there must be one."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        first, first_above, second, second_above, third, third_above, values = zip(*trees, strict=True)
        self._places = [np.array(places) for places in (first, second, third)]
        self._above = [np.array(bounds) for bounds in (first_above, second_above, third_above)]
        self._values = np.array(values, dtype=np.float64).ravel()
        self._starts = np.arange(0, self._values.size, 8)

    def log_odds(self, rows: Rows) -> list[float]:
        """What they add to the log-odds of each row of figures, summed in order so that every machine agrees.

        >>> Trees((Tree(0, 0.5, 1, 0.5, 1, 2.5, (0, 1, 2, 3, 4, 5, 6, 7)),)).log_odds([[1.0, 2.0], [0.0, 3.0]])
        [6.0, 3.0]
        """
        figures = np.asarray(rows)
        one, two, three = (
            figures.take(places, axis=1) > above
            for places, above in zip(self._places, self._above, strict=True)
        )
        return in_order(0.0, self._values.take(self._starts + 4 * one + 2 * two + three))


def in_order(first: float, terms: NDArray[np.float64]) -> list[float]:
    """`first` and the terms of each row, which are overwritten, added up from left to right, as `sum` of numpy is not.

    >>> in_order(1.0, np.array([[0.5, 2.0], [1e16, -1e16]]))
    [3.5, 0.0]
    """
    terms[:, 0] += first
    totals: list[float] = np.add.accumulate(terms, axis=1)[:, -1].tolist()
    return totals
