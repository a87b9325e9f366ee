"""Where the fall is: the values of dimensions that explain it best, and whether one of them surely does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragvigil.scorer.diagnose.evidence import Evidence
from ragvigil.scorer.diagnose.gain import gain_curve
from ragvigil.scorer.diagnose.grid import Grid
from ragvigil.scorer.diagnose.onset import missing, onset_of
from ragvigil.scorer.diagnose.views import View
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

Kind = Literal["new", "segment", "everywhere", "unclear"]

TIE = 2.0
"""Nats that two explanations may lie apart and count as equally good."""
_SAME = 0.9
"""Overlap (Jaccard) above which two sets of answers are the same."""
_PAIR = 6.0
"""Nats by which two values together must beat one: there are some hundreds of pairs, and e^6 is 400."""
_LEAST_GAIN = 6.0
_LEAST_RECORDS = 15
_ALPHA = 0.02
_ALPHA_NEW = 0.05
"""Of values that appeared just when the answers fell: that they did so speaks against them already."""
_DRAWS = 199
_SLACK_SECONDS = 300.0
_EARLY = 0.05
_NEVER_WELL = 0.999
_SEED = 20_260_301
_CONSIDERED = 12
ALMOST_ALL = 0.9
"""Share of all answers from which on a value is on so many that no rest is left to hold it against."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """One value of one dimension, or two values together, since one moment."""

    values: tuple[tuple[str, str], ...]
    """(dimension, value)."""
    gain: float
    """Nats by which a fall there is likelier than none."""
    begin: float
    """Moment of the grid from which it gains most, Unix seconds."""
    first_seen: float | None
    """When a value of it appeared, if its answers were never well; None where it was there before."""
    p: float
    """Probability that any set falls that much more than the rest where none is at fault (max-T); 1 where it cannot."""
    same_as: tuple[tuple[str, str], ...] = ()
    """Values of other dimensions that cannot be told from it: they mark the same answers."""


@dataclass(frozen=True, slots=True)
class Located:
    """The conclusion, and what it was chosen from."""

    kind: Kind
    """`new`: a value that appeared; `segment`: one that was there; `everywhere`: no set fell more than the rest;
    `unclear`: the records do not show a fall."""
    suspects: tuple[Suspect, ...]
    """Likeliest first; with `new` and `segment` the first is named as the cause."""
    begin: float
    """From which moment the conclusion holds, Unix seconds."""


def locate(evidence: Evidence, views: tuple[View, ...], grid: Grid) -> Located:
    """Rank every value of every dimension, and judge the first."""
    if not len(grid.moments):
        return Located("unclear", (), float(evidence.time[-1]) if evidence.size else 0.0)
    gains = grid.gains()
    best = gains.argmax(axis=1)
    top = gains[np.arange(len(best)), best]
    moments = grid.moments[best]
    order = [int(one) for one in np.argsort(-top, kind="stable") if one and top[one] > 0.0]
    order = [one for one in order if _large(evidence, grid, one, float(moments[one]))][: 2 * _CONSIDERED]
    fresh = {one: _appeared(evidence, views, grid, one) for one in order}
    # What nearly every answer had before as well says no more than "everywhere".
    order = [one for one in order if fresh[one] is not None or not _common(evidence, grid, one, moments[one])]
    order = order[:_CONSIDERED]
    p = _adjusted(grid, best, [one for one in order if fresh[one] is not None])
    found = [
        Suspect(
            (_value(evidence, grid, one),), float(top[one]), float(moments[one]), fresh[one], float(p[one])
        )
        for one in order
    ]
    ranked = _pairs(evidence, views, _ordered(evidence, found))
    kind = _kind(evidence, ranked, float(top[0]), float(np.log(len(grid.sets) * len(grid.moments) / _ALPHA)))
    if kind in ("new", "segment"):
        ranked = [_named(evidence, ranked), *ranked[1:]]
    return Located(kind, tuple(ranked), ranked[0].begin if kind in ("new", "segment") else float(moments[0]))


def _adjusted(grid: Grid, best: Integers, fresh: Sequence[int]) -> Floats:
    """p of each set, by the highest null gain of its family: the few values that just appeared, or all sets."""
    contrast, null = grid.contrast(best, _DRAWS, np.random.default_rng(_SEED))
    highest = np.tile(null[:, 1:].max(axis=1, initial=0.0)[:, None], null.shape[1])
    if fresh:
        highest[:, fresh] = null[:, fresh].max(axis=1)[:, None]
    beaten: Floats = (highest >= contrast).sum(axis=0).astype(np.float64)
    return (1.0 + beaten) / (1.0 + len(null))


def _value(evidence: Evidence, grid: Grid, place: int) -> tuple[str, str]:
    number, code = grid.sets[place]
    return evidence.dimensions[number].name, evidence.dimensions[number].values[code]


def mask_of(evidence: Evidence, suspect: Suspect) -> Booleans:
    """Which records have all the suspect's values."""
    mask = np.ones(evidence.size, dtype=np.bool_)
    for name, value in suspect.values:
        dimension = next(one for one in evidence.dimensions if one.name == name)
        mask &= dimension.codes == dimension.values.index(value)
    return mask


