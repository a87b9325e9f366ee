"""Gives tens of thousands of verdicts, each on another answer: none is lost, and memory stays flat.

    python tests/soak/soak_verdicts.py [--verdicts 50000]

A scripted endpoint in a process of its own answers after 20 ms; one reply in fifty is damaged, one request in fifty
fails. The judge is built as the scorer builds it, with what it remembers in a file, and every record is checked before
it is judged. Resident memory is printed ten times; ends with 1 when it grows by more than a tenth over the second half,
or when a job has not got exactly one judgement. In the first half what is remembered of answers and words fills up to
its bounds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ragvigil.scorer import config
from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.judge import paid_of, rubric_of
from ragvigil.scorer.judge.judges import judges_of
from ragvigil.scorer.judge.judging import Bench
from ragvigil.scorer.store.port import Job, Judgement
from ragvigil.scorer.trace import Document, RagTrace, Retrieval

IN_FLIGHT = 32
STAGES = 10
SETTLED = 5
"""Stages after which memory may not grow any more: what is remembered is full."""
MOST_GROWTH = 1.1
TROUBLE = ("--latency", "0.02", "--damage", "0.02", "--error", "500=0.01", "--error", "429=0.01")
TOWNS = ("Porto", "Lagos", "Riga", "Cusco", "Graz", "Turku", "Sousse")


def job(number: int) -> Job:
    """A question that nobody asked before, in words that come again: memories of words fill up early."""
    line, minutes = number % 5_000, number % 4_999
    town, hour = TOWNS[number % len(TOWNS)], 6 + number % 12
    passages = tuple(
        Document(
            f"d{rank}",
            f"Line {line + rank} to {town} leaves at {hour + rank}:15. It takes {minutes} minutes.",
            rank=rank,
        )
        for rank in range(1, 4)
    )
    record = RagTrace(
        f"{number:032x}",
        "1" * 16,
        "trains",
        0,
        query=f"When does line {line + 1} leave?",
        answer=f"Line {line + 1} to {town} leaves at {hour + 1}:15 [d1]. It takes {minutes} minutes [d2].",
        documents=passages,
        retrievals=(Retrieval("retrieve", None, ("d1", "d2", "d3"), (None,) * 3),),
    )
    return Job(number, number.to_bytes(8), record, 1.0)


@contextmanager
def endpoint() -> Generator[str]:
    """A scripted judge that is at times in trouble."""
    command = [sys.executable, "-m", "ragvigil.scorer", "fake-judge", "--json", "--port", "0", *TROUBLE]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield str(json.loads(process.stdout.readline())["url"])
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def resident() -> int:
    """Bytes of memory that this process holds."""
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return 1024 * int(next(line for line in status if line.startswith("VmRSS")).split()[1])


async def soak(url: str, folder: Path, verdicts: int) -> tuple[list[int], Counter[str], int]:
    """Memory after each stage, how judgements ended, and how many jobs had not exactly one."""
    settings = config.Settings.model_validate(
        {
            "store": {"url": f"sqlite:///{folder / 'store.db'}"},
            "judge": {"kind": "openai", "model": "scripted-1", "base_url": url, "max_in_flight": IN_FLIGHT},
        }
    )
    paid = paid_of(settings, settings.judge)
    judge, afresh, _ = judges_of(settings, paid)
    assert judge is not None
    assert paid is not None
    seats = asyncio.Semaphore(2 * IN_FLIGHT)
    judged, ends, held = bytearray(verdicts), Counter[str](), list[int]()

    def deliver(judgements: Sequence[Judgement]) -> None:
        for one in judgements:
            judged[one.job.record_id] += 1
            ends[one.failure or ("lost" if one.verdict is None else one.verdict.state)] += 1
            seats.release()

    bench = Bench(judge, rubric_of(settings.judge), seats=IN_FLIGHT, deliver=deliver, afresh=afresh)
    running = asyncio.create_task(bench.run())
    began = time.monotonic()
    for number in range(verdicts):
        await seats.acquire()
        one = job(number)
        run_checks(one.record)
        bench.submit([one])
        if (number + 1) % (verdicts // STAGES) == 0:
            held.append(resident())
            print(
                f"{number + 1:7}  {held[-1] / 2**20:6.1f} MiB  {time.monotonic() - began:6.0f} s", flush=True
            )
    for _ in range(2 * IN_FLIGHT):
        await seats.acquire()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await judge.close()
    paid.close()
    return held, ends, sum(judged[number] != 1 for number in range(verdicts))


def main() -> int:
    """1 where memory grew, or a job was lost or judged twice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", type=int, default=50_000)
    verdicts = parser.parse_args().verdicts
    with endpoint() as url, tempfile.TemporaryDirectory() as folder:
        held, ends, wrong = asyncio.run(soak(url, Path(folder), verdicts))
    growth = held[-1] / held[SETTLED - 1]
    print(
        f"ends: {dict(ends)}; {wrong} jobs without exactly one judgement; "
        f"memory {growth:.3f} times (at most {MOST_GROWTH})"
    )
    return 1 if wrong or growth > MOST_GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
