"""Failure tags that grew: their rates before and after, with the false discovery rate held over all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ragvigil.scorer.estimate import Estimate, difference, rate
from ragvigil.scorer.estimate.window import Booleans
from ragvigil.scorer.monitoring import Sums

_FALSE_DISCOVERIES = 0.05
_CONFIDENCE = 0.95
_MATERIAL = 0.01
_LEADS = 0.5
"""Share of the largest growth that a tag needs to lead as well."""


@dataclass(frozen=True, slots=True)
class Grown:
    """A tag that is on more of the answers than before."""

    tag: str
    before: float
    after: float
    lower: float
    """95 % interval of the difference, after - before."""
    upper: float
    n_before: int
    n_after: int


def grown(tags: Mapping[str, Booleans], before: Booleans, after: Booleans) -> tuple[Grown, ...]:
    """The tags that grew by a point at least, the one that grew most first.

    Tests of two proportions under Benjamini & Hochberg's rule at 5 % (1995, J R Stat Soc B 57:289); intervals are
    Newcombe's.
    """
    found: list[tuple[float, Grown]] = []
    for tag, has in tags.items():
        old, new = _rate(has[before]), _rate(has[after])
        if old is None or new is None:
            continue
        moved = difference(old, new, confidence=_CONFIDENCE)
        one = Grown(tag, old.value, new.value, moved.lower, moved.upper, old.n_judged, new.n_judged)
        found.append((_p(old, new), one))
    allowed = benjamini_hochberg([p for p, _ in found], _FALSE_DISCOVERIES)
    kept = [
        one
        for (_, one), fine in zip(found, allowed, strict=True)
        if fine and one.after - one.before >= _MATERIAL
    ]
    return tuple(sorted(kept, key=lambda one: one.before - one.after))


def leading(tags: Sequence[Grown]) -> set[str]:
    """Those of `tags`, the one that grew most first, that grew half as much as it at least: what to mend first."""
    return {one.tag for one in tags if one.after - one.before >= _LEADS * (tags[0].after - tags[0].before)}


def benjamini_hochberg(p: list[float], rate: float) -> list[bool]:
    """Which hypotheses are rejected so that the expected share of false ones among them stays under `rate`.

    >>> benjamini_hochberg([0.001, 0.5, 0.02], 0.05)
    [True, False, True]
    """
    order = sorted(range(len(p)), key=lambda place: p[place])
    last = max((n for n, place in enumerate(order, start=1) if p[place] <= rate * n / len(p)), default=0)
    chosen = set(order[:last])
    return [place in chosen for place in range(len(p))]


def _rate(has: Booleans) -> Estimate | None:
    n, k = len(has), float(np.count_nonzero(has))
    return rate(Sums(n, float(n), k, float(n), k, k))


def _p(old: Estimate, new: Estimate) -> float:
    """One-sided: that it is no higher now."""
    pooled = (old.value * old.n_judged + new.value * new.n_judged) / (old.n_judged + new.n_judged)
    error = float(np.sqrt(max(pooled * (1.0 - pooled), 1e-9) * (1.0 / old.n_judged + 1.0 / new.n_judged)))
    return 1.0 - NormalDist().cdf((new.value - old.value) / error)
