"""How well one ranking finds what people labelled, as trec_eval defines it.

Every function takes `grades`, the grade of the passage at each rank, first rank first (0: not relevant, or judged by
nobody), and `labelled`, the grades of all passages that are labelled for the query, found or not. A passage is relevant
from `level` on, 1 unless said otherwise. A query with no relevant passage has 0 everywhere, as with trec_eval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

Metric = Callable[[Sequence[int], Sequence[int], int, int], float]
"""(grades, labelled, k, level) to a number in [0, 1]."""
ALL = 2**62
"""A k that no list reaches: the whole of it."""


def recall(grades: Sequence[int], labelled: Sequence[int], k: int, level: int = 1) -> float:
    """Share of the relevant passages that are in the first k: found / relevant (Manning et al. 2008, section 8.3).

    >>> recall([0, 1, 0, 1], [1, 1, 1], 3)
    0.3333333333333333
    """
    relevant = _relevant(labelled, level)
    return _relevant(grades[:k], level) / relevant if relevant else 0.0


def precision(grades: Sequence[int], labelled: Sequence[int], k: int, level: int = 1) -> float:
    """Share of the first k places that hold a relevant passage: found / k, also where the list is shorter than k.

    Manning et al. 2008, section 8.4. With one relevant passage it cannot be above 1 / k.

    >>> precision([0, 1], [1], 4)
    0.25
    """
    del labelled
    return _relevant(grades[:k], level) / k


def hit_rate(grades: Sequence[int], labelled: Sequence[int], k: int, level: int = 1) -> float:
    """1 where any of the first k passages is relevant, else 0: trec_eval's success.

    >>> hit_rate([0, 0, 1], [1], 2), hit_rate([0, 0, 1], [1], 3)
    (0.0, 1.0)
    """
    del labelled
    return float(_relevant(grades[:k], level) > 0)


def reciprocal_rank(grades: Sequence[int], labelled: Sequence[int], k: int, level: int = 1) -> float:
    """1 / rank of the first relevant passage, 0 where none is in the first k; its mean is MRR@k.

    Voorhees 1999, TREC-8 question answering track; trec_eval's recip_rank where k is the whole list.

    >>> reciprocal_rank([0, 0, 1], [1], 10), reciprocal_rank([0, 0, 1], [1], 2)
    (0.3333333333333333, 0.0)
    """
    del labelled
    return next((1.0 / rank for rank, grade in enumerate(grades[:k], 1) if grade >= level), 0.0)


def ndcg(grades: Sequence[int], labelled: Sequence[int], k: int, level: int = 1) -> float:
    """Discounted cumulative gain of the first k, over that of the best order of everything labelled.

    The sum of grade / log2(rank + 1), gain as graded (not 2^grade - 1) and grades below 0 as 0, over the same of the
    labelled grades in falling order: Järvelin & Kekäläinen 2002, ACM TOIS 20:422, with the discount from rank 2 on that
    trec_eval's ndcg_cut has. `level` plays no part in it.

    >>> ndcg([1, 2], [2, 1], 10), ndcg([2, 1], [1, 2], 10)
    (0.8597186998521972, 1.0)
    """
    del level
    best = _gain(sorted(labelled, reverse=True)[:k])
    return _gain(grades[:k]) / best if best else 0.0


def average_precision(grades: Sequence[int], labelled: Sequence[int], k: int, level: int = 1) -> float:
    """Mean over all relevant passages of the precision at the rank of each, 0 for those beyond k; its mean is MAP@k.

    Manning et al. 2008, section 8.4; trec_eval's map_cut, and map where k is the whole list.

    >>> average_precision([1, 0, 1], [1, 1], 3)
    0.8333333333333333
    """
    relevant = _relevant(labelled, level)
    found, total = 0, 0.0
    for rank, grade in enumerate(grades[:k], 1):
        if grade >= level:
            found += 1
            total += found / rank
    return total / relevant if relevant else 0.0


METRICS: Mapping[str, Metric] = {
    "recall": recall,
    "precision": precision,
    "hit_rate": hit_rate,
    "mrr": reciprocal_rank,
    "ndcg": ndcg,
    "map": average_precision,
}
"""By the name under which they are reported."""


def highest(name: str, labelled: Sequence[int], k: int, level: int = 1) -> float:
    """The most that a metric can be for such labels: below 1 only for precision with fewer relevant passages than k.

    >>> highest("precision", [1], 10), highest("recall", [1], 10)
    (0.1, 1.0)
    """
    return min(1.0, _relevant(labelled, level) / k) if name == "precision" else 1.0


def _relevant(grades: Sequence[int], level: int) -> int:
    return sum(grade >= level for grade in grades)


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1) if grade > 0)
