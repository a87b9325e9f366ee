"""How much of what an answer needs a ranking brings, and how early: metrics over nuggets, as FreshStack reports them.

A nugget is one fact that a right answer has, with the passages that hold it (Thakur et al. 2025, arXiv:2504.13128).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Holders = Sequence[frozenset[str]]
"""The passages that hold each nugget of a query."""
ALPHA = 0.5
"""How much less a nugget counts each time that it comes again."""


def alpha_ndcg(ids: Sequence[str | None], nuggets: Holders, k: int, alpha: float = ALPHA) -> float:
    """Gain of new nuggets in the first k, over that of the best order that a greedy choice finds; in [0, 1].

    A passage gains (1 - alpha)^n for each of its nuggets that n passages above it hold, discounted by log2(rank + 1):
    Clarke et al. 2008, SIGIR, and ndeval's alpha-nDCG, whose best order is greedy too. 0 without a nugget that any
    passage holds.

    >>> held = [frozenset({"a", "b"}), frozenset({"c"})]
    >>> round(alpha_ndcg(["a", "b", "c"], held, 5), 4), alpha_ndcg(["c", "a", "b"], held, 5)
    (0.9652, 1.0)
    """
    best = _gain(_greedy(nuggets, k, alpha), nuggets, k, alpha)
    return min(1.0, _gain(ids, nuggets, k, alpha) / best) if best else 0.0


def coverage(ids: Sequence[str | None], nuggets: Holders, k: int) -> float:
    """Share of the nuggets that any of the first k passages holds; one that no passage holds is never found.

    >>> coverage(["a", "b", "c"], [frozenset({"a", "b"}), frozenset({"c"})], 2)
    0.5
    """
    found = frozenset(ids[:k])
    return sum(not found.isdisjoint(one) for one in nuggets) / len(nuggets) if nuggets else 0.0


def _gain(ids: Sequence[str | None], nuggets: Holders, k: int, alpha: float) -> float:
    seen = [0] * len(nuggets)
    total = 0.0
    for rank, name in enumerate(ids[:k], 1):
        total += _of(name, nuggets, seen, alpha) / math.log2(rank + 1)
        seen = [count + (name in held) for count, held in zip(seen, nuggets, strict=True)]
    return total


def _of(name: str | None, nuggets: Holders, seen: Sequence[int], alpha: float) -> float:
    pairs = zip(seen, nuggets, strict=True)
    return sum((1.0 - alpha) ** count for count, held in pairs if name in held)


def _greedy(nuggets: Holders, k: int, alpha: float) -> list[str]:
    """The passage that gains most, then the one that then gains most, and so on; of equal ones the last id."""
    left = set[str]().union(*nuggets)
    seen = [0] * len(nuggets)
    chosen: list[str] = []
    while left and len(chosen) < k:
        name = max(left, key=lambda one: (_of(one, nuggets, seen, alpha), one))
        left.remove(name)
        chosen.append(name)
        seen = [count + (name in held) for count, held in zip(seen, nuggets, strict=True)]
    return chosen
