"""How fast what is sent is stored, checked and scored, and what that costs. Prints tables; asserts nothing.

    python tests/bench/bench_ingest.py [--rounds N] [--phoenix VENV | --without-phoenix] [--json]

Server on core 0, load on core 1, loopback only, each server in turn in every round. A trace is 4 spans and about
14.7 kB, and no two are alike, but for the runs whose passages recur, which say so. The floor parses and commits one
SQLite row a span before the ack. "Stored" is in the server's file; for ragvigil alone that is its inbox, with checks
its store, the scores with it. Phoenix acks before it stores; it runs in the venv that `--phoenix` (or
RAGVIGIL_BENCH_PHOENIX) names, else in a new one made for this run (2 GB of packages) where it can be installed.
The plain-Python loop of `bench_checks.py` runs between the servers: seconds of CPU mean little from one machine, or
one hour, to the next, seconds in such loops do.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.ingest.measure import Run, measure
from tests.bench.ingest.report import costs, ratios, table
from tests.bench.ingest.servers import Checks, floor, phoenix, ragvigil
from tests.bench.plain_loop import loop_seconds

PHOENIX = "arize-phoenix==20.26.1"
PHOENIX_TRACES = 200
RATES = (30, 500)
RATED_SECONDS = 10
RECURRING = 500
"""Passages that recur in half of the scored runs: what is read of a passage is kept for a while."""
OVERLOAD = 3
"""Times the traces of a scored run, sent to a scorer as fast as it acks: memory while it catches up."""
SCORED: tuple[Checks, ...] = ("checks", "checks + cheap score")


def compare(
    traces: int, scored: int, rounds: int, venv: Path | None, scratch: Path
) -> tuple[list[Run], float]:
    """Every server in turn, `rounds` times, then ours at fixed rates; and the plain loop's CPU seconds meanwhile."""
    runs: list[Run] = []
    loops: list[float] = []
    for number in range(rounds):
        place, seed = scratch / str(number), number + 1
        if venv is not None:
            with phoenix(place / "phoenix", venv) as server:
                measure(server, "http", 20, seed=100 + seed)
                runs.append(measure(server, "http", PHOENIX_TRACES, seed=seed))
        for protocol in ("http", "grpc"):
            with floor(place / f"floor-{protocol}", protocol) as server:
                runs.append(measure(server, protocol, traces, seed=seed))
            with ragvigil(place / f"receive-{protocol}") as server:
                runs.append(measure(server, protocol, traces, seed=seed))
        for checks in SCORED:
            with ragvigil(place / checks.replace(" ", ""), checks) as server:
                runs.append(measure(server, "http", scored, seed=seed))
                runs.append(measure(server, "http", scored, seed=200 + seed, passages=RECURRING))
            loops.append(loop_seconds())
    for rate in RATES:
        with ragvigil(scratch / f"rate-{rate}") as server:
            runs += [
                measure(server, protocol, rate * RATED_SECONDS, rate=rate, seed=seed)
                for seed, protocol in enumerate(("http", "grpc"))
            ]
    return runs, statistics.median(loops)


def overload(scored: int, scratch: Path) -> Run:
    """Both roles while a backlog of many times what they score in a second is worked off."""
    with ragvigil(scratch / "overload", "checks + cheap score") as server:
        return measure(server, "http", OVERLOAD * scored, seed=77)


def installed(venv: Path) -> Path | None:
    """A new venv with Phoenix; None, and a line that says why, where it cannot be installed."""
    install = ["pip", "install", "-q", "--python", str(venv / "bin" / "python"), PHOENIX]
    try:
        for arguments in (["venv", "-q", str(venv)], install):
            subprocess.run(
                [sys.executable, "-m", "uv", *arguments], check=True, capture_output=True, text=True
            )
    except subprocess.CalledProcessError as error:
        print(f"{PHOENIX} cannot be installed here: {str(error.stderr).strip()[-300:]}", file=sys.stderr)
        return None
    return venv


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--traces", type=int, default=6_000, help="traces of a run that only stores")
    parser.add_argument("--scored", type=int, default=1_500, help="traces of a run through the whole scorer")
    parser.add_argument("--rounds", type=int, default=3, help="interleaved rounds")
    named = os.environ.get("RAGVIGIL_BENCH_PHOENIX")
    parser.add_argument("--phoenix", type=Path, default=named, help="a venv that has arize-phoenix")
    parser.add_argument("--without-phoenix", action="store_true", help="floor and ours only")
    parser.add_argument("--json", action="store_true", help="one JSON object a run instead of the tables")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, nullcontext(Path(name)) as scratch:
        venv = options.phoenix
        if venv is None and not options.without_phoenix:
            venv = installed(scratch / "venv")
        runs, loop = compare(options.traces, options.scored, options.rounds, venv, scratch)
        flood = overload(options.scored, scratch)
    if options.json:
        print("\n".join(json.dumps(asdict(run)) for run in [*runs, flood]))
        return
    table(runs)
    ratios(runs)
    costs(runs, loop)
    print(
        f"overload, {OVERLOAD * options.scored} traces as fast as they are acked: {flood.rss_peak_mb:.0f} MB at most, "
        f"{flood.refused} requests refused, {flood.missing} acked traces missing"
    )
    if venv is None:
        print("Phoenix was not measured: name a venv that has it with --phoenix")


if __name__ == "__main__":
    main()
