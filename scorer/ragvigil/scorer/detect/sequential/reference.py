"""What is normal, as numbers: every rate of a segment mixed with the whole service's, its uncertainty beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import BINS, Day, Series, Sum
from ragvigil.scorer.detect.sequential.batch import Booleans, Floats, Integers
from ragvigil.scorer.detect.sequential.day_spread import logit_spread
from ragvigil.scorer.detect.sequential.gold import USUAL_UNFAITHFUL, Instruments

PRIOR_JUDGED = 300.0
"""Judged traces of the whole service that a segment's own are mixed with, so that a thin one is not wild."""
PRIOR_TRACES = 2000.0
"""The same for what every trace has."""
LEAST_WOBBLING = 0.04
"""Unfaithful share that days are taken to vary around at least: a small gold set corrects to 0 now and then, and a
service without errors would have no days that differ."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is normal, as numbers: arrays are per slot unless said otherwise."""

    share: Floats
    """Of the traffic."""
    cheap: Floats
    """Mean suspicion."""
    cheap_noise: Floats
    """Variance per trace of summed suspicion, conversations counted."""
    cheap_error: Floats
    passed: Floats
    """Share of judged traces that pass."""
    passed_error: Floats
    passed_error_overall: float
    flags: Floats
    """Mean weighted true flag per trace."""
    flags_variance: Floats
    """Squared standard error of `flags`."""
    flags_error: Floats
    flags_error_overall: float
    unfaithful: Floats
    """Share of unfaithful answers, for the model of flags at a cheap score."""
    day_spread: Floats
    """Day-to-day standard deviation of the faithful share while nothing is wrong."""
    day_spread_overall: float
    correction: Floats
    """(BINS,) flags beyond the model's at each level of suspicion."""
    bad_citations: Floats
    empty: Floats
    judged: float
    """All judged traces behind it."""
    learned: Booleans
    """(Series, slots) whose normal is known; nothing is said of the others."""

    def as_said(self, offset: float, weight_faithful: float) -> Reference:
        """The same, as a judge says it who passes `offset` more of the same answers."""
        if not offset:
            return self
        passed = np.clip(self.passed + offset, 0.0, 1.0)
        return replace(self, passed=passed, flags=self.flags - offset * weight_faithful)

    def short_of(self, missing: float, instruments: Instruments) -> Reference:
        """The same, as far as it may seem to fall when this share of the verdicts is missing and all had passed."""
        if not missing:
            return self
        share = min(missing, 0.9)
        passed = np.clip((self.passed - share) / (1.0 - share), 0.0, 1.0)
        flags = self.flags + share * instruments.false_flag * instruments.weight_faithful
        return replace(self, passed=passed, flags=flags)

    def unsure(self, error: float, weight_faithful: float) -> Reference:
        """The same, when the judge has moved by what is known up to a standard `error` of the pass rate."""
        if not error:
            return self
        return replace(
            self.unsure_of_flags(error * weight_faithful),
            passed_error=np.hypot(self.passed_error, error),
            passed_error_overall=float(np.hypot(self.passed_error_overall, error)),
        )

    def unsure_of_flags(self, error: float) -> Reference:
        """The same, when the weighted flags per trace are known up to a further standard `error` only."""
        return replace(
            self,
            flags_variance=self.flags_variance + error**2,
            flags_error=np.hypot(self.flags_error, error),
            flags_error_overall=float(np.hypot(self.flags_error_overall, error)),
        )

    def slots(self, series: Series) -> Booleans:
        """(slots,) whose normal of this series is known."""
        known: Booleans = self.learned[series]
        return known

    def streams(self, series: Series) -> Booleans:
        """(slots + 1,) the same, and all traffic: once any of it is known."""
        known = self.learned[series]
        return np.append(known, known.any())


