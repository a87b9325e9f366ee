"""How much likelier a fall of one value since one moment makes what was seen, for all values and moments at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.evidence import Evidence
from ragvigil.scorer.diagnose.gain import nats
from ragvigil.scorer.diagnose.views import View
from ragvigil.scorer.estimate.window import Floats, Integers

STEPS = 32
"""Moments that are tried; the onset is then found more finely."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Where each record of a view counts: H sets (the first is all records) times K moments."""

    view: View
    place: Integers
    """(D + 1) x M; cell of each record in each dimension, the last cell for none."""
    sets: int
    variance: Floats
    """H x K, of the sums from each moment on."""
    after: Floats
    """Sum of weights of all records from each moment on, K."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All sets and moments."""

    evidence: Evidence
    moments: Floats
    """K moments, Unix seconds, ascending; records before the first are in no cell."""
    sets: tuple[tuple[int, int], ...]
    """(dimension, code) of each set; (-1, 0) is all records."""
    cells: tuple[Cells, ...]
    """One for each view."""

    def gains(self) -> Floats:
        """H x K nats, 0 where the set did not fall."""
        gain = np.zeros((len(self.sets), len(self.moments)))
        effect = np.zeros_like(gain)
        for cells in self.cells:
            sums = _sums(cells.place, cells.view.residual, cells.sets, len(self.moments))
            gain += nats(sums, cells.variance, cells.view.reach)
            effect += sums / np.maximum(cells.after, 1e-12)
        return np.where(effect < 0.0, gain, 0.0)

    def contrast(self, moments: Integers, draws: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Whether each set fell more than the rest, from its own moment on: gains (H) and their null (draws x H).

        Residuals are taken less those of all records at that time. The null is what they gain where falls do not
        depend on the sets: signs of whole conversations are drawn at random (the multiplier bootstrap of maxima:
        Chernozhukov, Chetverikov & Kato 2013, Ann Stat 41:2786), so that sets that share records share their luck, as
        in Westfall & Young's max-T.
        """
        count = int(self.evidence.conversation.max()) + 1 if self.evidence.size else 0
        sign = (random.integers(0, 2, (draws, count)) * 2 - 1).astype(np.float32)
        gain = np.zeros((draws + 1, len(self.sets)))
        effect = np.zeros_like(gain)
        for cells in self.cells:
            table = self._by_conversation(cells, moments, count)
            sums: Floats = np.vstack([table.sum(axis=0), sign @ table.astype(np.float32)]).astype(np.float64)
            places = np.arange(len(moments))
            gain += nats(sums, cells.variance[places, moments], cells.view.reach)
            effect += sums / np.maximum(cells.after[moments], 1e-12)
        gain = np.where(effect < 0.0, gain, 0.0)
        return gain[0], gain[1:]

    def _by_conversation(self, cells: Cells, moments: Integers, count: int) -> Floats:
        """C x H: the sum of centred residuals of each conversation in each set, from the set's moment on."""
        residual, size = self._centred(cells), len(self.moments)
        conversation = self.evidence.conversation[cells.view.rows]
        table = np.zeros(count * cells.sets)
        for place in cells.place:
            known = place < cells.sets * size
            sets, steps = place[known] // size, place[known] % size
            late = steps >= moments[sets]
            cell = conversation[known][late] * cells.sets + sets[late]
            table += np.bincount(cell, weights=residual[known][late], minlength=len(table))
        return table.reshape(count, cells.sets)

    def _centred(self, cells: Cells) -> Floats:
        view, step = cells.view, cells.place[0]
        size = len(self.moments) + 1
        step = np.minimum(step, size - 1)
        weights = np.bincount(step, weights=view.weight, minlength=size)
        means = np.bincount(step, weights=view.residual, minlength=size) / np.maximum(weights, 1e-12)
        return np.where(step == size - 1, 0.0, view.residual - view.weight * means[step])


def grid_of(evidence: Evidence, views: tuple[View, ...], begin: float) -> Grid:
    """Every value of every dimension, at moments from `begin` on that hold equally many records between them."""
    late = evidence.time[evidence.time >= begin]
    moments = np.unique(np.quantile(late, np.linspace(0.0, 1.0, STEPS + 1)[:-1])) if len(late) else late
    sets = [(-1, 0)] + [
        (number, code)
        for number, dimension in enumerate(evidence.dimensions)
        for code in range(len(dimension.values))
    ]
    return Grid(
        evidence, moments, tuple(sets), tuple(_cells(evidence, view, moments, len(sets)) for view in views)
    )


def _cells(evidence: Evidence, view: View, moments: Floats, sets: int) -> Cells:
    size = len(moments)
    step = np.searchsorted(moments, evidence.time[view.rows], side="right") - 1
    place = np.empty((len(evidence.dimensions) + 1, len(view.rows)), dtype=np.int64)
    place[0] = np.where(step >= 0, step, sets * size)
    first = 1
    for number, dimension in enumerate(evidence.dimensions, start=1):
        codes = dimension.codes[view.rows]
        place[number] = np.where((codes >= 0) & (step >= 0), (first + codes) * size + step, sets * size)
        first += len(dimension.values)
    after = _sums(place[:1], view.weight, sets, size)[0]
    return Cells(view, place, sets, _sums(place, view.variance, sets, size), after)


def _sums(place: Integers, values: Floats, sets: int, moments: int) -> Floats:
    """H x K: the sums of each set from each moment on."""
    flat = np.bincount(
        place.ravel(), weights=np.broadcast_to(values, place.shape).ravel(), minlength=sets * moments + 1
    )
    table: Floats = flat[: sets * moments].reshape(sets, moments).astype(np.float64)
    return np.cumsum(table[:, ::-1], axis=1)[:, ::-1]
