"""Alert rules that others document, behind the same methods as our monitor."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Alert, Batch, GoldSet
from ragvigil.scorer.simulate.scenario import DAY
from ragvigil.scorer.simulate.textbook import (
    LEARNING_DAYS,
    BurnRate,
    Detector,
    Ewma,
    History,
    JudgedCusum,
    RollingMean,
    SingleTrace,
)
from ragvigil.scorer.simulate.world import Floats, World

SHARE = 0.10
"""Of all traces, judged at random."""


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
        return self.decide(batch.end, n, k)

    def decide(self, end: float, judged: Floats, passed: Floats) -> list[Alert]:
        """The same for verdicts that are counted already, (segments,) each, of a batch that ends at `end` seconds."""
        self._history.add(np.append(judged, judged.sum()), np.append(passed, passed.sum()))
        alarms = self._detector.alarms(self._history) & (self._muted <= end)
        if end <= LEARNING_DAYS * DAY or not alarms.any():
            return []
        streams = [self._segments] if alarms[-1] else [int(stream) for stream in np.flatnonzero(alarms)]
        self._muted[:] = np.where(alarms | alarms[-1], end + self._mute, self._muted)
        return [
            Alert(end, "page", "faithfulness", None if stream == self._segments else stream)
            for stream in streams
        ]


RIVALS: dict[str, Callable[[World, GoldSet], Rival]] = {
    "single trace": lambda world, _: Rival(world, SingleTrace(), mute_hours=1.0),
    "rolling mean": lambda world, _: Rival(world, RollingMean(0.05)),
    "rolling mean, no data is 0": lambda world, _: Rival(world, RollingMean(0.05, empty_is_zero=True)),
    "rolling mean, tuned": lambda world, _: Rival(world, RollingMean(_tuned("rolling mean", world))),
    "EWMA": lambda world, _: Rival(world, Ewma(3.0)),
    "EWMA, tuned": lambda world, _: Rival(world, Ewma(_tuned("EWMA", world))),
    "burn rate": lambda world, gold: Rival(world, burn_rate(1.0, gold)),
    "burn rate, tuned": lambda world, gold: Rival(world, burn_rate(_tuned("burn rate", world), gold)),
    "CUSUM": lambda world, _: Rival(world, JudgedCusum(5.0)),
    "CUSUM, tuned": lambda world, _: Rival(world, JudgedCusum(_tuned("CUSUM", world))),
}
"""Each as documented, and tuned to about one false page in 90 days."""


TUNED: dict[str, dict[float, float]] = {
    "rolling mean": {2_000.0: 0.31, 20_000.0: 0.245},
    "EWMA": {2_000.0: 5.2, 20_000.0: 5.0},
    "burn rate": {2_000.0: 4.5, 20_000.0: 2.9},
    "CUSUM": {2_000.0: 7.3, 20_000.0: 9.4},
}
"""Thresholds by traces a day: tests/bench/tune_rivals.py finds them, on quiet services of seeds 0 to 29."""


def _tuned(rule: str, world: World) -> float:
    """The threshold that was found for the nearest traffic."""
    found = TUNED[rule]
    return found[min(found, key=lambda traces: abs(np.log(traces / world.traces_per_day)))]


def burn_rate(factor: float, gold: GoldSet) -> BurnRate:
    """Burn rates on the level, corrected by the error rates that the gold set shows."""
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
