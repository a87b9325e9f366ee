"""How much judging the design saves: the share of plain random judging that would know as much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate.judged import FEWEST_FOR_CONTROL, fit
from ragvigil.scorer.estimate.result import Refusal, too_few
from ragvigil.scorer.estimate.window import Window


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Judging of `judged_share` with this design knows as much of these records as plain judging of `plain_share`."""

    judged_share: float
    plain_share: float

    @property
    def factor(self) -> float:
        """plain_share / judged_share: above 1 the design saves judge calls."""
        return self.plain_share / self.judged_share


def efficiency(data: Window) -> Efficiency | Refusal:
    """Measured on a stretch with its cheap scores: weights, strata and control variate against plain sampling.

    Design-based (Poisson sampling): Var = Σ over verdicts of (1 - inclusion) · influence², against
    p(1 - p) / N · (1 / f - 1) of a plain sample of share f. At s = .85, t = .92 a claim above 1.5 is wrong:
    judge noise, not sampling, dominates.
    """
    known = data.known
    n = int(known.sum())
    if n < FEWEST_FOR_CONTROL or not data.complete:
        return too_few(n, data.n_traces)
    one = fit(data, data.verdict, control=data.cheap is not None)
    own = one.influence[known]
    variance = float(((1.0 - data.inclusion[known]) * own) @ own)
    spread = max(one.value * (1.0 - one.value), 1e-9) / data.size
    return Efficiency(n / data.size, float(np.clip(1.0 / (1.0 + variance / spread), 0.0, 1.0)))
