"""Alert rules that others document, behind the same methods as our monitor: one history, one rule each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Alert, Batch, GoldSet
from ragvigil.scorer.simulate.scenario import DAY
from ragvigil.scorer.simulate.world import Floats, World

Booleans = npt.NDArray[np.bool_]

LEARNING_DAYS = 7.0
LAG_DAYS = 3.0
SHARE = 0.10
"""Of all traces, judged at random."""
FEWEST = 20.0
"""Verdicts in a window below which a rule that is careful says nothing."""


@dataclass(slots=True)
class History:
    """Verdicts so far by batch (rows) and stream (segments, then overall)."""

    batch_seconds: float
    judged: list[Floats] = field(default_factory=list[Floats])
    passed: list[Floats] = field(default_factory=list[Floats])
    normal: Floats = field(default_factory=lambda: np.zeros(0))
    """(streams,) pass rate of the week that ended three days ago."""

    def add(self, judged: Floats, passed: Floats) -> None:
        """Take one batch; what is normal is learned anew once a day."""
        self.judged.append(judged)
        self.passed.append(passed)
        day = round(DAY / self.batch_seconds)
        if self.normal.size == 0 or len(self.judged) % day == 0:
            week, lag = round(LEARNING_DAYS * day), round(LAG_DAYS * day)
            end = max(len(self.judged) - lag, min(week, len(self.judged)))
            n = np.sum(self.judged[max(0, end - week) : end], axis=0)
            self.normal = (np.sum(self.passed[max(0, end - week) : end], axis=0) + 0.5) / (n + 1.0)

    def last(self, seconds: float) -> tuple[Floats, Floats]:
        """(judged, passed) per stream over the last `seconds`, at least one batch."""
        count = max(1, round(seconds / self.batch_seconds))
        return np.sum(self.judged[-count:], axis=0), np.sum(self.passed[-count:], axis=0)


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


class Rival:
    """A detector with its history; mutes each stream after a page."""

    def __init__(self, world: World, detector: Detector, mute_hours: float = 24.0) -> None:
        """Nothing seen yet."""
        self._segments, self._detector = world.segments, detector
        self._history = History(world.batch_seconds)
        self._mute, self._muted = mute_hours * 3600.0, np.full(world.segments + 1, -1e18)

    def observe(self, batch: Batch) -> list[Alert]:
        """Count verdicts, ask the detector, page where it is not muted; one page where all traffic is in alarm."""
        segment, verdict = np.asarray(batch.segment, np.int64), np.asarray(batch.verdict, np.float64)
        known = verdict >= 0.0
        n = np.bincount(segment[known], minlength=self._segments).astype(np.float64)
        k = np.bincount(segment[known], verdict[known], minlength=self._segments).astype(np.float64)
        self._history.add(np.append(n, n.sum()), np.append(k, k.sum()))
        alarms = self._detector.alarms(self._history) & (self._muted <= batch.end)
        if batch.end <= LEARNING_DAYS * DAY or not alarms.any():
            return []
        streams = [self._segments] if alarms[-1] else [int(stream) for stream in np.flatnonzero(alarms)]
        self._muted[:] = np.where(alarms | alarms[-1], batch.end + self._mute, self._muted)
        return [
            Alert(batch.end, "page", "faithfulness", None if stream == self._segments else stream)
            for stream in streams
        ]


RIVALS: dict[str, Callable[[World, GoldSet], Rival]] = {
    "single trace": lambda world, _: Rival(world, SingleTrace(), mute_hours=1.0),
    "rolling mean": lambda world, _: Rival(world, RollingMean(0.05)),
    "rolling mean, no data is 0": lambda world, _: Rival(world, RollingMean(0.05, empty_is_zero=True)),
    "rolling mean, tuned": lambda world, _: Rival(world, RollingMean(0.22)),
    "EWMA": lambda world, _: Rival(world, Ewma(3.0)),
    "EWMA, tuned": lambda world, _: Rival(world, Ewma(4.6)),
    "burn rate": lambda world, gold: Rival(world, _burn(gold, 1.0)),
    "burn rate, tuned": lambda world, gold: Rival(world, _burn(gold, 4.5)),
    "CUSUM": lambda world, _: Rival(world, JudgedCusum(5.0)),
    "CUSUM, tuned": lambda world, _: Rival(world, JudgedCusum(8.6)),
}
"""Each as documented, and with its threshold tuned to the false pages of ours where it can be."""


def _burn(gold: GoldSet, factor: float) -> BurnRate:
    truth, verdict = np.asarray(gold.truth, np.float64) >= 0.5, np.asarray(gold.verdict, np.float64) >= 0.5
    return BurnRate(float(verdict[truth].mean()), float((~verdict)[~truth].mean()), factor)


class Panel:
    """Several rivals on the same verdicts of a tenth at random: a rule that can be driven, and never pages itself."""

    canary_wanted = 0

    def __init__(self, names: Sequence[str]) -> None:
        """Their names in `RIVALS`."""
        self.alerts: dict[str, list[Alert]] = {name: [] for name in names}
        self._rivals: dict[str, Rival] = {}

    def begin(self, world: World, gold: GoldSet) -> Panel:
        """Fresh rivals for a service, with no alert yet."""
        self._rivals = {name: RIVALS[name](world, gold) for name in self.alerts}
        self.alerts = {name: [] for name in self.alerts}
        return self

    def plan(self, batch: Batch) -> npt.NDArray[np.float64]:
        """A tenth of all."""
        return np.full(np.size(batch.time), SHARE)

    def observe(self, batch: Batch) -> list[Alert]:
        """Each takes the batch."""
        for name, rival in self._rivals.items():
            self.alerts[name] += rival.observe(batch)
        return []

    def canary(
        self,
        old_verdicts: npt.NDArray[np.generic],  # noqa: ARG002 - the protocol's name
        new_verdicts: npt.NDArray[np.generic],  # noqa: ARG002
    ) -> list[Alert]:
        """Never asked for."""
        return []
