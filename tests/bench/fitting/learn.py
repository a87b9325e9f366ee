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
_SEED = 2025


@dataclass(frozen=True, slots=True)
class Fitted:
    """A logistic regression in the units of its inputs."""

    intercept: float
    weights: Array
    shifts: Array
    """What each source adds to the intercept; the first one's is 0."""

    def mixed(self, other: Fitted, share: float) -> Fitted:
        """This model, and `share` of it replaced by the `other`."""
        return Fitted(
            (1 - share) * self.intercept + share * other.intercept,
            (1 - share) * self.weights + share * other.weights,
            (1 - share) * self.shifts + share * other.shifts,
        )

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
    figures: Array,
    labels: Array,
    weight: Array,
    offset: Array,
    *,
    trees: int,
    rate: float,
    ridge: float,
    share: float,
) -> list[Tree]:
    """Oblivious trees of depth 3 that add to the log-odds `offset`, each a Newton step on what is left.

    Each tree sees a random `share` of the figures, the same every time: so they differ, and their sum errs less.
    """
    random = np.random.default_rng(_SEED)
    cuts = [_cuts(figures[:, place]) for place in range(figures.shape[1])]
    usable = [place for place, cut in enumerate(cuts) if len(cut)]
    binned: list[Places] = [np.searchsorted(cut, figures[:, place]) for place, cut in enumerate(cuts)]
    log_odds, grown = offset.copy(), list[Tree]()
    for _ in range(trees):
        predicted = 1 / (1 + np.exp(-log_odds))
        slope, bend = weight * (labels - predicted), weight * predicted * (1 - predicted)
        drawn = random.choice(usable, max(1, int(share * len(usable))), replace=False)
        seen: list[int] = np.sort(drawn).tolist()
        leaf, chosen = np.zeros(len(labels), dtype=np.int64), list[tuple[int, float]]()
        for level in range(_LEVELS):
            gains = [
                _best_cut(binned[one], leaf, 1 << level, slope, bend, len(cuts[one]), ridge) for one in seen
            ]
            best = int(np.argmax([gain for gain, _ in gains]))
            place, cut = seen[best], gains[best][1]
            chosen.append((place, float(cuts[place][cut])))
            leaf = 2 * leaf + (binned[place] > cut)
        pull = np.bincount(leaf, slope, 1 << _LEVELS)
        values = np.round(rate * pull / (np.bincount(leaf, bend, 1 << _LEVELS) + ridge), 5)
        log_odds += values[leaf]
        (one, above), (two, beyond), (three, over) = chosen
        grown.append(Tree(one, above, two, beyond, three, over, tuple(values.tolist())))
    return grown


def quieter(trees: list[Tree], share: float) -> list[Tree]:
    """Trees that say `share` of what `trees` say."""
    return [tree._replace(values=tuple(round(share * value, 6) for value in tree.values)) for tree in trees]


def level(labels: Array, weight: Array) -> float:
    """The log-odds of the weighted share of `labels` that are 1."""
    share = float(np.average(labels, weights=weight))
    return float(np.log(share / (1 - share)))


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


def _best_cut(
    column: Places, leaf: Places, leaves: int, slope: Array, bend: Array, cuts: int, ridge: float
) -> tuple[float, int]:
    """What the best of the first `cuts` cuts of one figure gains, made in all leaves at once, and which it is."""
    place = leaf * _BINS + column
    below: Array = np.bincount(place, slope, leaves * _BINS).reshape(leaves, _BINS).cumsum(axis=1)
    soft: Array = np.bincount(place, bend, leaves * _BINS).reshape(leaves, _BINS).cumsum(axis=1)
    above, hard = below[:, -1:] - below, soft[:, -1:] - soft
    exact: Array = (below**2 / (soft + ridge) + above**2 / (hard + ridge)).sum(axis=0)
    gains: list[float] = exact[:cuts].round(9).tolist()
    best = max(gains)
    return best, gains.index(best)
