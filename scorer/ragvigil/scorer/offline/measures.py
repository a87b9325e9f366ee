"""How good scores are; positive = unsupported, and a higher score means less supported.

F1, macro-F1 and balanced accuracy take labels, 0 or 1, or the probability of 1 for each row: then they are what is to
be expected, as the ratio of expectations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.estimate.logistic import chances, logistic

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
_CANDIDATES = 201
"""Quantiles of the scores that are tried as thresholds."""
_NEARLY_SURE = 1e-4
"""What a score of 0 counts as, so that its log-odds have an end."""
_RIDGE = 1e-3


def auroc(positive: Array, score: Array) -> float:
    """Probability that a positive scores above a negative, ties one half (Mann-Whitney)."""
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positives = positive.sum()
    return float(
        (rank[positive == 1].sum() - positives * (positives + 1) / 2) / (positives * (len(score) - positives))
    )


def f1(positive: Array, flagged: Flags) -> float:
    """Harmonic mean of precision and recall of the positives."""
    return float(2 * positive[flagged].sum() / max(1, flagged.sum() + positive.sum()))


def macro_f1(positive: Array, flagged: Flags) -> float:
    """Mean of the F1 of either class."""
    return (f1(positive, flagged) + f1(1 - positive, ~flagged)) / 2


def balanced_accuracy(positive: Array, flagged: Flags) -> float:
    """Mean of the recalls of either class, or the recall of the only one there is."""
    classes = ((positive, flagged), (1 - positive, ~flagged))
    return float(np.mean([one[found].sum() / one.sum() for one, found in classes if one.any()]))


def threshold(positive: Array, score: Array, measure: Callable[[Array, Flags], float]) -> float:
    """The score, in [0, 1], from which to flag for the best `measure` that is to be expected.

    That is the best for the probabilities of the labels, not for the labels, whose noise it would follow: a plug-in
    rule (Koyejo et al., "Consistent binary classification with generalized performance metrics", NeurIPS 2014).
    """
    expected = _probability(positive, score)
    candidates = np.unique(np.quantile(score, np.linspace(0, 1, _CANDIDATES)))
    return float(candidates[np.argmax([measure(expected, score >= one) for one in candidates])])


def _probability(positive: Array, score: Array) -> Array:
    """Of each row to be positive, by a logistic regression on the log-odds of its score (Platt, 1999).

    Each slope has a ridge of 0.001, so that a score without mistakes has an end.
    """
    inside = np.clip(score, _NEARLY_SURE, 1 - _NEARLY_SURE)
    design = np.column_stack([np.ones_like(inside), np.log(inside / (1 - inside))])
    return chances(design, logistic(design, positive, np.ones_like(inside), np.full(2, _RIDGE)))


def calibration_error(positive: Array, score: Array) -> float:
    """Expected calibration error over ten equally wide bins."""
    bins = np.minimum((score * 10).astype(int), 9)
    gaps = [
        (bins == one).mean() * abs(score[bins == one].mean() - positive[bins == one].mean())
        for one in np.unique(bins)
    ]
    return float(sum(gaps))


def within(positive: Array, score: Array, kind: Sequence[str]) -> float:
    """AUROC over the pairs of one kind only, such as answers of one model to one task."""
    won = pairs = 0.0
    labels = np.array(kind)
    for one in np.unique(labels):
        chosen = labels == one
        count = float(positive[chosen].sum() * (1 - positive[chosen]).sum())
        if count:
            won += count * auroc(positive[chosen], score[chosen])
            pairs += count
    return won / pairs


def interval(
    measure: Callable[[npt.NDArray[np.int64]], float], group: Sequence[str], draws: int = 500
) -> tuple[float, float]:
    """The middle 95 % of `measure` over draws of whole groups with replacement; it gets the rows drawn."""
    _, inverse = np.unique(np.array(group), return_inverse=True)
    members: list[npt.NDArray[np.int64]] = [
        np.flatnonzero(inverse == one) for one in range(inverse.max() + 1)
    ]
    source = np.random.default_rng(7)
    draw = [source.integers(0, len(members), len(members)).tolist() for _ in range(draws)]
    seen = [measure(np.concatenate([members[int(one)] for one in drawn])) for drawn in draw]
    return float(np.quantile(seen, 0.025)), float(np.quantile(seen, 0.975))
