"""Coverage and width of every printed 95 % interval, on simulated traffic whose truth is known.

    python tests/bench/bench_coverage.py [--reps 2000] [--seed 1] [--judged 200 2000] [--world default|…|all]
        [--only "level A, one segment" …] [--rates 0.92 …] [--turns 1 5] [--json]

Cells: faithful rate .80 .88 .92 .95 .97, 200 and 2,000 judged, conversations off and on. Worlds are the default one
(s = .85, t = .92, cheap score correlated .53) and shifted ones. The last line counts the cells outside .93 to .97; with
2,000 repetitions the Monte Carlo error of a coverage is .005. docs/intervals.md is made from its --json.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from pathlib import Path

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # before numpy: threads cost small products ten times their work
sys.path.insert(0, str(Path(__file__).parents[2]))

from dataclasses import replace

from tests.scorer.estimate.coverage import ESTIMATORS, cover
from tests.scorer.estimate.worlds import World

RATES = (0.80, 0.88, 0.92, 0.95, 0.97)
WORLDS = {
    "default": World(),
    "weak judge": World(sensitivity=0.75, specificity=0.85),
    "strong judge": World(sensitivity=0.95, specificity=0.95),
    "cheap .29": World(separation=1.4),
    "cheap .11": World(separation=0.5),
}


def main() -> None:
    """Print one line per world, estimator and cell, or one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--reps", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judged", type=int, nargs="*", default=[200, 2_000])
    parser.add_argument("--world", default="default", choices=["all", *WORLDS])
    parser.add_argument("--only", nargs="*", default=list(ESTIMATORS), choices=list(ESTIMATORS))
    parser.add_argument("--rates", type=float, nargs="*", default=list(RATES))
    parser.add_argument("--turns", type=int, nargs="*", default=[1, 5], choices=[1, 5])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    cells: list[dict[str, str | float]] = []
    for name, world in WORLDS.items():
        if arguments.world in ("all", name):
            for judged in arguments.judged:
                for turns in arguments.turns:
                    cells += measure(arguments, name, replace(world, clustered=turns > 1), judged)
    if arguments.json:
        command = f"python tests/bench/bench_coverage.py {shlex.join(sys.argv[1:])}"
        about = {"command": command, "reps": arguments.reps, "seed": arguments.seed}
        json.dump({**about, "cells": cells}, sys.stdout, indent=1)
        sys.stdout.write("\n")
        return
    outside = sum(not 0.93 <= float(cell["coverage"]) <= 0.97 for cell in cells)
    sys.stdout.write(f"{outside} of {len(cells)} cells outside .93 to .97\n")


def measure(
    arguments: argparse.Namespace, name: str, world: World, judged: int
) -> list[dict[str, str | float]]:
    """The cells of one world, number judged and kind of conversations; told as they are done."""
    found = cover(
        arguments.only, world, arguments.rates, judged=judged, reps=arguments.reps, seed=arguments.seed
    )
    turns = 5 if world.clustered else 1
    cells: list[dict[str, str | float]] = []
    for estimator in arguments.only:
        told: list[str] = []
        for rate in arguments.rates:
            one = found[estimator, rate]
            mark = " " if 0.93 <= one.coverage <= 0.97 else "!"
            told.append(f"{rate:.2f} {one.coverage:.3f}{mark}/ {one.width:.4f}")
            numbers = {"coverage": round(one.coverage, 3), "width": round(one.width, 4)}
            place = {"world": name, "estimator": estimator, "judged": judged, "turns": turns}
            cells.append({**place, "faithful": rate, **numbers, "bias": round(one.bias, 4)})
        where = sys.stderr if arguments.json else sys.stdout
        where.write(f"{name:12s} {estimator:29s} {judged:5d} {turns} turns  {'  '.join(told)}\n")
        where.flush()
    return cells


if __name__ == "__main__":
    main()
