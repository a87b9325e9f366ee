"""Citations and empty retrievals: checked on every trace, paged without the judge."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Series
from ragvigil.scorer.detect.sequential.batch import Alert, Booleans, Floats, Metric, Traces
from ragvigil.scorer.detect.sequential.check_cusum import CheckCusum
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.settings import DAY

HOUR = 3600.0


def check(core: Core, traces: Traces, reference: Reference, time: float) -> list[Alert]:
    """Pages of both checks; each also explains a fall of faithfulness for an hour."""
    memory, slots = core.memory, core.settings.slots
    alerts: list[Alert] = []
    checks: tuple[tuple[Metric, Series, CheckCusum, Floats, Floats], ...] = (
        ("citation", Series.CITATIONS, memory.citations, traces.citation_bad, reference.bad_citations),
        ("retrieval", Series.RETRIEVALS, memory.retrievals, traces.empty, reference.empty),
    )
    for metric, series, cusum, bad, normal in checks:
        known = np.isfinite(bad) & reference.slots(series)[traces.slot]
        bad, slot, conversation = bad[known], traces.slot[known], traces.conversation[known]
        cusum.update(
            bad, slot, conversation, normal, core.settings.check_threshold, core.settings.batch_seconds / DAY
        )
        alarms = cusum.alarms(core.settings.check_threshold)
        if not alarms.any():
            continue
        memory.root_cause = np.where(alarms | alarms[-1], memory.clock.now + HOUR, memory.root_cause)
        for stream in _named(alarms, cusum.slot_step):
            evidence: dict[str, float | str] = {
                "nats": round(float(cusum.log[stream]), 1),
                "bad": float(bad.sum()),
                "n": float(bad.size),
            }
            segment = None if stream == slots else stream
            alerts.append(Alert(time, "page", metric, segment, evidence))
    return alerts


def _named(alarms: Booleans, step: Floats) -> list[int]:
    """Streams to page for: one cause gets one page."""
    overall = step.size
    leader = int(np.argmax(step))
    named = [int(slot) for slot in np.flatnonzero(alarms[:-1])]
    if alarms[-1]:
        rest = step[np.arange(overall) != leader].sum()
        return [leader] if rest <= 0.0 and alarms[leader] else [overall]
    return [overall] if len(named) > overall // 2 else named
