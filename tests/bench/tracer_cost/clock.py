"""Time of interleaved blocks: in the caller's thread, in the process with all that it flushes, and on the wall.

The thread's and the process's time are CPU: another program on the machine moves them little. Wall is for scale.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Callable, Coroutine, Sequence
from functools import cache
from typing import Any, NamedTuple

REQUESTS_A_BLOCK = 200
BLOCKS = 30


class Contestant(NamedTuple):
    """One way of tracing the same request."""

    name: str
    request: Callable[[], object]
    request_async: Callable[[], Coroutine[Any, Any, object]]
    flush: Callable[[], object]


class Times(NamedTuple):
    """Microseconds a request."""

    caller: float
    """CPU of the thread that serves."""
    process: float
    """CPU of all threads, a final flush included."""
    wall: float


def synchronous(contestant: Contestant) -> Callable[[], object]:
    """The request as a service without a loop runs it."""
    return contestant.request


def asynchronous(contestant: Contestant) -> Callable[[], object]:
    """The request as a task of a loop."""
    loop = _loop()
    return lambda: loop.run_until_complete(contestant.request_async())


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """One loop for all contestants, to the end of the process."""
    return asyncio.new_event_loop()


def block(request: Callable[[], object], flush: Callable[[], object]) -> Times:
    """One block of requests."""
    gc.collect()
    process, caller, wall = time.process_time(), time.thread_time(), time.perf_counter()
    for _ in range(REQUESTS_A_BLOCK):
        request()
    caller, wall = time.thread_time() - caller, time.perf_counter() - wall
    flush()
    scale = 1e6 / REQUESTS_A_BLOCK
    return Times(caller * scale, (time.process_time() - process) * scale, wall * scale)


def interleaved(
    contestants: Sequence[Contestant], way: Callable[[Contestant], Callable[[], object]]
) -> list[Times]:
    """Medians for each, block after block in turn."""
    requests = [(way(contestant), contestant.flush) for contestant in contestants]
    rows = [[block(*request) for request in requests] for _ in range(BLOCKS)]
    return [
        Times(*map(statistics.median, zip(*column, strict=True))) for column in zip(*rows[2:], strict=True)
    ]


def plain_cost(request: Callable[[], object]) -> float:
    """Microseconds of the caller for a request that needs no flush."""
    return statistics.median(block(request, lambda: None).caller for _ in range(BLOCKS))


def row(label: str, figure: str, note: str = "") -> None:
    """Print one line of the table."""
    print(f"{label:<58}{figure:>14}  {note}", flush=True)
