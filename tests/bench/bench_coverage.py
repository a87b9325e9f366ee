"""Coverage and width of every printed 95 % interval, on simulated traffic whose truth is known.

    python tests/bench/bench_coverage.py [--reps 200] [--seed 1] [--world default|…|all] [--only audited …]

Cells: faithful rate .80 .88 .92 .95 .97, 200 and 2,000 judged, conversations off and on. Worlds are the default one
(s = .85, t = .92, cheap score correlated .53) and shifted ones. The last line counts the cells outside .93 to .97; with
2,000 repetitions the Monte Carlo error of a coverage is .005.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.scorer.estimate.coverage import ESTIMATORS, cover
from tests.scorer.estimate.worlds import World

WORLDS = {
    "default": World(),
    "weak judge": World(sensitivity=0.75, specificity=0.85),
    "strong judge": World(sensitivity=0.95, specificity=0.95),
    "cheap .29": World(separation=1.4),
    "cheap .11": World(separation=0.5),
    "3 segments": World(segments=3),
    "40 segments": World(segments=40),
}


def main() -> None:
    """Print one line per world, estimator and cell."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", default="default", choices=["all", *WORLDS])
    parser.add_argument("--only", nargs="*", default=list(ESTIMATORS), choices=list(ESTIMATORS))
    arguments = parser.parse_args()
    outside = cells = 0
    print(f"{'world':13s} {'estimator':11s} {'judged':>6s} {'turns':>5s}  coverage / width at faithful rate")
    for name, world in WORLDS.items():
        if arguments.world not in ("all", name):
            continue
        for estimator in arguments.only:
            for judged in (200, 2_000):
                for clustered in (False, True):
                    line: list[str] = []
                    for faithful in (0.80, 0.88, 0.92, 0.95, 0.97):
                        cell = replace(world, faithful=faithful, clustered=clustered)
                        found = cover(
                            estimator, cell, judged=judged, reps=arguments.reps, seed=arguments.seed
                        )
                        inside = 0.93 <= found.coverage <= 0.97
                        outside += not inside
                        cells += 1
                        mark = " " if inside else "!"
                        line.append(f"{faithful:.2f} {found.coverage:.3f}{mark}/ {found.width:.4f}")
                    turns = "5" if clustered else "1"
                    print(
                        f"{name:13s} {estimator:11s} {judged:6d} {turns:>5s}  {'  '.join(line)}", flush=True
                    )
    print(f"{outside} of {cells} cells outside .93 to .97")


if __name__ == "__main__":
    main()
