"""How many labels an interval of a wanted width takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.confusion import Side, four_shares, part
from ragvigil.scorer.estimate.interval import DRAWS, SEED, quantiles
from ragvigil.scorer.estimate.strata import BINS, FLOOR, Strata, neyman
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers, Window, sums, whole_numbers

Figure = Literal["level", "sensitivity", "specificity", "agreement"]

_CODES = 2 * BINS


@dataclass(frozen=True, slots=True)
class Plan:
    """What it takes to know one figure so well."""

    figure: Figure
    width: float
    """Wanted, of the whole interval."""
    labels: int
    """Labels that are there."""
    more: int | None
    """Further labels; None when even all judged answers of the window would not do."""
    narrowest: float
    """The width with all of them labelled: only more judged answers make it narrower."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is known of the strata: verdict · 4 + bin of the cheap score."""

    weight: Floats
    """Traffic that each stands for."""
    bad: Floats
    """Rate of unfaithful answers, never quite 0 or 1."""
    available: Floats
    """Judged answers in it."""
    effective: float
    """Judged answers of equal weight that would know as much of the strata's shares."""

    def allocated(self, total: int) -> Floats:
        """Labels of each stratum, as `next_labels` would share them out."""
        return neyman(self.weight, self.bad, total, floor=FLOOR, most=self.available)


def labels_for(
    data: Window,
    strata: Strata,
    truth: ArrayLike,
    *,
    width: float,
    now: float,
    figure: Figure = "level",
    confidence: float = 0.95,
) -> Plan:
    """How many labels beside those of `truth` bring the interval of `figure` from the width `now` to `width`.

    The width is computed for a share of labels as Neyman would give them, with the rates seen so far ((k + 1/3) /
    (m + 5/6), so that a clean stratum is not taken for a perfect one), times what `now` is to that computation for
    the labels there are. The part that comes from sampling the judged answers stays.
    """
    truths = whole_numbers("truth", truth)
    member = (strata.code >= 0) & (strata.code < _CODES)
    labelled = member & (truths >= 0)
    shape = _shape(data, strata, truths, labelled)
    have, most = int(labelled.sum()), int(member.sum())
    counted = sums(strata.code[labelled], np.ones(have), _CODES)
    scale = now / max(_width(shape, np.maximum(counted, 0.5), figure, confidence), 1e-9)
    narrowest = scale * _width(shape, np.maximum(shape.available, 0.5), figure, confidence)
    if now <= width:
        return Plan(figure, width, have, 0, min(narrowest, now))
    if narrowest > width:
        return Plan(figure, width, have, None, narrowest)
    low, high = have, most
    while high - low > 1:
        middle = (low + high) // 2
        if scale * _width(shape, shape.allocated(middle), figure, confidence) > width:
            low = middle
        else:
            high = middle
    return Plan(figure, width, have, high - have, narrowest)


def _shape(data: Window, strata: Strata, truths: Integers, labelled: Booleans) -> _Shape:
    member = (strata.code >= 0) & (strata.code < _CODES)
    own = 1.0 / data.inclusion[member]
    seen = sums(strata.code[labelled], np.ones(int(labelled.sum())), _CODES)
    bad = sums(strata.code[labelled], (truths[labelled] == 0).astype(np.float64), _CODES)
    return _Shape(
        sums(strata.code[member], own, _CODES),
        (bad + 1.0 / 3.0) / (seen + 5.0 / 6.0),
        sums(strata.code[member], np.ones(int(member.sum())), _CODES),
        float(own.sum()) ** 2 / float(own @ own),
    )


def _width(shape: _Shape, labels: Floats, figure: Figure, confidence: float) -> float:
    """The width of the interval with so many labels in each stratum."""
    random = np.random.default_rng(SEED)
    p = float(shape.weight[BINS:].sum() / shape.weight.sum())
    failed = _side(shape, labels, slice(0, BINS), 1.0 - shape.bad)
    passed = _side(shape, labels, slice(BINS, _CODES), shape.bad)
    n = shape.effective
    sample = four_shares(
        random.beta(n * p + 0.5, n * (1.0 - p) + 0.5, DRAWS), failed.drawn(random), passed.drawn(random)
    )
    drawn = {
        "level": lambda: sample[0] + sample[1],
        "sensitivity": lambda: part(sample[0], sample[1]),
        "specificity": lambda: part(sample[2], sample[3]),
        "agreement": lambda: sample[0] + sample[2],
    }[figure]()
    lower, upper = quantiles(drawn, confidence, lowest=0.0, highest=1.0)
    return upper - lower


def _side(shape: _Shape, labels: Floats, which: slice, wrong: Floats) -> Side:
    weight, rate, count = shape.weight[which], wrong[which], labels[which]
    used = (weight > 0.0) & (count > 0.0)
    weight, rate, count = weight[used], rate[used], count[used]
    if not len(weight):
        return Side(0.5, 0.25, 0.5)
    share = weight / weight.sum()
    level = float(share @ rate)
    judged = shape.effective * float(weight.sum() / shape.weight.sum())
    of_labels = float((share**2 * rate * (1.0 - rate) / count).sum())
    of_traffic = float(share @ (rate - level) ** 2) / max(judged, 1.0)
    return Side(level, of_labels + of_traffic, float((share / count).mean()))
