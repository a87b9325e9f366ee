"""What others document: the history that a rule looks at, and one detector for each rule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.simulate.scenario import DAY
from ragvigil.scorer.simulate.world import Floats

Booleans = npt.NDArray[np.bool_]

LEARNING_DAYS = 7.0
LAG_DAYS = 3.0
FEWEST = 20.0
"""Verdicts in a window below which a rule that is careful says nothing."""


@dataclass(slots=True)
class History:
    """Verdicts so far by batch (rows) and stream (segments, then overall)."""

    batch_seconds: float
    judged: list[Floats] = field(default_factory=list[Floats])
    passed: list[Floats] = field(default_factory=list[Floats])
    sums: list[Floats] = field(default_factory=list[Floats])
    """(2, streams) judged and passed up to each batch, so that a window is a difference."""
    normal: Floats = field(default_factory=lambda: np.zeros(0))
    """(streams,) pass rate of the week that ended three days ago."""

    def add(self, judged: Floats, passed: Floats) -> None:
        """Take one batch; what is normal is learned anew once a day."""
        self.judged.append(judged)
        self.passed.append(passed)
        both = np.stack([judged, passed])
        self.sums.append(self.sums[-1] + both if self.sums else both)
        day = round(DAY / self.batch_seconds)
        if self.normal.size == 0 or len(self.judged) % day == 0:
            week, lag = round(LEARNING_DAYS * day), round(LAG_DAYS * day)
            end = max(len(self.judged) - lag, min(week, len(self.judged)))
            n, k = self._between(max(0, end - week), end)
            self.normal = (k + 0.5) / (n + 1.0)

    def last(self, seconds: float) -> tuple[Floats, Floats]:
        """(judged, passed) per stream over the last `seconds`, at least one batch."""
        count = max(1, round(seconds / self.batch_seconds))
        return self._between(max(0, len(self.sums) - count), len(self.sums))

    def _between(self, first: int, end: int) -> tuple[Floats, Floats]:
        """(judged, passed) of the batches [first, end)."""
        n, k = self.sums[end - 1] - (self.sums[first - 1] if first else 0.0)
        return n, k


class Detector(Protocol):
    """A rule: which streams are in alarm after the newest batch."""

    def alarms(self, history: History) -> Booleans:
        """(streams,)."""
        ...


class SingleTrace:
    """One judged failure is a page."""

    def alarms(self, history: History) -> Booleans:
        """Only all traffic together, or every segment would page for it as well."""
        alarms: Booleans = history.judged[-1] > history.passed[-1]
        alarms[:-1] = False
        return alarms


@dataclass(slots=True)
class RollingMean:
    """The mean of the last 24 hours lies `margin` below normal."""

    margin: float
    empty_is_zero: bool = False
    """Hours without a verdict count as 0, as where a query fills gaps with zeros."""

    def alarms(self, history: History) -> Booleans:
        """Means over verdicts; over hours where empty ones count."""
        judged, passed = history.last(DAY)
        mean = passed / np.maximum(judged, 1.0)
        if not self.empty_is_zero:
            return (judged >= FEWEST) & (mean < history.normal - self.margin)
        n, k = (
            np.array(rows[-round(DAY / history.batch_seconds) :]) for rows in (history.judged, history.passed)
        )
        by_batch: Floats = np.mean(k / np.maximum(n, 1.0), axis=0)
        return by_batch < history.normal - self.margin


@dataclass(slots=True)
class Ewma:
    """Exponentially weighted mean of standardised batch means, weight .2 (Roberts 1959), beyond `limit` deviations."""

    limit: float
    mean: Floats | None = None

    def alarms(self, history: History) -> Booleans:
        """Batches without a verdict leave it as it is."""
        n, k, p = history.judged[-1], history.passed[-1], history.normal
        z = (k - n * p) / np.sqrt(np.maximum(n * p * (1.0 - p), 1e-9))
        before = np.zeros(n.size) if self.mean is None else self.mean
        self.mean = np.where(n > 0.0, 0.8 * before + 0.2 * z, before)
        alarms: Booleans = self.mean < -self.limit * (0.2 / 1.8) ** 0.5
        return alarms


@dataclass(slots=True)
class BurnRate:
    """The SRE workbook's three pairs of windows (chapter 5, table 5-8) on the corrected level, with an SLO of 92 %."""

    sensitivity: float
    specificity: float
    factor: float = 1.0
    """On the thresholds 14.4, 6 and 1."""
    slo: float = 0.92

    def alarms(self, history: History) -> Booleans:
        """Both windows of a pair burn too fast."""
        alarms = np.zeros(history.normal.size, np.bool_)
        for long, short, limit in ((1.0, 1.0 / 12.0, 14.4), (6.0, 0.5, 6.0), (72.0, 6.0, 1.0)):
            over = np.ones(alarms.size, np.bool_)
            for hours in (long, short):
                n, k = history.last(hours * 3600.0)
                share = k / np.maximum(n, 1.0)
                level = (share + self.specificity - 1.0) / (self.sensitivity + self.specificity - 1.0)
                over &= (n > 0.0) & ((1.0 - level) / (1.0 - self.slo) > limit * self.factor)
            alarms |= over & (history.last(long * 3600.0)[0] >= FEWEST)
        return alarms


@dataclass(slots=True)
class JudgedCusum:
    """Bernoulli CUSUM (Page 1954) on verdicts for a fall of the pass rate by 4 points, in segments by 8."""

    limit: float
    log: Floats | None = None

    def alarms(self, history: History) -> Booleans:
        """All traffic as the sum over its segments, as ours, so that a shift of the mix does not page."""
        n, k, p = history.judged[-1], history.passed[-1], np.clip(history.normal, 0.05, 0.99)

        def step(fall: float) -> Floats:
            worse = np.maximum(p - fall, 0.02)
            return k * np.log(worse / p) + (n - k) * np.log((1.0 - worse) / (1.0 - p))

        own = step(0.08)
        own[-1] = step(0.04)[:-1].sum()
        self.log = np.maximum(0.0, (0.0 if self.log is None else self.log) + own)
        alarms: Booleans = self.log > self.limit
        self.log = np.where(alarms, 0.0, self.log)
        return alarms
