"""How far people who label the same items agree: Cohen's kappa and Krippendorff's alpha, with intervals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ragvigil.scorer.estimate.interval import SEED
from ragvigil.scorer.estimate.result import FEWEST, Estimate, Refusal, too_few
from ragvigil.scorer.estimate.wilson import checked, wilson
from ragvigil.scorer.estimate.window import Floats, Integers, whole_numbers

_RESAMPLES = 2_000
_RESAMPLES_A_TURN = 200
"""So that thousands of items take little memory."""
_Coefficient = Callable[[Floats], tuple[Floats, Floats]]


def cohen_kappa(
    first: ArrayLike, second: ArrayLike, *, kinds: int, confidence: float = 0.95
) -> Estimate | Refusal:
    """κ = (po - pe) / (1 - pe) of two annotators (Cohen 1960), with a bootstrap interval by item.

    Each row holds a kind 0 … kinds-1 of every item, -1 where that annotator gave none; only items that both
    labelled count. A Refusal below 20 of them, and where only one kind was ever used: chance then explains all.

    >>> one = [0] * 45 + [1] * 15 + [0] * 25 + [1] * 15
    >>> other = [0] * 45 + [0] * 15 + [1] * 25 + [1] * 15
    >>> round(cohen_kappa(one, other, kinds=2).value, 4)
    0.1304
    """
    a, b = whole_numbers("first", first), whole_numbers("second", second)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError("first and second must be two rows of one length")
    both = (a >= 0) & (b >= 0)
    tables = np.zeros((int(both.sum()), kinds, kinds))
    tables[np.arange(len(tables)), a[both], b[both]] = 1.0
    return _beyond_chance(tables, _kappa, "cohen-kappa", len(a), confidence)


def krippendorff_alpha(labels: ArrayLike, *, kinds: int, confidence: float = 0.95) -> Estimate | Refusal:
    """1 - Do / De for nominal labels (Krippendorff 2011), with a bootstrap interval by item.

    `labels` is items x annotators of kinds 0 … kinds-1, -1 where there is none; items with a single label say
    nothing of agreement and are left out. Any number of annotators, each with gaps of their own. A Refusal as for
    `cohen_kappa`.

    >>> example = [[0, 1], [1, 1], [0, 1], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]] * 2
    >>> round(krippendorff_alpha(example, kinds=2).value, 4), round(1 - 39 * 8 / (28 * 12), 4)
    (0.0714, 0.0714)
    """
    given = whole_numbers("labels", labels)
    if given.ndim != 2:
        raise ValueError("labels must be items x annotators")
    counts = np.stack([(given == kind).sum(axis=1) for kind in range(kinds)], axis=1).astype(np.float64)
    many = counts.sum(axis=1) >= 2
    counts = counts[many]
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= np.eye(kinds)[None] * counts[:, :, None]
    tables = pairs / (counts.sum(axis=1) - 1.0)[:, None, None]
    return _beyond_chance(tables, _alpha, "krippendorff-alpha", len(given), confidence)


def _kappa(table: Floats) -> tuple[Floats, Floats]:
    """(coefficient, expected disagreement) of tables (…, kinds, kinds)."""
    total = table.sum(axis=(-2, -1))
    observed = np.trace(table, axis1=-2, axis2=-1) / total
    expected = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1) / total**2
    return _share(observed, expected), 1.0 - expected


def _alpha(table: Floats) -> tuple[Floats, Floats]:
    """The same of sums of coincidences; expected without an item paired with itself."""
    total = table.sum(axis=(-2, -1))
    observed = np.trace(table, axis1=-2, axis2=-1) / total
    kinds = table.sum(axis=-1)
    expected = (kinds * (kinds - 1.0)).sum(axis=-1) / (total * (total - 1.0))
    return _share(observed, expected), 1.0 - expected


def _share(observed: Floats, expected: Floats) -> Floats:
    """(observed - expected) / (1 - expected); NaN where chance explains everything."""
    room = 1.0 - expected
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(room > 1e-12, (observed - expected) / room, np.nan)


def _beyond_chance(
    tables: Floats, coefficient: _Coefficient, method: str, items: int, confidence: float
) -> Estimate | Refusal:
    n = len(tables)
    if n < FEWEST:
        return too_few(n, items, what="items with two labels")
    value, room = (float(one) for one in coefficient(tables.sum(axis=0)))
    if np.isnan(value):
        return Refusal(
            "one_label_only", "everybody gave every item the same label: chance explains it", n, items
        )
    found = _resampled(tables, coefficient)
    tail = 0.5 - checked(confidence) / 2.0
    lower, upper = (float(limit) for limit in np.nanquantile(found, [tail, 1.0 - tail]))
    if upper - lower < 1e-9:
        # Nobody ever disagreed, so no resample does: as far as so many items can tell (Wilson).
        lower = 1.0 - (1.0 - wilson(1.0, n, confidence=confidence)[0]) / room
    return Estimate(
        value,
        min(max(lower, -1.0), value),
        max(min(upper, 1.0), value),
        n,
        items,
        float(n),
        confidence,
        f"{method}-bootstrap",
    )


def _resampled(tables: Floats, coefficient: _Coefficient) -> Floats:
    """The coefficient of resamples of the items."""
    random = np.random.default_rng(SEED)
    size, kinds = len(tables), tables.shape[-1]
    flat = tables.reshape(size, kinds * kinds)
    found: list[Floats] = []
    for _ in range(_RESAMPLES // _RESAMPLES_A_TURN):
        picked: Integers = random.multinomial(size, np.full(size, 1.0 / size), size=_RESAMPLES_A_TURN)
        found.append(coefficient((picked @ flat).reshape(-1, kinds, kinds))[0])
    return np.concatenate(found)
