"""Is the monitor as good as promised? Each promise is a cell: a world, a fault, a limit, and services to measure it on.

    nice python tests/bench/bench_goals.py [--seeds 40] [--first-seed 5000] [--cells drop88 …] [--runs] [--json]

One process, one line a cell when it is done: n, median and 95th percentile of the hours, false pages with the exact
interval of Poisson, who was named, what was judged, and the limit. Seeds that somebody tuned on prove nothing: seeds
below 1000 are for tuning, docs/alert-quality.md starts at 1000. Cells `shifted …` are worlds that no default was
chosen on. `--runs` also prints each run, with the pages in it; `--json` a JSON object for each cell instead, of which
docs/alert-quality-shifted.json is made.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from ragvigil.scorer.simulate import OURS, SCENARIOS, World
from ragvigil.scorer.simulate.benchmark import Healthy, Line, summarise

JUDGE_ONLY = ("CUSUM, tuned", "EWMA, tuned", "rolling mean, tuned", "burn rate, tuned")


_WORLD = World()


@dataclass(frozen=True, slots=True)
class Cell:
    """One promise."""

    scenario: str
    world: World = _WORLD
    median: float | None = None
    """Hours at most."""
    p95: float | None = None
    named: float | None = None
    """Share at least."""
    false_30: float | None = None
    """False pages per 30 days at most."""
    rivals: tuple[str, ...] = ()
    times_best: float | None = None
    """Median at most this many times that of the best of `rivals`."""


_SMALL = World(traces_per_day=2_000.0)
_LARGE = World(traces_per_day=200_000.0, batch_seconds=900.0)
_SHIFTED = {
    "3 segments": World(segments=3, largest_share=0.5, smallest_share=0.2),
    "25 segments": World(segments=25, largest_share=0.15, smallest_share=0.01),
    "strong judge": World(sensitivity=0.95, specificity=0.95, sensitivity_spread=0.01),
    "weak judge": World(sensitivity=0.78, specificity=0.85),
    "weak cheap": World(correlation=0.2),
    "binary cheap": World(cheap_shape="binary"),
    "narrow cheap": World(cheap_shape="narrow"),
    "few errors": World(mean_unfaithful=0.02, unfaithful=(0.01, 0.04)),
    "many errors": World(mean_unfaithful=0.15, unfaithful=(0.08, 0.25)),
    "short batches": World(batch_seconds=900.0),
    "doubled wobble": World(wobble=0.16),
    "long conversations": World(turns=8.0, cluster=0.35),
    "whole conversations": World(whole_conversations=1.0),
    "small gold": World(gold_faithful=60, gold_unfaithful=30),
    "large gold": World(gold_faithful=3500, gold_unfaithful=1500),
    "5,000 a day": World(traces_per_day=5_000.0),
    "half granted": World(granted=0.5),
}
CELLS: dict[str, Cell] = {
    "null30": Cell("null30", false_30=1 / 3),
    **{
        name: Cell(name, false_30=1 / 3)
        for name in ("mix_shift", "judge_drift", "judge_change", "cheap_drift", "traffic_dip")
    },
    **{name: Cell(name, false_30=1 / 3) for name in ("judge_outage", "silence", "late_verdicts")},
    "drop88": Cell("drop88", median=3.0, p95=9.0),
    "drop80": Cell("drop80", median=2.0, p95=3.0),
    "seg70": Cell("seg70", median=4.5, p95=11.0, named=0.95),
    "slow88": Cell("slow88", median=100.0),
    "blind88": Cell("blind88", rivals=JUDGE_ONLY, times_best=1.35),
    "outage": Cell("outage", median=1.0, p95=1.0),
    "cite_drift": Cell("cite_drift", median=1.0, p95=1.0),
    "drop88 at 2,000": Cell("drop88", _SMALL, rivals=("CUSUM, tuned",), times_best=1.0),
    "null30 at 2,000": Cell("null30", _SMALL, false_30=1 / 3),
    "drop88 at 200,000": Cell("drop88", _LARGE, median=1.0),
    "seg70 at 200,000": Cell("seg70", _LARGE, median=1.0),
    "null30 at 200,000": Cell("null30", _LARGE, false_30=1 / 3),
    "shifted outage, whole conversations": Cell(
        "outage", World(whole_conversations=1.0), median=1.0, p95=1.0, false_30=1 / 3
    ),
    **{
        f"shifted {scenario}, {name}": Cell(scenario, world, false_30=1 / 3)
        for name, world in _SHIFTED.items()
        for scenario in ("null30", "judge_drift", "cheap_drift", "mix_shift")
    },
}


def main() -> None:
    """Run the cells in order."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first-seed", type=int, default=5000)
    parser.add_argument(
        "--cells", nargs="*", help="names, or beginnings of names; default: all", default=[""]
    )
    parser.add_argument("--runs", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.seeds)
    missed = 0
    healthy: dict[tuple[World, tuple[str, ...]], Healthy] = {}
    for name, cell in CELLS.items():
        if any(name.startswith(beginning) for beginning in arguments.cells):
            key = cell.world, (OURS, *cell.rivals)
            driven = healthy.setdefault(key, Healthy(*key))
            told = measure(name, cell, driven, seeds, show_runs=arguments.runs, as_json=arguments.json)
            missed += not told
    if not arguments.json:
        sys.stdout.write(f"{missed} promises missed\n")


