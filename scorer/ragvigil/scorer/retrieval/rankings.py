"""What a retriever found for each query, in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Ids = tuple[str | None, ...]
"""Passages in order, best first; None has no id and is never relevant."""


@dataclass(frozen=True, slots=True)
class Run:
    """One retriever, or one stage of it."""

    name: str
    rankings: Mapping[str, Ids]
    """By id of the query."""
    stage: str | None = None
    """`retrieve` for a first pass, `rerank` after it, None where nobody said."""
    recorded: bool = False
    """Whether it was seen in production, where a query that is not there was not asked."""
    notes: tuple[str, ...] = ()
    """What a reader has to know besides, a sentence each."""


def by_score(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Passages by falling score, those with the same score by falling id: the order of trec_eval, which reads no ranks.

    >>> by_score({"a": 0.5, "b": 0.5, "c": 0.9})
    ('c', 'b', 'a')
    """
    # trec_eval compares bytes, so ids are compared as UTF-8; it keeps scores as 32-bit floats, and we keep them whole.
    ranked = sorted(scores.items(), key=lambda one: (one[1], one[0].encode("utf-8", "replace")), reverse=True)
    return tuple(name for name, _ in ranked)


def note_of_ties(tied: int) -> tuple[str, ...]:
    """What is told of queries with equal scores."""
    if not tied:
        return ()
    return (f"{tied:,} queries have passages of equal score: those stand by falling id, as with trec_eval",)


def told_once(ids: Ids) -> Ids:
    """The ranking with each passage once: one that comes again keeps its place, and is no passage any more.

    >>> told_once(("a", "b", "a"))
    ('a', 'b', None)
    """
    seen: set[str] = set()
    found: list[str | None] = []
    for name in ids:
        found.append(None if name in seen else name)
        if name is not None:
            seen.add(name)
    return tuple(found)


def interleaved(lists: Sequence[Ids]) -> Ids:
    """Several lists of one stage as one: their first passages, then their second ones, each once.

    >>> interleaved([("a", "b"), ("c", "a", "d")])
    ('a', 'c', 'b', 'd')
    """
    longest = max(map(len, lists), default=0)
    ranked = [one[rank] for rank in range(longest) for one in lists if rank < len(one)]
    return tuple(name for name, first in zip(ranked, told_once(tuple(ranked)), strict=True) if name == first)
