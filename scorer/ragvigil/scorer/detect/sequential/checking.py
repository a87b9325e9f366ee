"""Citations and empty retrievals: checked on every trace, paged without the judge."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Series
from ragvigil.scorer.detect.sequential.batch import Alert, Booleans, Floats, Metric, Traces
from ragvigil.scorer.detect.sequential.check_cusum import CheckCusum
from ragvigil.scorer.detect.sequential.clock import NEVER
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.outages import Outages
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.settings import DAY

HOUR = 3600.0
TOGETHER = 4
"""Batches between the beginnings of an outage and of a fall of faithfulness that it explains."""


def check(core: Core, traces: Traces, reference: Reference, time: float) -> list[Alert]:
    """Pages of both checks; each also explains a fall of faithfulness that began with it, until an hour after it."""
    memory, slots = core.memory, core.settings.slots
    alerts: list[Alert] = []
    ceiling, days = core.settings.check_threshold, core.settings.batch_seconds / DAY
    mute = core.settings.mute_hours * HOUR
    checks: tuple[tuple[Metric, Series, CheckCusum, Outages], ...] = (
        ("citation", Series.CITATIONS, memory.citations, memory.citation_outages),
        ("retrieval", Series.RETRIEVALS, memory.retrievals, memory.retrieval_outages),
    )
    columns = ((traces.citation_bad, reference.bad_citations), (traces.empty, reference.empty))
    for (metric, series, cusum, outages), (bad, normal) in zip(checks, columns, strict=True):
        known = np.isfinite(bad) & reference.slots(series)[traces.slot]
        bad = bad[known]
        where = traces.slot[known], traces.conversation[known]
        cusum.update(bad, *where, normal, ceiling, days=days, now=memory.clock.now)
        alarms = cusum.alarms(ceiling)
        memory.root_cause = np.where(alarms | alarms[-1], memory.clock.now + HOUR, memory.root_cause)
        named = _named(alarms, cusum.slot_step)
        well = cusum.calm(ceiling)
        well[slots] |= bool(alarms[slots]) and slots not in named  # a segment alone is to blame
        if outages.tend(well, slots in named):
            cusum.log[:-1] = 0.0  # what is left of it in a segment has to show itself
            continue
        for stream in named:
            if stream != slots and outages.everywhere:
                continue
            if not outages.page(stream, memory.clock.now, mute):
                continue
            evidence: dict[str, float | str] = {
                "nats": round(float(cusum.log[stream]), 1),
                "bad": float(bad.sum()),
                "n": float(bad.size),
            }
            segment = None if stream == slots else stream
            alerts.append(Alert(time, "page", metric, segment, evidence))
    return alerts


def explained(core: Core, onset: tuple[Floats, Floats]) -> Booleans:
    """(streams,) which falls of faithfulness are an outage's that was paged for: they may have begun together.

    `onset` is when they began, (streams,) earliest and (streams,) latest.
    """
    lately = core.memory.root_cause > core.memory.clock.now
    found: Booleans = (lately | lately[-1]) & _together(core, onset)
    return found


def forget_explained(core: Core) -> None:
    """An outage explains nothing any more: what falls of faithfulness that began with it showed is over as well, or
    shows itself again."""
    memory, series = core.memory, core.memory.faithfulness
    lapsed = (memory.root_cause > NEVER) & (memory.root_cause <= memory.clock.now)
    if lapsed.any():
        began = _together(core, series.plain.onset()) | _together(core, series.suspect.onset())
        series.restart((lapsed | lapsed[-1]) & began)
        memory.root_cause = np.where(lapsed, NEVER, memory.root_cause)


def _together(core: Core, onset: tuple[Floats, Floats]) -> Booleans:
    """(streams,) which falls may have begun with an outage."""
    memory, within = core.memory, TOGETHER * core.settings.batch_seconds
    bounds = onset[0] - within, onset[1] + within
    began: Booleans = memory.citations.explains(*bounds) | memory.retrievals.explains(*bounds)
    return began


def _named(alarms: Booleans, step: Floats) -> list[int]:
    """Streams to page for: one cause gets one page. A segment whose last batch was well is on its way back."""
    overall = step.size
    leader = int(np.argmax(step))
    named = [int(slot) for slot in np.flatnonzero(alarms[:-1] & (step > 0.0))]
    if alarms[-1]:
        rest = step[np.arange(overall) != leader].sum()
        return [leader] if rest <= 0.0 and alarms[leader] else [overall]
    return [overall] if len(named) > overall // 2 else named
