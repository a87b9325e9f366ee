"""What is normal: daily sums of each segment, learned late, frozen while an incident is open."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Booleans, Floats, Integers
from ragvigil.scorer.detect.sequential.gold import USUAL_UNFAITHFUL, Instruments
from ragvigil.scorer.detect.sequential.settings import MonitorSettings

KEPT_DAYS = 60
PRIOR_JUDGED = 300.0
"""Judged traces of the whole service that a segment's own are mixed with, so that a thin one is not wild."""
PRIOR_TRACES = 2000.0
"""The same for what every trace has."""
BINS = 12
"""Of the cheap score, for the share of flags at each."""


class Sum(IntEnum):
    """Rows of a day's sums."""

    TRACES = 0
    CHEAP_COUNT = 1
    CHEAP = 2
    CHEAP_CLUSTERED = 3
    """Squares of each conversation's summed residual."""
    JUDGED = 4
    WEIGHT = 5
    PASSED = 6
    """Weighted."""
    FLAGS = 7
    """Weighted by suspicion and 1/pi, false flags taken off: see `evidence`."""
    FLAGS_SQUARED = 8
    CITATIONS = 9
    BAD_CITATIONS = 10
    RETRIEVALS = 11
    EMPTY = 12
    FLAG_TRACES = 13
    """Traces of the batches whose verdicts are in FLAGS."""


@dataclass(slots=True)
class Day:
    """Sums of one day."""

    number: int
    sums: Floats
    """(Sum, slots)."""
    flags: Floats
    """(2, BINS): weight, and weighted flags beyond the model's, at each level of suspicion."""
    frozen: Booleans
    """(slots,) not to be learned from."""


@dataclass(slots=True)
class Baseline:
    """Sums per day and segment; whoever reads them asks for a `Reference`."""

    days: list[Day] = field(default_factory=list[Day])
    """Ascending."""

    def add(self, number: int, sums: Floats, flags: Floats, frozen: Booleans) -> None:
        """Add one batch to its day; a day that is too old to be kept is passed over."""
        for day in self.days:
            if day.number == number:
                day.sums = day.sums + sums
                day.flags = day.flags + flags
                day.frozen = day.frozen | frozen
                return
        at = sum(day.number < number for day in self.days)
        if at == 0 and len(self.days) >= KEPT_DAYS:
            return
        self.days.insert(at, Day(number, sums, flags, frozen))
        if len(self.days) > KEPT_DAYS:
            self._merge_oldest()

    def _merge_oldest(self) -> None:
        """Fold the oldest day into the next at 90 %, so that long ago fades and the baseline is never empty."""
        old, day = self.days[0], self.days[1]
        day.sums = 0.9 * (old.sums * ~old.frozen + day.sums * ~day.frozen)
        day.flags = 0.9 * (old.flags + day.flags)
        day.frozen = old.frozen & day.frozen
        del self.days[0]

    def freeze(self, since: int, slots: Booleans) -> None:
        """Leave out the days from number `since` on for these slots."""
        for day in self.days:
            if day.number >= since:
                day.frozen = day.frozen | slots

    def move_passed(self, change: float, weight_faithful: float) -> None:
        """The judge now passes `change` more of the same answers: restate all that it said."""
        for day in self.days:
            sums = day.sums
            sums[Sum.PASSED] = np.clip(sums[Sum.PASSED] + change * sums[Sum.WEIGHT], 0.0, sums[Sum.WEIGHT])
            sums[Sum.FLAGS] -= change * weight_faithful * sums[Sum.FLAG_TRACES]

    def move_cheap(self, slots: Booleans, change: float) -> None:
        """The suspicion of the same answers is now `change` higher: restate what was seen."""
        for day in self.days:
            day.sums[Sum.CHEAP] += np.where(slots, change * day.sums[Sum.CHEAP_COUNT], 0.0)

    def total(self, first: int, today: int, settings: MonitorSettings) -> tuple[Floats, Floats]:
        """(sums, flags) over the days that count: learning days and those older than the lag, unfrozen."""
        sums = np.zeros((len(Sum), settings.slots))
        flags = np.zeros((2, BINS))
        for day in self.days:
            if day.number < first + settings.learning_days or day.number <= today - settings.lag_days:
                sums += day.sums * ~day.frozen
                flags += day.flags * (1.0 - float(day.frozen.mean()))
        return sums, flags


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
    flags_error: Floats
    flags_error_overall: float
    unfaithful: Floats
    """Share of unfaithful answers, for the model of flags at a cheap score."""
    correction: Floats
    """(BINS,) flags beyond the model's at each level of suspicion."""
    bad_citations: Floats
    empty: Floats
    judged: float
    """All judged traces behind it."""


