"""Learning what is normal: a batch's sums go to its day."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect.sequential.baseline import BINS, Sum
from ragvigil.scorer.detect.sequential.batch import Batch, Floats, Traces, count_by, sum_by
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.evidence import Suspicion, Verdicts
from ragvigil.scorer.detect.sequential.reference import level_of
from ragvigil.scorer.detect.sequential.settings import DAY


def learn(core: Core, batch: Batch, traces: Traces, suspicion: Suspicion, verdicts: Verdicts | None) -> None:
    """Add the batch to its day's sums."""
    if not len(traces):
        return
    memory, slots = core.memory, core.settings.slots
    sums = np.zeros((len(Sum), slots))
    flags = np.zeros((2, BINS))

    def per_slot(values: npt.NDArray[np.float64] | npt.NDArray[np.bool_]) -> Floats:
        return sum_by(traces.slot, values, slots)

    sums[Sum.TRACES] = count_by(traces.slot, slots)
    sums[Sum.CHEAP_COUNT] = per_slot(traces.known_cheap)
    sums[Sum.CHEAP] = per_slot(np.where(traces.known_cheap, suspicion.plain, 0.0))
    reference = core.refer()
    middle = suspicion.plain.mean() if reference is None else reference.cheap[traces.slot]
    first, group = traces.conversations(slots)
    together = sum_by(group, np.where(traces.known_cheap, suspicion.plain - middle, 0.0), first.size)
    sums[Sum.CHEAP_CLUSTERED] = sum_by(traces.slot[first], together**2, slots)
    for bad, n_row, bad_row in (
        (traces.citation_bad, Sum.CITATIONS, Sum.BAD_CITATIONS),
        (traces.empty, Sum.RETRIEVALS, Sum.EMPTY),
    ):
        known = np.isfinite(bad)
        sums[n_row], sums[bad_row] = per_slot(known), per_slot(np.where(known, bad, 0.0))
    if verdicts is not None and batch.inclusion_probability is not None and batch.verdict is not None:
        sums[Sum.FLAG_TRACES] = verdicts.traces
        sums[Sum.FLAGS] = sum_by(verdicts.slot, verdicts.excess, slots)
        sums[Sum.FLAGS_SQUARED] = sum_by(verdicts.slot, verdicts.excess**2, slots)
        sums[Sum.WEIGHT] = sum_by(verdicts.slot, verdicts.weight, slots)
        sums[Sum.PASSED] = sum_by(verdicts.slot, verdicts.passed, slots)
        sums[Sum.JUDGED] = sums[Sum.WEIGHT]
        sums[Sum.PASSED] -= core.offset * sums[Sum.WEIGHT]
        sums[Sum.FLAGS] += core.offset * core.instruments.weight_faithful * sums[Sum.FLAG_TRACES]
        flags = _flags(core, batch, traces, suspicion)
    open_ = memory.faithfulness.incidents.open
    disturbed = memory.citations.disturbed() | memory.retrievals.disturbed()
    day = min(int(np.median(traces.time + memory.clock.offset) // DAY), core.today())
    new = memory.baseline.add(day, sums, flags, open_[:-1] | open_[-1] | disturbed)
    if new or core.counts(day):
        core.forget_reference()


def _flags(core: Core, batch: Batch, traces: Traces, suspicion: Suspicion) -> Floats:
    """(2, BINS) weight, and flags beyond the uncorrected model's, at each level of suspicion."""
    verdict = np.nan_to_num(np.asarray(batch.verdict, dtype=np.float64), nan=-1.0)
    usable = np.asarray(batch.judged, dtype=np.bool_) & (verdict >= 0.0) & traces.known_cheap
    rows = np.flatnonzero(usable)
    reference = core.refer()
    if reference is None or not reference.judged or not rows.size:
        return np.zeros((2, BINS))
    own = core.instruments.suspicion(traces.cheap[rows], reference.unfaithful[traces.slot[rows]])
    model = core.instruments.false_flag + (core.instruments.specificity - core.instruments.false_flag) * own
    level = level_of(suspicion.plain[rows])
    beyond = (1.0 - verdict[rows]) + core.offset - model
    return np.stack([count_by(level, BINS), sum_by(level, beyond, BINS)])
