"""Which metrics are shown: at each k, for each kind of query, for each stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_AT_EACH_K = ("recall", "precision", "hit_rate", "mrr", "ndcg", "map", "unjudged")
_WHOLE = ("context_recall_chunks", "mrr", "map")
_OF_KIND: Mapping[str, tuple[tuple[str, int | None], ...]] = {
    "single_fact": (("mrr", 1), ("mrr", 2)),
    "broad": (("recall", 5), ("recall", 10)),
    "ranking": (("ndcg", 10), ("recall", 10), ("precision", 10)),
    "multi_hop": (("two_hop_recall", 5), ("two_hop_recall", 10)),
}
"""A single fact is used from the first place or two, a synthesis needs all its parts, a ranking its order."""
_OF_OTHERS = (("recall", 10), ("ndcg", 10), ("mrr", 10))
FOR_STAGE: Mapping[str, frozenset[str]] = {
    "retrieve": frozenset({"recall", "hit_rate", "ndcg", "unjudged"}),
    "rerank": frozenset({"recall", "precision", "mrr", "ndcg", "unjudged"}),
}
"""What a first pass misses nobody can find again; a reranker has to bring it up. nDCG is never shown without recall."""
TARGETS: Mapping[str, float] = {"context_recall_chunks": 0.8, "mrr": 0.7, "ndcg": 0.6}
"""Above which a figure is good; those of `mrr` and `ndcg` hold for the whole list and for k = 10."""


def columns_of(ks: Sequence[int]) -> list[tuple[str, int | None]]:
    """Metrics with their k, None for the whole list.

    >>> columns_of([5])[:2], columns_of([5])[-1]
    ([('recall', 5), ('precision', 5)], ('map', None))
    """
    at: list[tuple[str, int | None]] = [(name, k) for name in _AT_EACH_K for k in ks]
    return [*at, *((name, None) for name in _WHOLE)]


def columns_of_kind(kind: str) -> Sequence[tuple[str, int | None]]:
    """Those that belong to a kind of query.

    >>> columns_of_kind("single_fact")
    (('mrr', 1), ('mrr', 2))
    """
    return _OF_KIND.get(kind, _OF_OTHERS)


def target_of(metric: str, k: int | None) -> float | None:
    """What a figure should be above; None where nothing is set.

    >>> target_of("ndcg", 10), target_of("ndcg", 3)
    (0.6, None)
    """
    return TARGETS.get(metric) if k in (None, 10) else None
