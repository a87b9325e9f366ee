"""What each record says beyond what was to be expected of one with its attributes before the incident.

Two independent views of the outcome y: m, what the cheap score predicts, on every record; and y - m, on those that
were measured, weighted by 1 / inclusion. Their means add up to an unbiased mean of y whatever the cheap score is worth
(Robins, Rotnitzky & Zhao 1994, J Am Stat Assoc 89:846), and a fault shows in whichever of them sees it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.evidence import Evidence
from ragvigil.scorer.estimate.window import Booleans, Floats, Integers

_RIDGE = 20.0
"""Records' worth of belief that a value of a dimension makes no difference."""
_MOST_COLUMNS = 150
_LEAST_RECORDS = 30
_BINS = 20
_LEAST_MEASURED = 100


@dataclass(frozen=True, slots=True)
class View:
    """M of the N records."""

    rows: Integers
    """Their places, ascending."""
    weight: Floats
    value: Floats
    """What was measured of them."""
    expected: Floats
    """What the time before the incident makes expect of their attributes."""
    variance: Floats
    """Of each weighted residual, conversations considered: weight² times one spread for all."""
    reach: float
    """E[-e³] / E[e²] of the weighted residuals e, at least 0: how much of the spread is in single failures."""

    @property
    def residual(self) -> Floats:
        """Weight times (value - expected)."""
        return self.weight * (self.value - self.expected)


def views_of(evidence: Evidence, since: float) -> tuple[View, ...]:
    """One or two views; the expectation is learned of the records before `since` (Unix seconds)."""
    before = evidence.time < since
    measured = np.flatnonzero(np.isfinite(evidence.outcome))
    weight = 1.0 / evidence.inclusion[measured]
    outcome = evidence.outcome[measured]
    scored = np.flatnonzero(np.isfinite(evidence.cheap) & evidence.everyone)
    if len(scored) < _LEAST_MEASURED or len(measured) < _LEAST_MEASURED:
        return (_view(evidence, measured, weight, outcome, before),)
    predicted = _predicted(evidence, measured, weight, before)
    plain = np.where(np.isfinite(predicted[measured]), predicted[measured], np.nanmean(predicted))
    return (
        _view(evidence, scored, np.ones(len(scored)), predicted[scored], before),
        _view(evidence, measured, weight, outcome - plain, before),
    )


def _predicted(evidence: Evidence, measured: Integers, weight: Floats, before: Booleans) -> Floats:
    """The outcome that the cheap score predicts: the weighted mean within its quantile bins; NaN without a score."""
    cheap = evidence.cheap
    use = np.isfinite(cheap[measured])
    early = use & before[measured]
    use = early if early.sum() >= _LEAST_MEASURED else use
    edges = np.unique(
        np.nanquantile(cheap[evidence.everyone | np.isfinite(cheap)], np.linspace(0, 1, _BINS + 1)[1:-1])
    )
    place = np.searchsorted(edges, np.where(np.isfinite(cheap), cheap, 0.0), side="right")
    rows, heavy = measured[use], weight[use]
    mean = float(np.average(evidence.outcome[rows], weights=heavy)) if len(rows) else 0.5
    heavy = heavy / heavy.mean() if len(rows) else heavy
    total = np.bincount(place[rows], weights=heavy, minlength=len(edges) + 1)
    good = np.bincount(place[rows], weights=heavy * evidence.outcome[rows], minlength=len(edges) + 1)
    table = (good + mean) / (total + 1.0)
    return np.where(np.isfinite(cheap), table[place], np.nan)


def _view(
    evidence: Evidence,
    rows: Integers,
    weight: Floats,
    value: Floats,
    before: Booleans,
) -> View:
    early = before[rows]
    expected = _expected(evidence, rows, weight, value, early)
    residual = weight * (value - expected)
    own, heavy = residual[early], weight[early]
    squares = float(own @ own)
    if len(own) < 2 or squares <= 0.0:
        return View(rows, weight, value, expected, weight**2 * 0.01, 0.0)
    together = np.bincount(evidence.conversation[rows[early]], weights=own)
    design = max(1.0, float(together @ together) / squares)
    spread = max(squares / float(heavy @ heavy), 1e-4) * design
    reach = max(0.0, -float((own**3).sum()) / squares)
    return View(rows, weight, value, expected, weight**2 * spread, reach)


def _expected(
    evidence: Evidence,
    rows: Integers,
    weight: Floats,
    value: Floats,
    early: Booleans,
) -> Floats:
    """Ridge regression of the value on the attributes' values, of the records before; a new value is worth 0."""
    if not early.any():
        return np.full(len(rows), float(np.average(value, weights=weight)) if len(rows) else 0.0)
    mean = float(np.average(value[early], weights=weight[early]))
    columns: list[Floats] = []
    for dimension in evidence.dimensions:
        codes = dimension.codes[rows]
        counts = np.bincount(codes[early & (codes >= 0)], minlength=len(dimension.values))
        columns += [
            (codes == code).astype(np.float64)
            for code in np.flatnonzero(counts >= _LEAST_RECORDS)
            if counts[code] < early.sum()
        ]
    if not columns:
        return np.full(len(rows), mean)
    table = np.column_stack(columns[:_MOST_COLUMNS])
    heavy = weight / weight[early].mean()
    centre = np.average(table[early], axis=0, weights=heavy[early])
    table -= centre
    inner = table[early].T * heavy[early]
    square = inner @ table[early] + _RIDGE * np.eye(table.shape[1])
    effects: Floats = np.asarray(np.linalg.solve(square, inner @ (value[early] - mean)), dtype=np.float64)
    return mean + table @ effects
