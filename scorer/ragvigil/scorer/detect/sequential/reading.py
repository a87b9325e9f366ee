"""Reading a batch's verdicts: are they there, and are they of the judge that we know?"""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Alert, Batch, Booleans, Floats, Traces
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.evidence import Suspicion, Verdicts, expected_flags, gather
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.settings import DAY
from ragvigil.scorer.detect.sequential.unanswered import most_by_chance
from ragvigil.scorer.detect.sequential.versions import offset_of

_HOUR = 3600.0


def read_verdicts(
    core: Core,
    batch: Batch,
    traces: Traces,
    suspicion: Suspicion,
    alerts: list[Alert],
    reference: Reference | None,
) -> tuple[Verdicts | None, bool]:
    """(the batch's verdicts, whether they may be learned from); says so when too many are missing."""
    memory, settings = core.memory, core.settings
    if batch.judged is None or batch.verdict is None or batch.inclusion_probability is None:
        return None, False
    judged = np.asarray(batch.judged, dtype=np.bool_)
    verdict = np.nan_to_num(np.asarray(batch.verdict, dtype=np.float64), nan=-1.0)
    chance = np.nan_to_num(np.asarray(batch.inclusion_probability, dtype=np.float64), nan=0.0)
    chance = np.clip(chance, 0.0, 1.0)
    if not (chance > 0.0).any():
        return None, False  # nobody was asked, so nothing was learned of anybody
    answered = judged & (verdict >= 0.0) & (chance > 0.0)
    lost = judged & ~answered & (chance > 0.0)
    memory.budget.spend(int(judged.sum()))
    trusted, loss = _count_missing(core, judged, answered, chance)
    if not trusted:
        alerts.append(_missing(core, batch.end))
    offset = offset_of(core, batch.judge_version, answered, alerts, batch.end)
    if offset is None or not len(traces):
        return None, False
    core.offset = offset
    expected = _expected(core, traces, suspicion, reference or core.refer())
    verdicts = gather(
        traces.slot,
        traces.conversation,
        suspicion,
        chance=chance * (1.0 - loss),
        answered=answered,
        passed=verdict,
        expected=expected - offset,
        instruments=core.instruments,
        slots=settings.slots,
        scored=traces.known_cheap,
    )
    days = settings.batch_seconds / DAY
    as_labelled = verdict[answered] - memory.judge_moved - offset
    memory.floor.update(chance[answered], as_labelled, days, chance[lost])
    memory.errors.update(chance[answered], as_labelled, days, chance[lost])
    return verdicts, trusted


def _expected(core: Core, traces: Traces, suspicion: Suspicion, reference: Reference | None) -> Floats:
    """P(flag) of each trace while all is well, (traces,)."""
    if reference is None:
        return np.full(len(traces), 1.0 - core.instruments.sensitivity)
    return expected_flags(suspicion.plain, traces.cheap, traces.slot, core.instruments, reference)


def _missing(core: Core, end: float) -> Alert:
    """The ticket that too few of the verdicts came that were asked for."""
    memory = core.memory
    evidence: dict[str, float | str] = {
        "missing": memory.missing,
        "calls": memory.chosen,
        "usual": memory.unanswered.share,
        "why": "verdicts are missing",
    }
    return Alert(end, "ticket", "judge", None, evidence)


def _count_missing(core: Core, judged: Booleans, answered: Booleans, chance: Floats) -> tuple[bool, float]:
    """(whether few enough are missing that the others may be trusted, the share that is missing as usual).

    What is missing beyond the usual may all have passed or all not: see `Reference.short_of`.
    """
    memory, settings = core.memory, core.settings
    keep = float(np.exp(-settings.batch_seconds / _HOUR))
    calls = float(max(judged.sum(), chance.sum()))
    shortfall = max(0.0, float(chance.sum() - judged.sum()) - 4.0 * float(np.sqrt(chance.sum() + 1.0)))
    lost = float((judged & ~answered).sum()) + shortfall
    memory.chosen, memory.missing = keep * memory.chosen + calls, keep * memory.missing + lost
    usual = memory.unanswered
    limit = usual.limit(settings.missing_share)
    trusted = memory.chosen < 20.0 or memory.missing <= most_by_chance(limit, memory.chosen)
    usual.add(calls, lost, settings.batch_seconds / DAY, (memory.chosen, memory.missing))
    lately = memory.missing / max(memory.chosen, 1.0)
    core.beyond = max(0.0, lately - usual.share)
    return trusted, min(lately, usual.share)
