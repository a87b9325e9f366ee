"""The level itself, for those who have an SLO: a floor, and the burn of the error budget."""

from __future__ import annotations

from ragvigil.scorer.detect.sequential.batch import Alert
from ragvigil.scorer.detect.sequential.core import Core


def watch_level(core: Core, time: float) -> list[Alert]:
    """Pages where the level has been below the SLO for a day, or uses the error budget up too fast."""
    settings, memory = core.settings, core.memory
    if settings.slo is None or not core.instruments.informative:
        return []
    alerts: list[Alert] = []
    found = memory.floor.breached(settings.slo, memory.clock.now, core.calibration)
    if found is not None:
        low: dict[str, float | str] = {"level": found.value, "upper": found.upper, "slo": settings.slo}
        alerts.append(Alert(time, "page", "faithfulness", None, low))
    burnt = None
    if settings.burn is not None:
        burnt = memory.errors.burning(settings.slo, settings.burn, core.calibration)
    if burnt is not None:
        burn: dict[str, float | str] = {"burn_6h": burnt[0], "burn_3d": burnt[1], "slo": settings.slo}
        alerts.append(Alert(time, "page", "faithfulness", None, burn))
    return alerts
