"""The level itself, for those who have an SLO: a floor, and the burn of the error budget."""

from __future__ import annotations

from ragvigil.scorer.detect.sequential.batch import Alert
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.estimate import Estimate


def watch_level(core: Core, time: float) -> list[Alert]:
    """Pages where the level has been below the SLO for a day, or uses the error budget up too fast."""
    settings, memory = core.settings, core.memory
    if settings.slo is None or not core.instruments.informative:
        return []
    alerts: list[Alert] = []
    found = memory.floor.breached(settings.slo, memory.clock.now, core.calibration)
    if found is not None:
        alerts.append(Alert(time, "page", "faithfulness", None, _figures(found, settings.slo)))
    burnt = None
    if settings.burn is not None:
        burnt = memory.errors.burning(settings.slo, settings.burn, core.calibration)
    if burnt is not None:
        level, short, long = burnt
        burn = {**_figures(level, settings.slo), "burn_6h": short, "burn_3d": long}
        alerts.append(Alert(time, "page", "faithfulness", None, burn))
    return alerts


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
