"""Deciding on faithfulness: weigh, look for candidates, ask the canary, tend the bursts."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.asking import ask_or_settle, canary_is_fresh, canary_size
from ragvigil.scorer.detect.sequential.batch import Alert, count_by
from ragvigil.scorer.detect.sequential.bursts import FOLLOWED, tend_bursts
from ragvigil.scorer.detect.sequential.canary import LARGEST
from ragvigil.scorer.detect.sequential.checking import explained, forget_explained
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.evidence import Verdicts
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.weighing import weigh

SURELY, SURELY_SEGMENT = 0.06, 0.15
"""Fall that the cheap score shows, of all traffic or of a segment, and the judge does not, from which on it is surely
the score that moved, and errors weigh more for it. A smaller one may be a slow fall that the judge cannot see yet."""


def decide(
    core: Core, verdicts: Verdicts | None, time: float, days: float, reference: Reference
) -> list[Alert]:
    """Pages and tickets that one batch of verdicts leads to; None where there are none to be trusted."""
    now, series = core.memory.clock.now, core.memory.faithfulness
    if not core.instruments.informative:
        evidence: dict[str, float | str] = {
            "why": "the judge is not informative",
            "s_plus_t_minus_1": core.instruments.youden,
        }
        return [Alert(time, "ticket", "judge", None, evidence)]
    alerts: list[Alert] = []
    if verdicts is not None:
        _charge(core, verdicts)
        weigh(series, verdicts, days, core.settings, core.instruments, reference)
        series.date(now)
        forget_explained(core)
        alerts += _look(core, time)
    for stream, change in tend_bursts(series, now, core.settings, core.instruments):
        alerts += _follow_cheap(core, stream, change, time, reference)
    series.close_incidents(now, core.settings, core.instruments)
    return alerts


def _look(core: Core, time: float) -> list[Alert]:
    """Are there candidates, and what does the canary say of them?"""
    memory, series = core.memory, core.memory.faithfulness
    bar = memory.disagreement.bar(memory.clock.now)
    found = series.candidates(core.settings, core.instruments, bar, lambda onset: explained(core, onset))
    if found:
        if memory.new_version is not None:
            return []
        series.pending = found
        return ask_or_settle(core, time)
    series.pending, series.asked = [], 0
    affordable = memory.budget.credit > 2.0 * LARGEST
    if series.nearly(core.settings) and affordable and not canary_is_fresh(core):
        memory.canary_wanted = memory.canary_wanted or canary_size(core)
    return []


def _follow_cheap(core: Core, stream: int, change: float, time: float, reference: Reference) -> list[Alert]:
    """The cheap score moved and the judge disagrees: follow it, and say so when that becomes a habit."""
    slots, memory = core.settings.slots, core.memory
    overall = stream == slots
    moved = np.ones(slots, np.bool_) if overall else np.arange(slots) == stream
    least = SURELY if overall else SURELY_SEGMENT
    surely = change > least * FOLLOWED * core.instruments.separation
    flags = reference.unfaithful * (core.instruments.flags_moved(change) if surely else 0.0)
    memory.baseline.move_cheap(moved, change, flags)
    core.forget_reference()
    if not memory.disagreement.add(stream, change, memory.clock.now):
        return []
    evidence: dict[str, float | str] = {
        "why": "moves again and again: the judge does not agree with it.",
        "moved": float(memory.disagreement.moved[stream]),
        "bursts": float(memory.disagreement.count[stream]),
    }
    return [Alert(time, "ticket", "cheap", None if overall else stream, evidence)]


def _charge(core: Core, verdicts: Verdicts) -> None:
    """Note on each burst what it has spent beyond the base, roughly: all verdicts of its stream."""
    budget, slots = core.memory.budget, core.settings.slots
    usual = verdicts.traces * budget.share * budget.base_share
    extra = count_by(verdicts.slot, slots) - usual
    for burst in core.memory.faithfulness.bursts:
        beyond = extra.sum() if burst.stream == slots else extra[burst.stream]
        burst.spent += max(0.0, float(beyond))
