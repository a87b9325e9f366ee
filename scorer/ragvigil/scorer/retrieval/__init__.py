"""Retrieval held against relevance labels: metrics as trec_eval defines them, each with n and an interval."""

from ragvigil.scorer.retrieval.compare import Compared, Moved, compare
from ragvigil.scorer.retrieval.measure import Figure, Measured, measure
from ragvigil.scorer.retrieval.metrics import (
    average_precision,
    hit_rate,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from ragvigil.scorer.retrieval.queries import Query
from ragvigil.scorer.retrieval.rankings import Run, by_score

__all__ = [
    "Compared",
    "Figure",
    "Measured",
    "Moved",
    "Query",
    "Run",
    "average_precision",
    "by_score",
    "compare",
    "hit_rate",
    "measure",
    "ndcg",
    "precision",
    "recall",
    "reciprocal_rank",
]
