"""Which signal tells an unfaithful answer: odds ratios and AUROC with intervals, held against all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np

from ragvigil.scorer.estimate.interval import variance_of
from ragvigil.scorer.estimate.wilson import normal_quantile
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers
from ragvigil.scorer.signals.turns import Signals

CONFIDENCE = 0.95
_FEWEST = 20
"""Judged answers with the signal, and without."""
_HALF = 0.5

Measure = Literal["odds_ratio", "auroc"]


@dataclass(frozen=True, slots=True)
class Telling:
    """What one signal says of faithfulness in this service."""

    signal: str
    measure: Measure
    value: float | None
    """Odds ratio of unfaithful with the signal against without, or AUROC; None with too few answers."""
    lower: float | None
    upper: float | None
    n: int
    """Judged answers of which the signal is known."""
    n_with: int
    """Of these, with the signal; for session length, unfaithful ones."""
    p: float | None
    """Two-sided, adjusted for all signals that were tested (Holm 1979)."""

    @property
    def tells(self) -> bool:
        """Whether it surely goes with unfaithful answers."""
        worse = 1.0 if self.measure == "odds_ratio" else _HALF
        return self.p is not None and self.p < 1.0 - CONFIDENCE and (self.value or 0.0) > worse


def telling(
    signals: Sequence[Signals], unfaithful: Floats, weight: Floats, conversation: Integers
) -> tuple[Telling, ...]:
    """Of the judged answers (`unfaithful` 1 or 0, `weight` 1 / inclusion), one entry for each signal.

    Intervals are linearised and robust to conversations (records of one are not independent).
    """
    found: list[Telling] = []
    for name in ("thumbs_down", "rephrased", "followed_up"):
        values = np.array([_number(getattr(one, name)) for one in signals], dtype=np.float64)
        known = np.isfinite(values)
        found.append(_odds(name, values[known] > 0.0, unfaithful[known], weight[known], conversation[known]))
    lengths = np.array([_number(one.session_length) for one in signals], dtype=np.float64)
    known = np.isfinite(lengths)
    found.append(_auroc(lengths[known], unfaithful[known], weight[known], conversation[known]))
    return _holm(found)


def _odds(name: str, has: Booleans, bad: Floats, weight: Floats, conversation: Integers) -> Telling:
    n, n_with = len(has), int(has.sum())
    if min(n_with, n - n_with) < _FEWEST:
        return Telling(name, "odds_ratio", None, None, None, n, n_with, None)
    scale = weight / weight.mean()
    cells = np.array(
        [[float(scale[(has == x) & (bad == y)].sum()) for y in (1.0, 0.0)] for x in (True, False)]
    )
    cells += _HALF  # Haldane: an empty cell is no certainty
    log = float(np.log(cells[0, 0] * cells[1, 1] / (cells[0, 1] * cells[1, 0])))
    sign = np.where(has == (bad > 0.0), 1.0, -1.0)
    row, column = np.where(has, 0, 1), np.where(bad > 0.0, 0, 1)
    influence = sign * scale / cells[row, column]
    groups = np.unique(conversation, return_inverse=True)[1]
    error = float(np.sqrt(variance_of(influence, groups, max(2, int(groups.max()) + 1), CONFIDENCE)))
    error = max(error, float(np.sqrt((1.0 / cells).sum())))
    half = normal_quantile(CONFIDENCE) * error
    low, high = np.exp(log - half), np.exp(log + half)
    return Telling(
        name, "odds_ratio", float(np.exp(log)), float(low), float(high), n, n_with, _p(log / error)
    )


def _auroc(length: Floats, bad: Floats, weight: Floats, conversation: Integers) -> Telling:
    """Probability that an unfaithful answer stands in the longer conversation, ties counting one half.

    The influence of each answer is its mean placement among the others (DeLong, DeLong & Clarke-Pearson 1988, with
    placements summed by conversation as in Obuchowski 1997).
    """
    name, n, n_bad = "session_length", len(length), int(bad.sum())
    if min(n_bad, n - n_bad) < _FEWEST or len(np.unique(length)) < 2:
        return Telling(name, "auroc", None, None, None, n, n_bad, None)
    is_bad = bad > 0.0
    over = _placement(length, length[~is_bad], weight[~is_bad])
    under = 1.0 - _placement(length, length[is_bad], weight[is_bad])
    total_bad, total_good = float(weight[is_bad].sum()), float(weight[~is_bad].sum())
    mine = weight / np.where(is_bad, total_bad, total_good)
    value = float((mine * over)[is_bad].sum())
    influence = mine * (np.where(is_bad, over, under) - value)
    groups = np.unique(conversation, return_inverse=True)[1]
    error = float(np.sqrt(variance_of(influence, groups, max(2, int(groups.max()) + 1), CONFIDENCE)))
    half = normal_quantile(CONFIDENCE) * error
    return Telling(
        name,
        "auroc",
        value,
        max(0.0, value - half),
        min(1.0, value + half),
        n,
        n_bad,
        _p((value - _HALF) / max(error, 1e-9)),
    )


def _placement(values: Floats, others: Floats, weight: Floats) -> Floats:
    """The weighted share of `others` below each value, those that equal it counting one half."""
    order = np.argsort(others, kind="stable")
    ranked, sums = others[order], np.concatenate([[0.0], np.cumsum(weight[order])])
    below = sums[np.searchsorted(ranked, values, side="left")]
    through = sums[np.searchsorted(ranked, values, side="right")]
    placed: Floats = (below + through) / 2.0 / sums[-1]
    return placed


def _holm(found: Sequence[Telling]) -> tuple[Telling, ...]:
    tested = sorted((one.p, place) for place, one in enumerate(found) if one.p is not None)
    adjusted: dict[int, float] = {}
    highest = 0.0
    for rank, (p, place) in enumerate(tested):
        highest = max(highest, min(1.0, p * (len(tested) - rank)))
        adjusted[place] = highest
    return tuple(replace(one, p=adjusted.get(place)) for place, one in enumerate(found))


def _p(z: float) -> float:
    return 2.0 * (1.0 - NormalDist().cdf(abs(z)))


def _number(value: bool | float | None) -> float:
    return np.nan if value is None else float(value)
