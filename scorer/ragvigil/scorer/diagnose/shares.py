"""The fall in two parts, what became worse and what is merely asked otherwise, and one set's share of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.views import View
from ragvigil.scorer.estimate.interval import variance_of
from ragvigil.scorer.estimate.wilson import normal_quantile
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Part:
    """A number with its 95 % interval."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Split:
    """The change of the mean outcome from before to after: total = within + mix."""

    total: Part
    """Below 0 for a fall."""
    within: Part
    """What answers with the same attributes lost."""
    mix: Part
    """What other questions than before did: the change of what their attributes make expect."""


def split_of(
    views: tuple[View, ...], conversation: Integers, time: Floats, since: float, begin: float
) -> Split:
    """The change from the records before `since` to those from `begin` on (Unix seconds).

    Kitagawa 1955 (J Am Stat Assoc 50:1168) with a regression on the attributes for his table; intervals are
    cluster-robust, by conversation.
    """
    parts = {name: _Sum(len(time)) for name in ("total", "within", "mix")}
    for view in views:
        early, late = time[view.rows] < since, time[view.rows] >= begin
        for name, before, after in (
            ("total", view.value, view.value),
            ("within", view.value - view.expected, view.value - view.expected),
            ("mix", view.expected, view.expected),
        ):
            parts[name].add(view, late, after, 1.0)
            parts[name].add(view, early, before, -1.0)
    return Split(*(parts[name].shown(conversation) for name in ("total", "within", "mix")))


def share_of(
    views: tuple[View, ...],
    mask: Booleans,
    conversation: Integers,
    time: Floats,
    since: float,
    begin: float,
) -> Part:
    """The masked records' part of the whole change, in [0, 1]: 1 when all of it happened there."""
    total, own = _Sum(len(time)), _Sum(len(time))
    for view in views:
        early, late = time[view.rows] < since, time[view.rows] >= begin
        total.add(view, late, view.value, 1.0)
        total.add(view, early, view.value, -1.0)
        own.add(view, late, (view.value - view.expected) * mask[view.rows], 1.0)
    if total.value >= 0.0:
        return Part(0.0, 0.0, 1.0)
    ratio = own.value / total.value
    influence = (own.influence - ratio * total.influence) / total.value
    half = normal_quantile(_CONFIDENCE) * _error(influence, conversation)
    return Part(*(float(np.clip(one, 0.0, 1.0)) for one in (ratio, ratio - half, ratio + half)))


class _Sum:
    """A sum of weighted means, with the influence of each record on it."""

    def __init__(self, size: int) -> None:
        self.value = 0.0
        self.influence = np.zeros(size)

    def add(self, view: View, rows: Booleans, values: Floats, sign: float) -> None:
        weight = np.where(rows, view.weight, 0.0)
        total = float(weight.sum())
        if total <= 0.0:
            return
        mean = float(weight @ values) / total
        self.value += sign * mean
        self.influence[view.rows] += sign * weight * (values - mean) / total

    def shown(self, conversation: Integers) -> Part:
        half = normal_quantile(_CONFIDENCE) * _error(self.influence, conversation)
        return Part(self.value, max(-1.0, self.value - half), min(1.0, self.value + half))


def _error(influence: Floats, conversation: Integers) -> float:
    clusters = len(np.unique(conversation[influence != 0.0]))
    return float(np.sqrt(variance_of(influence, conversation, max(clusters, 2), _CONFIDENCE)))
