"""context_precision: whether relevant passages come first: average precision of the ranks.

Range [0, 1]. Relevant is a passage that `context_relevance` counts, so that this stands in, by words alone, for the
judge's measure of the same name: the target of 0.5 (docs/judge.md) is set for that one. None where no passage is
relevant, and where `context_relevance` has no value.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.context_relevance import RELEVANT, unmeasurable
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.listed import listed

_MOST_NAMED = 5


def _measure(prepared: Prepared) -> Finding:
    why = unmeasurable(prepared)
    if why is not None:
        return Finding(None, why)
    ranks = [rank for rank, share in enumerate(prepared.relevance, 1) if share >= RELEVANT]
    if not ranks:
        return Finding(None, "no passage is relevant")
    first = ranks[-1] == len(ranks)
    late = f"what is relevant stands at rank {listed([str(rank) for rank in ranks], _MOST_NAMED)}"
    precisions = [seen / rank for seen, rank in enumerate(ranks, 1)]
    return Finding(round(sum(precisions) / len(precisions), 6), None if first else late)


CHECK = Check("context_precision", "3", _measure, cost="question")
