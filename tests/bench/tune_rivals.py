"""The thresholds of the tuned rivals: how many false pages each brings on quiet services.

    nice python tests/bench/tune_rivals.py [--traces-per-day 20000] [--seeds 30] [--first-seed 0] [--rule CUSUM …]

The verdicts of each service are drawn once, a tenth of all at random; every threshold then reads the same ones. The
one nearest to one false page in 90 days (.33 in 30) belongs into `simulate/rivals.py`. Seeds below 1000 only: what
is shown in docs/alert-quality.md is from others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect import Alert, Batch, GoldSet
from ragvigil.scorer.simulate import SCENARIOS, World, drive
from ragvigil.scorer.simulate.rivals import SHARE, Rival, burn_rate
from ragvigil.scorer.simulate.textbook import Detector, Ewma, JudgedCusum, RollingMean
from ragvigil.scorer.simulate.world import Floats

DAYS = 37
RULES: dict[str, tuple[Callable[[float, GoldSet], Detector], tuple[float, ...]]] = {
    "CUSUM": (lambda limit, _: JudgedCusum(limit), (6.2, 7.0, 7.4, 7.8, 8.6, 9.4, 10.2)),
    "EWMA": (lambda limit, _: Ewma(limit), (4.6, 4.8, 5.0, 5.2, 5.5)),
    "rolling mean": (lambda margin, _: RollingMean(margin), (0.22, 0.24, 0.26, 0.29, 0.32)),
    "burn rate": (burn_rate, (2.2, 2.7, 3.3, 4.0, 4.5)),
}


class Recorder:
    """A rule that judges a tenth at random and writes down what it saw."""

    canary_wanted = 0

    def __init__(self, world: World, gold: GoldSet) -> None:
        """Nothing seen yet."""
        self.gold, self._segments = gold, world.segments
        self.rows: list[tuple[float, Floats, Floats]] = []
        """(end of the batch, judged, passed), per segment."""

    def plan(self, batch: Batch) -> npt.NDArray[np.float64]:
        """A tenth of all."""
        return np.full(np.size(batch.time), SHARE)

    def observe(self, batch: Batch) -> list[Alert]:
        """Count."""
        segment, verdict = np.asarray(batch.segment, np.int64), np.asarray(batch.verdict, np.float64)
        known = verdict >= 0.0
        n = np.bincount(segment[known], minlength=self._segments).astype(np.float64)
        k = np.bincount(segment[known], verdict[known], minlength=self._segments).astype(np.float64)
        self.rows.append((batch.end, n, k))
        return []

    def canary(
        self,
        old_verdicts: npt.NDArray[np.generic],
        new_verdicts: npt.NDArray[np.generic],
    ) -> list[Alert]:
        """Never asked for."""
        return []


def main() -> None:
    """One line a threshold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--traces-per-day", type=float, default=20_000.0)
    parser.add_argument("--seeds", type=int, default=30)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--rule", nargs="*", default=list(RULES), choices=list(RULES))
    arguments = parser.parse_args()
    world = World(traces_per_day=arguments.traces_per_day)
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    services = list(record(world, seeds))
    days = len(services) * (DAYS - 7)
    for name in arguments.rule:
        make, limits = RULES[name]
        for limit in limits:
            pages = sum(replay(world, service, make(limit, service.gold)) for service in services)
            sys.stdout.write(
                f"{name:13s} {limit:6.3g}: {pages} pages in {days} days = {30 * pages / days:.2f} / 30 d\n"
            )
            sys.stdout.flush()


def record(world: World, seeds: range) -> Iterator[Recorder]:
    """The verdicts of quiet services."""
    for seed in seeds:
        made: list[Recorder] = []

        def build(world: World, gold: GoldSet, made: list[Recorder] = made) -> Recorder:
            made.append(Recorder(world, gold))
            return made[0]

        drive(build, SCENARIOS["null30"], seed, world=world, days=DAYS)
        yield made[0]


def replay(world: World, service: Recorder, detector: Detector) -> int:
    """Pages that a detector brings on one service."""
    rival = Rival(world, detector)
    return sum(len(rival.decide(end, judged, passed)) for end, judged, passed in service.rows)


if __name__ == "__main__":
    main()
