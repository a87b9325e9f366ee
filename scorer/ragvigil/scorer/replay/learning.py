"""How long a replay learns before it may page: a third of a recording that is shorter than twice the usual time."""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.scorer.config import Rule, Settings

_DAY = 86_400.0
_SHARE = 1 / 3
_LEAST_DAYS = 1.0
"""A service's day has hours of its own: the sequential detectors see each once."""


@dataclass(frozen=True, slots=True)
class Learning:
    """Settings that fit a recording, and what was shortened for it."""

    settings: Settings
    seconds: float | None = None
    """The longest time that is learned in instead of the usual one; None where nothing was shortened."""
    shortened: tuple[str, ...] = ()
    """Settings by name that this run has shorter; setting one keeps it as it is set."""


def fitted(settings: Settings, extent: tuple[int, int]) -> Learning:
    """The same settings, with learning times that leave most of a recording to be watched.

    `extent` is its first and last moment, Unix nanoseconds. What somebody has set stays; so does what a recording is
    long enough for (twice the time), or too short for: window rules learn one window at least, the sequential
    detectors a day, and either needs as much again to watch. How many answers a baseline needs stays as it is.
    """
    length = (extent[1] - extent[0]) / 1e9
    monitor, detect = settings.monitor, settings.detect
    found: dict[str, float] = {}
    rules: dict[str, Rule] = {}
    for name, rule in (("faithfulness", monitor.faithfulness), ("measures", monitor.measures)):
        wanted = _shorter(length, rule.warmup_seconds, least=rule.window_seconds)
        if wanted is not None and "warmup_seconds" not in rule.model_fields_set:
            rules[name] = rule.model_copy(update={"warmup_seconds": wanted})
            found[f"monitor.{name}.warmup_seconds"] = wanted
    wanted = _shorter(length, detect.learning_days * _DAY, least=_LEAST_DAYS * _DAY)
    if wanted is not None and detect.enabled and "learning_days" not in detect.model_fields_set:
        detect = detect.model_copy(update={"learning_days": wanted / _DAY})
        found["detect.learning_days"] = wanted
    if not found:
        return Learning(settings)
    fit = settings.model_copy(update={"monitor": monitor.model_copy(update=rules), "detect": detect})
    return Learning(fit, max(found.values()), tuple(found))


def _shorter(length: float, usual: float, *, least: float) -> float | None:
    """Seconds to learn in `length` seconds of recording; None where the usual time stays."""
    wanted = max(_SHARE * length, least)
    return wanted if length < 2.0 * usual and wanted < usual and length >= 2.0 * wanted else None
