"""Nobody waits for the scorer: neither who configures again, nor the end of the process. Bounds are generous."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragvigil.tracer import configure, trace_rag

from .conftest import Receiver


@trace_rag
def ask(question: str) -> str:
    """A request."""
    return "so"


@pytest.fixture
def hanging() -> Iterator[str]:
    """An endpoint that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


class Stuck(SpanExporter):
    """Does not return before it is let go."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.go = threading.Event()
        self.names: list[str] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Wait."""
        self.started.set()
        self.go.wait(60)
        self.names += [span.name for span in spans]
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        """Nothing."""


def test_configuring_again_does_not_wait_for_the_earlier_delivery() -> None:
    """The new one records at once; the earlier one sends what it had when it can."""
    stuck, fresh = Stuck(), InMemorySpanExporter()
    earlier = configure(service_name="a", exporter=stuck)
    ask("why")
    threading.Thread(target=earlier.flush).start()
    assert stuck.started.wait(30)
    tracing = configure(service_name="b", exporter=fresh)
    assert not stuck.go.is_set()
    ask("why")
    assert tracing.flush()
    assert len(fresh.get_finished_spans()) == 1
    assert stuck.names == []
    stuck.go.set()
    for thread in threading.enumerate():
        if thread.name == "ragvigil-handover":
            thread.join(30)
    assert stuck.names == ["invoke_workflow ask"]
    assert earlier.dropped_spans == 0
    tracing.shutdown()


PROGRAM = """
import atexit, time
from ragvigil.tracer import configure, rag_span

began = []
atexit.register(lambda: print(time.monotonic() - began[0]))
{configure}
began.append(time.monotonic())
"""
REQUEST = "with rag_span('why') as request:\n    request.result('so')\n"


def seconds_at_exit(lines: str) -> float:
    """How long the exit of a process that ran these lines takes, from its last line to the last of our work."""
    program = PROGRAM.format(configure=lines)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert "Traceback" not in ended.stderr
    return float(ended.stdout)


@pytest.mark.parametrize(("option", "longest"), [("", 2.9), (", exit_seconds=0.2", 1.5)])
def test_a_process_ends_in_time_though_the_scorer_hangs(hanging: str, option: str, longest: float) -> None:
    """Two seconds by default, one of them spare for a busy machine."""
    lines = f"configure(service_name='tests', endpoint='{hanging}'{option})\n{REQUEST}"
    assert seconds_at_exit(lines) < longest


def test_a_process_ends_in_time_though_it_was_configured_again_and_again(hanging: str) -> None:
    """What was handed over has no time of its own."""
    lines = "".join(
        f"configure(service_name='tests-{index}', endpoint='{hanging}')\n{REQUEST}" for index in range(4)
    )
    assert seconds_at_exit(lines) < 2.9


def test_a_process_that_configured_again_sends_everything_at_its_end(receiver: Receiver) -> None:
    """Also what the earlier one had."""
    lines = "".join(
        f"configure(service_name='tests-{index}', endpoint='{receiver.endpoint}')\n{REQUEST}"
        for index in range(3)
    )
    seconds_at_exit(lines)
    assert len(receiver.spans()) == 3


def test_no_negative_time_for_the_exit(caplog: pytest.LogCaptureFixture) -> None:
    """Named, and never raised."""
    assert configure(exit_seconds=-1.0).provider is None
    assert "exit_seconds=-1.0 is not a number from 0 up" in caplog.text


def test_the_earlier_handle_can_still_be_asked() -> None:
    """A shutdown of what was replaced does nothing to what replaced it."""
    first = configure(service_name="a", exporter=InMemorySpanExporter())
    exporter = InMemorySpanExporter()
    second = configure(service_name="b", exporter=exporter)
    first.shutdown()
    began = time.monotonic()
    ask("why")
    assert second.flush()
    assert len(exporter.get_finished_spans()) == 1
    assert time.monotonic() - began < 30
    second.shutdown()
