"""The level itself, for those who have an SLO: a floor, and the burn of the error budget."""

from __future__ import annotations

from ragvigil.scorer.detect.sequential.batch import Alert
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.estimate import Estimate


def watch_level(core: Core, time: float) -> list[Alert]:
    """A page where the level has been below the SLO for a day, or uses the error budget up too fast.

    However long that lasts it is one page. It is over when the level of the last day is back at the SLO and the errors
    of the last six hours are back within their budget; the next one needs a whole day below, or both windows of the
    budget beyond it, after that.
    """
    settings, floor = core.settings, core.memory.floor
    if settings.slo is None:
        floor.told = False
        return []
    if not core.instruments.informative:
        return []
    found = _too_low(core, settings.slo)
    if floor.told:
        floor.told = not _back(core, settings.slo)
        return []
    if found is None:
        return []
    floor.told = True
    return [Alert(time, "page", "faithfulness", None, found)]


def _too_low(core: Core, slo: float) -> dict[str, float | str] | None:
    memory, limit = core.memory, core.settings.burn
    low = memory.floor.breached(slo, memory.clock.now, core.calibration)
    if low is not None:
        return _figures(low, slo)
    burnt = None if limit is None else memory.errors.burning(slo, limit, core.calibration)
    if burnt is None:
        return None
    level, short, long = burnt
    return {**_figures(level, slo), "burn_6h": short, "burn_3d": long}


def _back(core: Core, slo: float) -> bool:
    memory, limit = core.memory, core.settings.burn
    level = memory.floor.level(core.calibration)
    if level is None or level.value < slo:
        return False
    return limit is None or memory.errors.back(slo, limit, core.calibration)


def _figures(level: Estimate, slo: float) -> dict[str, float | str]:
    return {
        "level": level.value,
        "lower": level.lower,
        "upper": level.upper,
        "n": level.n_judged,
        "traces": level.n_traces,
        "method": level.method,
        "slo": slo,
    }
