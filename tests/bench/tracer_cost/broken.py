"""Three decorators when nothing they record would arrive: the endpoint is dead or hangs, the SDK raises."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from unittest.mock import patch

from opentelemetry.sdk.trace import Tracer
from tests.bench.tracer_cost.clock import plain_cost, row
from tests.bench.tracer_cost.content import ANSWER
from tests.bench.tracer_cost.decorated import decorated

from ragvigil.tracer import configure

CHEAP_SECONDS = 10e-6
LONGEST_WAIT_SECONDS = 60.0


def broken_cost() -> None:
    """The cost once it has turned out that nothing gets through, and whether each missing span was counted."""
    logging.getLogger("ragvigil.tracer").setLevel(logging.ERROR)
    with _bound(listening=False) as endpoint:
        _measure("the endpoint refuses connections", endpoint)
    with _bound(listening=True) as endpoint:
        _measure("the endpoint never answers", endpoint)
    with (
        _bound(listening=False) as endpoint,
        patch.object(Tracer, "start_span", side_effect=RuntimeError("broken")),
    ):
        _measure("the SDK raises", endpoint)


def _measure(label: str, endpoint: str) -> None:
    tracing = configure(service_name="bench", endpoint=endpoint)
    request = decorated(tracing).request
    asked = 0

    def ask() -> object:
        nonlocal asked
        asked += 1
        return request()

    def bare() -> object:
        nonlocal asked
        asked += 0
        return ANSWER

    waited = _until_cheap(ask)
    cost = plain_cost(ask) - plain_cost(bare)
    row(f"three decorators, {label}", f"{cost:.2f} us", f"from {waited:.1f} s after the first request")
    tracing.shutdown(timeout_seconds=0.2)
    deadline = time.monotonic() + LONGEST_WAIT_SECONDS
    while tracing.dropped_spans < 3 * asked and time.monotonic() < deadline:
        time.sleep(0.1)  # until the export under way has failed
    row("  spans not made or not sent, and those counted", f"{3 * asked}", f"{tracing.dropped_spans}")


def _until_cheap(ask: Callable[[], object]) -> float:
    """Seconds of load until requests are cheap."""
    began = time.monotonic()
    while time.monotonic() - began < LONGEST_WAIT_SECONDS:
        started = time.thread_time()
        for _ in range(100):
            ask()
        if (time.thread_time() - started) / 100 < CHEAP_SECONDS:
            break
        time.sleep(0.05)
    return time.monotonic() - began


@contextmanager
def _bound(*, listening: bool) -> Generator[str, None, None]:
    """An address that refuses connections, or takes them and never answers."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        if listening:
            taken.listen(64)
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"
