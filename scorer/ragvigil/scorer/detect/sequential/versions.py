"""Which judge said it: versions that may be mixed, those to compare first, and what to do when nobody can."""

from __future__ import annotations

from ragvigil.scorer.detect.sequential.asking import LEAST, judge_moved
from ragvigil.scorer.detect.sequential.batch import Alert, Booleans
from ragvigil.scorer.detect.sequential.canary import LARGEST
from ragvigil.scorer.detect.sequential.clock import NEVER
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.incidents import Incidents
from ragvigil.scorer.detect.sequential.settings import DAY

LEAST_COMPARED = 20.0
"""Pairs of verdicts below which two judges have not been compared."""
PATIENCE = DAY
"""Seconds to wait for the comparison of a new judge; then its normal is learned anew."""
KNOWN = 7 * DAY
"""Seconds for which a version that was compared need not be compared again."""


def offset_of(core: Core, version: str, answered: Booleans, alerts: list[Alert], time: float) -> float | None:
    """How much more this judge passes of the same answers than the one that we know; None while nobody knows.

    Asks for a canary when it is a new one, as far as the budget goes.
    """
    memory = core.memory
    if memory.judge_version is None and answered.any():
        memory.judge_version = version
    if not answered.any() or version == memory.judge_version:
        _stay(core, version)
        return 0.0
    if memory.clock.now - memory.compared_at.get(version, NEVER) <= KNOWN:
        return memory.offsets[version]
    now = memory.clock.now
    if memory.unknown_since is None or now - memory.unknown_last > PATIENCE:
        memory.unknown_since = now
    memory.unknown_last = now
    if now - memory.unknown_since >= PATIENCE:
        alerts.append(_learn_anew(core, version, time))
        return None
    if memory.new_version != version:
        memory.new_version = version
        memory.faithfulness.canary.clear()
    if not memory.canary_wanted and memory.budget.credit > 0.0:
        memory.canary_wanted = min(LARGEST, max(LEAST, int(memory.budget.credit)))
    return None


def adopt(core: Core, time: float) -> list[Alert]:
    """The canary has compared the new judge: its pass rate is what others are held against from now on."""
    memory, canary = core.memory, core.memory.faithfulness.canary
    if memory.new_version is None or canary.count < LEAST_COMPARED:
        return []
    alerts: list[Alert] = []
    change = canary.mean if abs(canary.mean) > 2.0 * canary.error else 0.0
    if change:
        alerts.append(judge_moved(core, change, canary.error, canary.count, time, memory.new_version))
    memory.offsets = {version: offset - change for version, offset in memory.offsets.items()}
    if memory.judge_version is not None:
        memory.offsets[memory.judge_version] = -change
        memory.compared_at[memory.judge_version] = memory.clock.now
    memory.judge_version, memory.new_version, memory.unknown_since = memory.new_version, None, None
    memory.quiet.clear()
    return alerts


def _stay(core: Core, version: str) -> None:
    """The judge that we know is back: nothing is to be compared now."""
    memory = core.memory
    if version == memory.judge_version and memory.new_version is not None:
        memory.new_version, memory.canary_wanted = None, 0


def _learn_anew(core: Core, version: str, time: float) -> Alert:
    """Nobody could say what the new judge makes of past answers: forget what the old one said, and tell."""
    memory, settings = core.memory, core.settings
    before = memory.judge_version or ""
    memory.baseline.forget_verdicts()
    memory.faithfulness.restart_bets()
    memory.faithfulness.incidents = Incidents.none(settings.streams)
    core.forget_levels()
    memory.offsets, memory.compared_at = {before: 0.0}, {before: memory.clock.now}
    memory.judge_version, memory.new_version, memory.unknown_since = version, None, None
    memory.canary_wanted = memory.waited = 0
    memory.quiet.clear()
    core.forget_reference()
    why = (
        "was replaced by one that nobody could compare with it: what the new one says is learned anew for "
        f"{settings.learning_days:g} days, and pages nobody until then. Calibrate it again."
    )
    evidence: dict[str, float | str] = {
        "why": why,
        "version": version,
        "before": before,
        "learning_days": settings.learning_days,
    }
    return Alert(time, "ticket", "judge", None, evidence)
