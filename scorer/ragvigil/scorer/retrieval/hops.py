"""Queries that two passages answer together, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Hop = Literal["found", "hop 1", "hop 2", "beyond k"]
"""What became of a query of two hops: both found, the hop that was not retrieved at all, or only too far down."""
KINDS: tuple[Hop, ...] = ("found", "hop 1", "hop 2", "beyond k")


def outcome(ids: Sequence[str | None], hops: tuple[str, str], k: int) -> Hop:
    """Whether both passages are in the first k of a ranking; if not, why.

    `hop 1` where the first was retrieved at no rank, whatever became of the second, which is looked for by what the
    first says; `hop 2` where only the second was not; `beyond k` where both were, and one of them below rank k.

    >>> outcome(["a", "x", "b"], ("a", "b"), 3), outcome(["a", "x", "b"], ("a", "b"), 2)
    ('found', 'beyond k')
    >>> outcome(["b"], ("a", "b"), 5), outcome(["a"], ("a", "b"), 5)
    ('hop 1', 'hop 2')
    """
    first, second = hops
    if first not in ids:
        return "hop 1"
    if second not in ids:
        return "hop 2"
    return "found" if {first, second} <= set(ids[:k]) else "beyond k"
