"""A level under the floor that was set (`detect.slo`): what is told of it, and when it is over. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragvigil.exporters import Action, Measurement
from ragvigil.scorer.config import Rule
from ragvigil.scorer.detect import Course, nanoseconds
from ragvigil.scorer.estimate import Estimate
from ragvigil.scorer.incidents.life import advanced
from ragvigil.scorer.moments import DAY
from ragvigil.scorer.monitoring import FLOOR, Incident

BREACH_NANOSECONDS = DAY
"""How long the level has been under the floor when it is told."""


def point(value: float, method: str) -> Measurement:
    """A value that nobody estimated."""
    return Measurement(value, value, value, 0, None, method)


def breach(evidence: Mapping[str, float | str]) -> tuple[Measurement, Measurement, str | None]:
    """(floor, level, note) of the core's evidence: a level under the floor, or errors that burn its budget."""
    value, lower, upper, slo = (float(evidence[name]) for name in ("level", "lower", "upper", "slo"))
    level = Measurement(
        value,
        lower,
        upper,
        int(evidence["n"]),
        int(evidence["traces"]),
        str(evidence["method"]),
        calibrated=True,
    )
    note = None
    if "burn_6h" in evidence:
        note = (
            f"Errors use up what the floor allows {float(evidence['burn_6h']):.1f} times as fast as they may over "
            f"6 hours, and {float(evidence['burn_3d']):.1f} times over 3 days."
        )
    return point(slo, FLOOR), level, note


def follow_floor(
    incident: Incident, level: Estimate | None, floor: float | None, rule: Rule, *, end: int, at: int
) -> tuple[Incident, Action | None]:
    """The incident after the batch that ended at `end`, measured against the floor as it is set today.

    Over when the level has been at the floor or above for resolve_seconds, or when no floor is set any more; a
    level that is as low as it was keeps it open, for it is told of what is low and not of what fell. A level that is
    not known (None) changes nothing.
    """
    if floor is None:
        return replace(incident, resolved_at=at), "resolve"
    incident = replace(incident, before=point(floor, FLOOR))
    if level is None:
        return incident, None
    back = None
    if level.value >= floor:
        back = end if incident.recovering_since is None else incident.recovering_since
    over = back is not None and end - back >= nanoseconds(rule.resolve_seconds)
    return advanced(incident, Course(level, back, over), rule, at=at)
