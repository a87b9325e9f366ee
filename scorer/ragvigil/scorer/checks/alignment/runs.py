"""Runs: how much of a claim stands in the evidence as it is put, word by word."""

from __future__ import annotations

from collections.abc import Sequence

_THREE = 3


def runs(threes: Sequence[bool], words: int) -> tuple[float, float]:
    """The share of a claim's `words` in runs of three or more that the evidence has, and that of the longest run.

    `threes`: whether each three in a row stand so in one sentence. Both in [0, 1]; 0 without words.

    >>> runs([True, True, False, False, False], 7), runs([True, False, True], 5), runs([], 2)
    ((0.5714285714285714, 0.5714285714285714), (1.0, 0.6), (0.0, 0.0))
    """
    inside = run = longest = end = 0
    for place, there in enumerate(threes):
        run = run + 1 if there else 0
        if run:
            inside += place + _THREE - max(place, end)
            end = place + _THREE
            longest = max(longest, run)
    return (inside / words, (longest + _THREE - 1) / words) if longest else (0.0, 0.0)
