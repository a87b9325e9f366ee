"""Learning: a ridge logistic regression, and trees that add what it cannot say. numpy only, the same every time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.checks.alignment.trees import Tree

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

_BINS = 32
_LEVELS = 3
_STEPS = 50


@dataclass(frozen=True, slots=True)
class Fitted:
    """A logistic regression in the units of its inputs."""

    intercept: float
    weights: Array
    shifts: Array
    """What each source adds to the intercept; the first one's is 0."""

    def log_odds(self, figures: Array, source: Places | None = None) -> Array:
        """Log-odds of each row: as if it were of the first source, unless `source` says of which."""
        shift = 0.0 if source is None else self.shifts[source]
        return self.intercept + figures @ self.weights + shift


def regression(
    figures: Array, labels: Array, weight: Array, source: Places, sources: int, ridge: float
) -> Fitted:
    """A ridge logistic regression by Newton's method, one nuisance intercept for each source but the first."""
    mean = np.average(figures, axis=0, weights=weight)
    scale = np.sqrt(np.average((figures - mean) ** 2, axis=0, weights=weight)) + 1e-9
    further = [place for place in range(1, sources) if (source == place).any()]
    dummies = [(source == place).astype(float) for place in further]
    design = np.column_stack([np.ones(len(figures)), (figures - mean) / scale, *dummies])
    penalty = np.diag([1e-9, *[ridge] * figures.shape[1], *[1e-3] * len(dummies)])
    solution = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        predicted = 1 / (1 + np.exp(-design @ solution))
        gradient = design.T @ (weight * (predicted - labels)) + penalty @ solution
        curvature = (design * (weight * predicted * (1 - predicted))[:, None]).T @ design + penalty
        step = np.linalg.solve(curvature, gradient)
        solution -= step
        if np.abs(step).max() < 1e-9:
            break
    slopes = solution[1 : 1 + figures.shape[1]] / scale
    shifts = np.zeros(sources)
    shifts[further] = solution[1 + figures.shape[1] :]
    return Fitted(float(solution[0] - slopes @ mean), slopes, shifts)


def boost(
    figures: Array, labels: Array, weight: Array, offset: Array, *, trees: int, rate: float, ridge: float
) -> list[Tree]:
    """Oblivious trees of depth 3 that add to the log-odds `offset`, each a Newton step on what is left."""
    cuts = [_cuts(figures[:, place]) for place in range(figures.shape[1])]
    binned: Places = np.column_stack(
        [np.searchsorted(cut, figures[:, place]) for place, cut in enumerate(cuts)]
    )
    first: Places = np.arange(figures.shape[1], dtype=np.int64) * _BINS
    flat = binned + first
    log_odds, grown = offset.copy(), list[Tree]()
    for _ in range(trees):
        predicted = 1 / (1 + np.exp(-log_odds))
        slope, bend = weight * (labels - predicted), weight * predicted * (1 - predicted)
        leaf, chosen = np.zeros(len(labels), dtype=np.int64), list[tuple[int, float]]()
        for _ in range(_LEVELS):
            place, cut = _split(flat, leaf, 1 << len(chosen), slope, bend, cuts, ridge)
            chosen.append((place, float(cuts[place][cut])))
            leaf = 2 * leaf + (binned[:, place] > cut)
        pull = np.bincount(leaf, slope, 1 << _LEVELS)
        values = np.round(rate * pull / (np.bincount(leaf, bend, 1 << _LEVELS) + ridge), 4)
        log_odds += values[leaf]
        (one, above), (two, beyond), (three, over) = chosen
        grown.append(Tree(one, above, two, beyond, three, over, tuple(values.tolist())))
    return grown


def grown_log_odds(trees: list[Tree], figures: Array) -> Array:
    """What `trees` add for each row."""
    total = np.zeros(len(figures))
    for tree in trees:
        leaf = (
            4 * (figures[:, tree.first] > tree.first_above)
            + 2 * (figures[:, tree.second] > tree.second_above)
            + (figures[:, tree.third] > tree.third_above)
        )
        total += np.array(tree.values)[leaf]
    return total


def _cuts(column: Array) -> Array:
    """Thresholds between values, at most one fewer than there are bins, rounded so that they can be written down."""
    values = np.unique(column)
    if len(values) > _BINS:
        values = np.unique(np.quantile(column, np.linspace(0, 1, _BINS)))
    middles = (values[1:] + values[:-1]) / 2
    return np.unique(np.round(middles, 5))


def _split(
    flat: Places, leaf: Places, leaves: int, slope: Array, bend: Array, cuts: list[Array], ridge: float
) -> tuple[int, int]:
    """The figure and the cut that, in all leaves at once, leave the least to say."""
    columns = flat.shape[1]
    index = (flat + (leaf * columns * _BINS)[:, None]).ravel()
    shape = (leaves, columns, _BINS)
    pull = np.bincount(index, np.repeat(slope, columns), leaves * columns * _BINS).reshape(shape)
    stiff = np.bincount(index, np.repeat(bend, columns), leaves * columns * _BINS).reshape(shape)
    below, soft = pull.cumsum(axis=2), stiff.cumsum(axis=2)
    whole, all_bend = below[:, :, -1:], soft[:, :, -1:]
    gain: Array = (below**2 / (soft + ridge) + (whole - below) ** 2 / (all_bend - soft + ridge)).sum(axis=0)
    for place, cut in enumerate(cuts):
        gain[place, len(cut) :] = -1.0
    best = int(np.round(gain, 9).argmax())
    return best // _BINS, best % _BINS
