"""Items per second and core of the checks and the built-in judge, beside a plain-Python floor, in one run.

    python tests/bench/bench_checks.py [--items 200] [--rounds 5]

The floor is `plain_loop`, and reads the same texts. Rounds alternate; CPU time is counted, medians shown. The
collector of cycles looks as seldom as in the score process, for all that is timed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.plain_loop import made_records, plain_loop

from ragvigil import prompts
from ragvigil.scorer.checks import CHECKS, Check, Finding, run_checks
from ragvigil.scorer.checks.alignment.recent import CITED, READ, RECENT, TOLD
from ragvigil.scorer.checks.reading.language import language_of_beginning
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.process.score import collect_less
from ragvigil.scorer.sample import decide
from ragvigil.scorer.trace import RagTrace


def main() -> None:
    """Print one line for each thing that is timed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    records = made_records(arguments.items)
    rubric, judge = prompts.load("faithfulness"), Builtin()
    without_words = tuple(check for check in CHECKS if check.cost in ("record", "answer"))
    without_claims = tuple(check for check in CHECKS if check.cost != "claims")
    empty = (Check("empty", "1", lambda prepared: Finding(1.0)),)
    timed: dict[str, Callable[[RagTrace], object]] = {
        "plain-Python floor": plain_loop,
        "all checks": run_checks,
        "those without alignment": lambda record: run_checks(record, without_claims),
        "those without the passages' words": lambda record: run_checks(record, without_words),
        "built-in judge": lambda record: judge.judge_now(record, rubric),
        "checks, then judge (shared)": lambda record: (run_checks(record), judge.judge_now(record, rubric)),
        "framework around one check": lambda record: run_checks(record, empty),
        "sample decision": lambda record: decide(record.trace_id, 0.1),
    }
    collect_less()
    rates = _rates(timed, records, arguments.rounds)
    floor = rates["plain-Python floor"]
    for name, rate in rates.items():
        sys.stdout.write(
            f"{name:34} {rate:12,.0f} items/s  {1e6 / rate:9.1f} us  {rate / floor:7.2f} x floor\n"
        )


def _rates(
    timed: dict[str, Callable[[RagTrace], object]], records: Sequence[RagTrace], rounds: int
) -> dict[str, float]:
    seen: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(rounds):
        for name, work in timed.items():
            RECENT.clear()
            READ.clear()
            CITED.clear()
            TOLD.clear()
            language_of_beginning.cache_clear()
            started = time.process_time()
            for record in records:
                work(record)
            seen[name].append(len(records) / (time.process_time() - started))
    return {name: statistics.median(rates) for name, rates in seen.items()}


if __name__ == "__main__":
    main()
