"""Trees: what a linear model cannot say, as a sum of small decision tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


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


@dataclass(frozen=True, slots=True)
class Trees:
    """A sum of trees."""

    trees: tuple[Tree, ...]

    def log_odds(self, figures: Sequence[float]) -> float:
        """What they add to the log-odds of `figures`, summed in order so that every machine agrees.

        >>> Trees((Tree(0, 0.5, 1, 0.5, 1, 2.5, (0, 1, 2, 3, 4, 5, 6, 7)),)).log_odds([1.0, 2.0])
        6.0
        """
        total = 0.0
        for one, above, two, beyond, three, over, values in self.trees:
            total += values[
                4 * (figures[one] > above) + 2 * (figures[two] > beyond) + (figures[three] > over)
            ]
        return total
