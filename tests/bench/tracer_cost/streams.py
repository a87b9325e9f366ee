"""A streamed piece, and the memory of a long stream."""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable, Iterator

from tests.bench.tracer_cost.clock import row
from tests.bench.tracer_cost.content import QUESTION
from tests.bench.tracer_cost.sinks import Sink

from ragvigil.tracer import configure, trace_generator

PIECES = 10_000


class Words:
    """A stream that is an object of its own, as model vendors have."""

    def __init__(self) -> None:
        self._left = PIECES

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if not self._left:
            raise StopIteration
        self._left -= 1
        return "word "


def words(question: str) -> Iterator[str]:
    """A generator of as many."""
    for _ in range(PIECES):
        yield "word "


def word_object(question: str) -> Iterator[str]:
    """A stream object."""
    return Words()


def stream_cost() -> None:
    """Microseconds that tracing adds to one piece."""
    tracing = configure(service_name="bench", exporter=Sink())
    streams: tuple[tuple[str, Callable[[str], Iterator[str]]], ...] = (
        ("a generator's piece", words),
        ("a stream object's piece", word_object),
    )
    for label, stream in streams:
        traced = trace_generator(stream)
        added = statistics.median(_consumed(traced) - _consumed(stream) for _ in range(20))
        row(label, f"+ {added:.2f} us")
    tracing.shutdown()


def _consumed(stream: Callable[[str], Iterator[str]]) -> float:
    started = time.thread_time()
    for _ in stream(QUESTION):
        pass
    return (time.thread_time() - started) * 1e6 / PIECES


def memory_of_a_long_stream() -> None:
    """Peak memory of tracing a stream of 100 MB."""

    @trace_generator
    def write(question: str) -> Iterator[str]:
        for _ in range(10_000):
            yield "x" * 10_000

    tracing = configure(service_name="bench", exporter=Sink())
    tracemalloc.start()
    for _ in write(QUESTION):
        pass
    tracing.flush()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    tracing.shutdown()
    row("peak memory of a 100 MB stream", f"{peak / 2**20:.2f} MB")