def measure(
    name: str, cell: Cell, driven: Healthy, seeds: Sequence[int], *, show_runs: bool, as_json: bool
) -> bool:
    """Drive ours and the rivals through a cell, print what came of it; whether the promise is kept."""
    began = time.process_time()
    scenario = SCENARIOS[cell.scenario]
    runs = driven.run(scenario, seeds)
    line = summarise(OURS, scenario, runs[OURS])
    rivals = [summarise(rival, scenario, runs[rival]).median_hours for rival in cell.rivals]
    best = min((hours for hours in rivals if hours is not None), default=float("inf"))
    kept = _kept(cell, line, best)
    if as_json:
        found = {"cell": name, "first_seed": seeds[0], "kept": kept, **asdict(line)}
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
        return kept
    seconds = time.process_time() - began
    sys.stdout.write(
        f"{'kept  ' if kept else 'MISSED'} {name:36s} {_told(cell, line, best)}  [{seconds:.0f} s]\n"
    )
    for run in runs[OURS] if show_runs else ():
        pages = ", ".join(f"{page.time / 86400:.2f} d {page.metric} {page.segment}" for page in run.pages())
        sys.stdout.write(
            f"    seed {run.seed}: change {run.change / 86400:.2f} d, {run.delay_hours():.1f} h; {pages}\n"
        )
    sys.stdout.flush()
    return kept


def _kept(cell: Cell, line: Line, best: float) -> bool:
    hours = (
        float("inf") if line.median_hours is None else line.median_hours,
        float("inf") if line.p95_hours is None else line.p95_hours,
    )
    return (
        (cell.median is None or hours[0] <= cell.median)
        and (cell.p95 is None or hours[1] <= cell.p95)
        and (cell.named is None or line.named >= cell.named * line.runs)
        and (cell.false_30 is None or line.false_per_30_days <= cell.false_30)
        and (cell.times_best is None or hours[0] <= cell.times_best * best)
        and line.judged_share <= 0.10
    )


def _told(cell: Cell, line: Line, best: float) -> str:
    low, high = line.false_interval
    told = [f"n={line.runs}", f"judged {line.judged_share:.2%}"]
    if SCENARIOS[cell.scenario].pages:
        hours = ["-" if one is None else f"{one:.1f}" for one in (line.median_hours, line.p95_hours)]
        told += [f"median {hours[0]} h, p95 {hours[1]} h, found {line.found}, named {line.named}"]
        told += [f"{line.false_pages} false pages before the fault"]
        told += [f"best rival {best:.1f} h"] if cell.rivals else []
    else:
        told += [f"{line.false_pages} false pages in {line.days:.0f} d: {line.false_per_30_days:.2f} / 30 d"]
        told += [f"({low:.2f} to {high:.2f})"]
    limits = {"median": cell.median, "p95": cell.p95, "named": cell.named, "false / 30 d": cell.false_30}
    limits["times the best"] = cell.times_best
    wanted = ", ".join(f"{name} {limit:.3g}" for name, limit in limits.items() if limit is not None)
    return f"{'; '.join(told)}  (limit: {wanted})"


if __name__ == "__main__":
    main()