def _appeared(evidence: Evidence, views: tuple[View, ...], grid: Grid, place: int) -> float | None:
    """When the value appeared; None when it may have been there before, or was well before its answers fell."""
    number, code = grid.sets[place]
    mask = evidence.dimensions[number].codes == code
    seen = float(evidence.time[np.flatnonzero(mask)[0]])
    start, first = float(evidence.time[0]), float(grid.moments[0])
    if seen <= start + _EARLY * (first - start) or _from_the_start(evidence, mask, seen):
        return None
    onset = onset_of(views, mask, evidence, min(first, seen), confidence=_NEVER_WELL)
    return seen if seen >= onset.lower - _SLACK_SECONDS else None


def _from_the_start(evidence: Evidence, mask: Booleans, seen: float) -> bool:
    """Whether so little came before its first answer that a value of its share may all that time have been there."""
    if not np.any(evidence.time < seen):
        return True
    begun, unseen = missing(evidence, mask, seen)
    return len(begun) <= unseen


def _large(evidence: Evidence, grid: Grid, place: int, begin: float) -> bool:
    number, code = grid.sets[place]
    return (
        int(((evidence.dimensions[number].codes == code) & (evidence.time >= begin)).sum()) >= _LEAST_RECORDS
    )


def _common(evidence: Evidence, grid: Grid, place: int, begin: float) -> bool:
    number, code = grid.sets[place]
    late = evidence.everyone & (evidence.time >= begin)
    return bool(late.any()) and float((evidence.dimensions[number].codes == code)[late].mean()) >= ALMOST_ALL


def _ordered(evidence: Evidence, found: list[Suspect]) -> list[Suspect]:
    """By gain; among those that mark the same answers a new value before an old one, then the smaller set."""
    ranked = list(found)
    for place in range(min(3, len(ranked))):
        here = ranked[place]
        equal = [one for one in ranked[place:] if one.gain >= here.gain - TIE and _same(evidence, here, one)]
        first = min(equal, key=lambda one: (one.first_seen is None, _count(evidence, one), one.values))
        ranked.remove(first)
        ranked.insert(place, first)
    return ranked


def _named(evidence: Evidence, ranked: Sequence[Suspect]) -> Suspect:
    """The first with those that cannot be told from it."""
    first = ranked[0]
    others = tuple(
        one.values[0]
        for one in ranked[1:]
        if len(one.values) == 1
        and one.values[0] not in first.values
        and (one.first_seen is None) == (first.first_seen is None)
        and one.gain >= first.gain - TIE
        and _same(evidence, first, one)
    )
    return Suspect(first.values, first.gain, first.begin, first.first_seen, first.p, others)


def _kind(evidence: Evidence, ranked: list[Suspect], everywhere: float, least: float) -> Kind:
    """`least` is what a value that was there before must gain, since it and its moment were chosen among many."""
    if max([everywhere, *(one.gain for one in ranked[:1])]) < _LEAST_GAIN:
        return "unclear"
    if not ranked or ranked[0].gain < everywhere - TIE:
        return "everywhere"
    first = ranked[0]
    late = evidence.time >= max(first.begin, first.first_seen or first.begin)
    share = float(mask_of(evidence, first)[late & evidence.everyone].mean())
    if first.first_seen is not None:
        apart = first.p <= _ALPHA_NEW or first.gain >= everywhere + TIE
        return "new" if share >= ALMOST_ALL or apart else "everywhere"
    concentrated = first.gain >= max(least, everywhere + TIE) and share < ALMOST_ALL
    sure = first.p <= _ALPHA and concentrated
    return "segment" if sure else "everywhere"


def _pairs(evidence: Evidence, views: tuple[View, ...], ranked: list[Suspect]) -> list[Suspect]:
    """Put two values together in front where they explain much more than the best one alone."""
    if not ranked:
        return ranked
    best: Suspect | None = None
    for one in ranked[:4]:
        inside = mask_of(evidence, one)
        size = int((inside & (evidence.time >= one.begin)).sum())
        for dimension in evidence.dimensions:
            if dimension.name == one.values[0][0]:
                continue
            for code in range(len(dimension.values)):
                both = inside & (dimension.codes == code)
                count = int((both & (evidence.time >= one.begin)).sum())
                if not _LEAST_RECORDS <= count <= 0.8 * size:
                    continue
                gain = float(gain_curve(views, both, evidence.time, np.array([one.begin]))[0])
                if gain > max(ranked[0].gain, 0.0 if best is None else best.gain) + (
                    _PAIR if best is None else 0.0
                ):
                    values = tuple(sorted((*one.values, (dimension.name, dimension.values[code]))))
                    best = Suspect(values, gain, one.begin, one.first_seen, one.p)
    return ranked if best is None else [best, *ranked]


def _same(evidence: Evidence, one: Suspect, other: Suspect) -> bool:
    late = evidence.time >= max(one.first_seen or 0.0, other.first_seen or 0.0, min(one.begin, other.begin))
    first, second = mask_of(evidence, one)[late], mask_of(evidence, other)[late]
    either = int((first | second).sum())
    return either > 0 and int((first & second).sum()) >= _SAME * either


def _count(evidence: Evidence, suspect: Suspect) -> int:
    return int((mask_of(evidence, suspect) & (evidence.time >= suspect.begin)).sum())
