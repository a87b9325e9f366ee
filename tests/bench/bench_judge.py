"""A judge behind an endpoint: throughput against the ideal, CPU and memory per verdict (`make bench`).

The scripted endpoint answers after 200 ms, in a process of its own; the scorer's queue has 32 questions in flight.
The ideal is 32 verdicts each 200 ms. Wanted: at least 95 % of it, at most 3 ms of CPU a verdict, and memory that stays
flat: at most 1.2 times the peak of the warm-up. Exit code 1 outside of that. `make soak` looks at memory over 50,000
verdicts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from ragvigil.scorer import config
from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.judge import build_judge, rubric_of
from ragvigil.scorer.judge.judging import SEATS_A_REQUEST, Bench
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.trace import Document, RagTrace, Retrieval

LATENCY_SECONDS = 0.2
IN_FLIGHT = 32
WARM_UP = 256
DISTINCT = 64
LEAST_OF_IDEAL = 0.95
MOST_CPU_MS = 3.0
MOST_MEMORY = 1.2


def record(number: int) -> RagTrace:
    """One kilobyte of answer over ten of evidence."""
    passages = tuple(
        Document(
            f"d{rank}",
            f"Part {number + rank} of the manual says that valve {rank} opens at {number} bar. " * 14,
            rank=rank,
        )
        for rank in range(1, 11)
    )
    answer = (
        " ".join(f"Valve {rank} opens at {number} bar [d{rank}]." for rank in range(1, 11))
        + " "
        + "It is safe. " * 50
    )
    found = tuple(one.id for one in passages)
    return RagTrace(
        f"{number:032x}",
        "1" * 16,
        "plant",
        0,
        query="When do the valves open?",
        answer=answer,
        documents=passages,
        retrievals=(Retrieval("retrieve", None, found, (None,) * len(found)),),
    )


@contextmanager
def endpoint() -> Generator[str]:
    """A scripted judge in a process of its own, so that only the client's CPU is counted."""
    command = [sys.executable, "-m", "ragvigil.scorer", "fake-judge", "--json", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--latency", str(LATENCY_SECONDS)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield str(json.loads(process.stdout.readline())["url"])
    finally:
        process.kill()
        process.wait()


async def measure(url: str, verdicts: int) -> dict[str, float]:
    """Figures of so many verdicts."""
    settings = config.Judge.model_validate(
        {"kind": "openai", "model": "scripted-1", "base_url": url, "max_in_flight": IN_FLIGHT}
    )
    judge, rubric = build_judge(settings), rubric_of(settings)
    assert judge is not None
    records = [record(number) for number in range(DISTINCT)]
    for one in records:
        run_checks(one)  # as in the scorer, where every record has been checked when it is judged
    given = 0
    reached = {WARM_UP: asyncio.Event(), WARM_UP + verdicts: asyncio.Event()}

    def deliver(judgements: Sequence[Judgement]) -> None:
        nonlocal given
        for one in judgements:
            assert one.verdict is not None, one.failure
            assert one.verdict.faithfulness is not None, one.verdict
            given += 1
            if given in reached:
                reached[given].set()

    bench = Bench(judge, rubric, seats=SEATS_A_REQUEST * IN_FLIGHT, deliver=deliver)
    more = WARM_UP + verdicts + 10 * IN_FLIGHT  # the last that are counted are not the last that are asked
    bench.submit([Job(number, b"", records[number % len(records)], 1.0) for number in range(more)])
    running = asyncio.create_task(bench.run())
    await reached[WARM_UP].wait()
    before = resource.getrusage(resource.RUSAGE_SELF)
    began, cpu = time.perf_counter(), time.process_time()
    await reached[WARM_UP + verdicts].wait()
    seconds, spent = time.perf_counter() - began, time.process_time() - cpu
    after = resource.getrusage(resource.RUSAGE_SELF)
    running.cancel()
    await asyncio.wait([running])
    await judge.close()
    return {
        "per_second": verdicts / seconds,
        "of_ideal": verdicts / seconds / (IN_FLIGHT / LATENCY_SECONDS),
        "cpu_ms": 1000 * spent / verdicts,
        "memory": after.ru_maxrss / before.ru_maxrss,
    }


def missed(figures: dict[str, float]) -> list[str]:
    """The goals that the figures do not reach, by name."""
    reached = {
        "of_ideal": figures["of_ideal"] >= LEAST_OF_IDEAL,
        "cpu_ms": figures["cpu_ms"] <= MOST_CPU_MS,
        "memory": figures["memory"] <= MOST_MEMORY,
    }
    return [name for name, good in reached.items() if not good]


def main() -> int:
    """Print the figures; 1 where they miss a goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", type=int, default=2_000)
    verdicts = parser.parse_args().verdicts
    with endpoint() as url:
        figures = asyncio.run(measure(url, verdicts))
    print(
        f"{verdicts} verdicts: {figures['per_second']:.0f}/s, {figures['of_ideal']:.1%} of the ideal (at least "
        f"{LEAST_OF_IDEAL:.0%}); CPU {figures['cpu_ms']:.2f} ms a verdict (at most {MOST_CPU_MS:g}); peak memory "
        f"{figures['memory']:.2f} times that of the warm-up (at most {MOST_MEMORY:g})"
    )
    short = missed(figures)
    if short:
        print(f"MISSED: {', '.join(short)}")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