def refer(
    sums: Floats, flags: Floats, days: list[Day], instruments: Instruments, learned: Booleans
) -> Reference:
    """The reference behind a baseline's sums and the `days` that they are from.

    An error of a segment's own is that of the worst of all segments to be expected, sqrt(2 ln K) of its standard
    errors: of forty young baselines one is always wrong by two. `learned` (Series, slots) is passed on.
    """
    whole = sums.sum(axis=1)
    judged, traces = sums[Sum.JUDGED], sums[Sum.FLAG_TRACES]
    p = (whole[Sum.PASSED] + 0.5) / (whole[Sum.WEIGHT] + 1.0)
    per_weight = judged / np.maximum(sums[Sum.WEIGHT], 1e-9)
    passed = (sums[Sum.PASSED] * per_weight + PRIOR_JUDGED * p) / (judged + PRIOR_JUDGED)
    spread = passed * (1.0 - passed)
    prior = PRIOR_JUDGED * (whole[Sum.FLAG_TRACES] / max(whole[Sum.JUDGED], 1.0))
    u = float(whole[Sum.FLAGS] / max(whole[Sum.FLAG_TRACES], 1.0))
    noise = float(whole[Sum.FLAGS_SQUARED] / max(whole[Sum.FLAG_TRACES], 1.0))
    flags_variance = np.maximum(noise, 1e-9) / (traces + prior + 1.0)
    cheap = float(whole[Sum.CHEAP] / max(whole[Sum.CHEAP_COUNT], 1.0))
    clustered = float(whole[Sum.CHEAP_CLUSTERED] / max(whole[Sum.CHEAP_COUNT], 1.0))
    youden = max(instruments.youden, 0.05)
    unfaithful = 1.0 - (passed + instruments.specificity - 1.0) / youden
    cheap_count = sums[Sum.CHEAP_COUNT] + PRIOR_TRACES
    cheap_noise = np.maximum((sums[Sum.CHEAP_CLUSTERED] + PRIOR_TRACES * clustered) / cheap_count, 1e-6)
    worst = float(np.sqrt(2.0 * np.log(sums.shape[1])))
    share = (sums[Sum.TRACES] + 1e-3) / float((sums[Sum.TRACES] + 1e-3).sum())
    unfaithful = np.clip(unfaithful, 0.005, 0.4)
    wobbling = np.maximum(unfaithful, LEAST_WOBBLING)
    spread_of_days = logit_spread(days, cheap_noise, wobbling, instruments) * wobbling * (1.0 - wobbling)
    return Reference(
        share=share,
        cheap=(sums[Sum.CHEAP] + PRIOR_TRACES * cheap) / cheap_count,
        cheap_noise=cheap_noise,
        cheap_error=worst * np.sqrt(cheap_noise / cheap_count),
        passed=passed,
        passed_error=worst * np.sqrt(spread / (judged + PRIOR_JUDGED)),
        passed_error_overall=float(np.sqrt(p * (1.0 - p) / (whole[Sum.JUDGED] + 1.0))),
        flags=(sums[Sum.FLAGS] + prior * u) / (traces + prior + 1e-9),
        flags_variance=flags_variance,
        flags_error=worst * np.sqrt(flags_variance),
        flags_error_overall=float(np.sqrt(noise / (whole[Sum.FLAG_TRACES] + 1.0))),
        unfaithful=unfaithful,
        day_spread=spread_of_days,
        day_spread_overall=float(np.sqrt((share**2) @ spread_of_days**2)),
        correction=flags[1] / (flags[0] + 200.0),
        bad_citations=_rate(sums[Sum.BAD_CITATIONS], sums[Sum.CITATIONS]),
        empty=_rate(sums[Sum.EMPTY], sums[Sum.RETRIEVALS]),
        judged=float(whole[Sum.JUDGED]),
        learned=learned,
    )


def _rate(bad: Floats, n: Floats) -> Floats:
    """Rates with their uncertainty put on top, so that a thin segment is not accused for its youth."""
    pooled = (bad.sum() + 0.5) / (n.sum() + 50.0)
    rate = (bad + PRIOR_JUDGED * pooled) / (n + PRIOR_JUDGED)
    young: Floats = np.sqrt(rate * (1.0 - rate) / (n + PRIOR_JUDGED))
    careful: Floats = np.clip(rate + young, 1e-3, 0.9)
    return careful


def level_of(suspicion: Floats) -> Integers:
    """Bin of a suspicion, equal steps on the logit scale."""
    odds = np.log(suspicion / np.maximum(1.0 - suspicion, 1e-9))
    low = np.log(USUAL_UNFAITHFUL) - 6.0
    level: Integers = np.clip((odds - low) / 11.0 * BINS, 0, BINS - 1).astype(np.int64)
    return level
