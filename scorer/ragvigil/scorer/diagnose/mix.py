"""Which value's traffic grew or shrank so that the level fell though no answer became worse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.diagnose.evidence import Evidence

_FEWEST = 20


@dataclass(frozen=True, slots=True)
class Shifted:
    """A value whose share of the traffic changed."""

    value: tuple[str, str]
    """(dimension, value)."""
    before: float
    """Share of all records."""
    after: float
    level: float
    """Mean outcome of its records before."""


def shifted(evidence: Evidence, since: float, begin: float) -> Shifted | None:
    """The value whose change of share, times its distance from the mean level, lowers the level most."""
    early = evidence.time < since
    late = evidence.time >= begin
    known = early & np.isfinite(evidence.outcome)
    if not known.any() or not (late & evidence.everyone).any():
        return None
    mean = float(np.average(evidence.outcome[known], weights=1.0 / evidence.inclusion[known]))
    found: list[tuple[float, Shifted]] = []
    for dimension in evidence.dimensions:
        for code, value in enumerate(dimension.values):
            has = dimension.codes == code
            own = known & has
            if int(own.sum()) < _FEWEST:
                continue
            level = float(np.average(evidence.outcome[own], weights=1.0 / evidence.inclusion[own]))
            old = float(has[early & evidence.everyone].mean())
            new = float(has[late & evidence.everyone].mean())
            found.append(((new - old) * (level - mean), Shifted((dimension.name, value), old, new, level)))
    worst = min(found, key=lambda one: (one[0], one[1].value), default=None)
    return worst[1] if worst is not None and worst[0] < 0.0 else None
