"""Asking whether it is the judge, and acting on the answer."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect.sequential.batch import Alert
from ragvigil.scorer.detect.sequential.canary import LARGEST
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.paging import MOST_CANARIES, settle

FRESH = 6 * 3600.0
"""Seconds for which an answer counts."""
PATIENCE = 4
"""Batches to wait for an answer; then the page goes out without it."""


LEAST = 100
"""Past traces below which asking again is not worth it, and verdicts below which no pass rate is known."""
QUIET_TIMES = 2
"""Canaries while learning, for what judging again changes by itself."""


def canary_size(core: Core) -> int:
    """200 to 400: a tenth of a day's traffic."""
    return int(min(float(LARGEST), max(200.0, 0.1 * core.memory.budget.traces_per_day)))


def _affordable(core: Core) -> int:
    """The same, as far as the budget goes."""
    return min(canary_size(core), max(0, int(core.memory.budget.credit)))


def canary_is_fresh(core: Core) -> bool:
    """Whether there is an answer that still counts."""
    canary = core.memory.faithfulness.canary
    return canary.count > 0 and core.memory.clock.now - canary.answered_at <= FRESH


def ask_quietly(core: Core) -> None:
    """In the second half of the learning days: have past traces judged again while nothing is suspected.

    The first 400 calls that were saved stay for what may come: a small service has no more, and needs them.
    """
    memory, half = core.memory, 0.5 * core.settings.learning_days
    one_judge = memory.judge_version is not None and memory.new_version is None and not memory.compared_at
    due = core.learning() and memory.clock.days >= half and not memory.canary_wanted
    if not (due and one_judge and core.instruments.informative):
        return
    size, saved = canary_size(core), int(memory.budget.credit) - LARGEST
    left = int(QUIET_TIMES * size - memory.quiet.count)
    if min(saved, left) >= LEAST:
        memory.canary_wanted = min(size, left, saved)


def ask_or_settle(core: Core, time: float) -> list[Alert]:
    """There are candidates: decide by a fresh answer, or ask for one."""
    memory = core.memory
    if canary_is_fresh(core):
        return _settle(core, time)
    memory.waited += 1 if memory.canary_wanted else 0
    memory.canary_wanted = max(LEAST, _affordable(core))
    if memory.waited > PATIENCE:
        memory.faithfulness.canary.clear()
        memory.faithfulness.asked = MOST_CANARIES
        return _settle(core, time)
    return []


def take_answer(core: Core, old: npt.NDArray[np.generic], new: npt.NDArray[np.generic]) -> list[Alert]:
    """The verdicts of past traces, as stored and as the judge gives them now.

    Raises:
        ValueError: columns of different lengths.
    """
    memory, series = core.memory, core.memory.faithfulness
    canary = series.canary
    compares = memory.new_version is not None
    quietly = core.learning() and not compares
    asked, fresh = (memory.quiet, math.inf) if quietly else (canary, FRESH)
    asked.add(old, new, memory.clock.now, fresh)
    known = (0.0, 0.0) if compares else memory.moves.known(memory.clock.now)
    canary.expect(memory.quiet, known, _pass_rate(core))
    memory.canary_wanted = memory.waited = 0
    memory.budget.spend(int(np.size(new)))
    time = memory.clock.now - memory.clock.offset
    alerts: list[Alert] = []
    if quietly or compares:
        return []  # nothing is suspected, or judges are compared: see `versions.adopt`
    if series.pending:
        series.asked += 1
        alerts += _settle(core, time)
    elif canary.moved:  # nobody suspected anything: past traces were judged again because it was time
        alerts.append(
            judge_moved(core, canary.mean, canary.error, canary.count, time, memory.judge_version or "")
        )
        canary.clear()
    return alerts


def _pass_rate(core: Core) -> float | None:
    """Of the traffic while all is well; None where too few verdicts say it, as after the judge was learned anew."""
    reference = core.refer()
    if reference is None or reference.judged < LEAST:
        return None
    return float(reference.share @ reference.passed)


def _settle(core: Core, time: float) -> list[Alert]:
    memory = core.memory
    if memory.faithfulness.canary.count and _affordable(core) < LEAST:
        memory.faithfulness.asked = MOST_CANARIES
    error, count = memory.faithfulness.canary.error, memory.faithfulness.canary.count
    alerts, moved = settle(memory.faithfulness, memory.clock.now, time, core.instruments)
    if moved is not None:
        return [judge_moved(core, moved, error, count, time, memory.judge_version or "")]
    if memory.faithfulness.pending:
        memory.canary_wanted = _affordable(core)
    elif alerts:
        _freeze(core)
    return alerts


def judge_moved(core: Core, change: float, error: float, count: float, time: float, version: str) -> Alert:
    """The judge changed by `change`: move what is normal, start bets and levels over, ask for a new calibration."""
    memory = core.memory
    memory.baseline.move_passed(change, core.instruments.weight_faithful)
    memory.baseline.freeze(core.today() - 1, np.ones(core.settings.slots, np.bool_))
    memory.faithfulness.restart_bets()
    memory.judge_moved += change
    memory.moves.add(change, error, memory.clock.now)
    core.forget_levels()
    core.forget_reference()
    evidence: dict[str, float | str] = {
        "why": "the judge changed: calibrate it again",
        "change": change,
        "error": error,
        "lower": change - 1.96 * error,
        "upper": change + 1.96 * error,
        "n": count,
        "version": version,
    }
    return Alert(time, "ticket", "judge", None, evidence)


def _freeze(core: Core) -> None:
    """Nothing is learned from streams with an open incident, nor from the day before it."""
    open_ = core.memory.faithfulness.incidents.open
    core.memory.baseline.freeze(core.today() - 1, open_[:-1] | open_[-1])
    core.forget_reference()
