"""How good scores are; positive = unsupported, and a higher score means less supported."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
_SMOOTHED = 9


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
    return float(2 * (flagged & (positive == 1)).sum() / max(1, flagged.sum() + positive.sum()))


def macro_f1(positive: Array, flagged: Flags) -> float:
    """Mean of the F1 of either class."""
    return (f1(positive, flagged) + f1(1 - positive, ~flagged)) / 2


def balanced_accuracy(positive: Array, flagged: Flags) -> float:
    """Mean of the recalls of either class."""
    return float((flagged[positive == 1].mean() + (~flagged)[positive == 0].mean()) / 2)


def threshold(positive: Array, score: Array, measure: Callable[[Array, Flags], float]) -> float:
    """The score from which to flag for the best `measure`, its curve smoothed over neighbouring thresholds."""
    candidates = np.unique(np.quantile(score, np.linspace(0, 1, 201)))
    curve = np.array([measure(positive, score >= one) for one in candidates])
    wide = np.pad(curve, _SMOOTHED // 2, mode="edge")
    return float(candidates[np.convolve(wide, np.ones(_SMOOTHED) / _SMOOTHED, "valid").argmax()])


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