def refer(sums: Floats, flags: Floats, instruments: Instruments) -> Reference:
    """The reference behind a baseline's sums; every rate is mixed with the whole service's."""
    whole = sums.sum(axis=1)
    judged, traces = sums[Sum.JUDGED], sums[Sum.FLAG_TRACES]
    p = (whole[Sum.PASSED] + 0.5) / (whole[Sum.WEIGHT] + 1.0)
    per_weight = judged / np.maximum(sums[Sum.WEIGHT], 1e-9)
    passed = (sums[Sum.PASSED] * per_weight + PRIOR_JUDGED * p) / (judged + PRIOR_JUDGED)
    spread = passed * (1.0 - passed)
    prior = PRIOR_JUDGED * (whole[Sum.FLAG_TRACES] / max(whole[Sum.JUDGED], 1.0))
    u = float(whole[Sum.FLAGS] / max(whole[Sum.FLAG_TRACES], 1.0))
    noise = float(whole[Sum.FLAGS_SQUARED] / max(whole[Sum.FLAG_TRACES], 1.0))
    cheap = float(whole[Sum.CHEAP] / max(whole[Sum.CHEAP_COUNT], 1.0))
    clustered = float(whole[Sum.CHEAP_CLUSTERED] / max(whole[Sum.CHEAP_COUNT], 1.0))
    youden = max(instruments.youden, 0.05)
    unfaithful = 1.0 - (passed + instruments.specificity - 1.0) / youden
    cheap_noise = (sums[Sum.CHEAP_CLUSTERED] + PRIOR_TRACES * clustered) / (
        sums[Sum.CHEAP_COUNT] + PRIOR_TRACES
    )
    return Reference(
        share=(sums[Sum.TRACES] + 1e-3) / float((sums[Sum.TRACES] + 1e-3).sum()),
        cheap=(sums[Sum.CHEAP] + PRIOR_TRACES * cheap) / (sums[Sum.CHEAP_COUNT] + PRIOR_TRACES),
        cheap_noise=np.maximum(cheap_noise, 1e-6),
        cheap_error=np.sqrt(cheap_noise / (sums[Sum.CHEAP_COUNT] + PRIOR_TRACES)),
        passed=passed,
        passed_error=np.sqrt(spread / (judged + PRIOR_JUDGED)),
        passed_error_overall=float(np.sqrt(p * (1.0 - p) / (whole[Sum.JUDGED] + 1.0))),
        flags=(sums[Sum.FLAGS] + prior * u) / (traces + prior + 1e-9),
        flags_error=np.sqrt(noise / (traces + prior + 1.0)),
        flags_error_overall=float(np.sqrt(noise / (whole[Sum.FLAG_TRACES] + 1.0))),
        unfaithful=np.clip(unfaithful, 0.005, 0.4),
        correction=flags[1] / (flags[0] + 200.0),
        bad_citations=_rate(sums[Sum.BAD_CITATIONS], sums[Sum.CITATIONS]),
        empty=_rate(sums[Sum.EMPTY], sums[Sum.RETRIEVALS]),
        judged=float(whole[Sum.JUDGED]),
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
