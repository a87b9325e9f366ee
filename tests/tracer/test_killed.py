"""What would end a thread does not end the sending one, or another takes its place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragvigil.tracer import Tracing, configure, current_trace_id, trace_rag
from ragvigil.tracer._delivery import Delivery

from .conftest import Recording


class Killed(BaseException):
    """What ends a greenlet."""


@trace_rag
def ask(question: str) -> str | None:
    """A service; its answer tells whether it was traced."""
    return current_trace_id()


class Deadly(InMemorySpanExporter):
    """Kills the thread that exports, so many times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Take a batch, at last."""
        if self.left:
            self.left -= 1
            raise Killed
        return super().export(spans)


@pytest.fixture
def started() -> Iterator[Callable[[Deadly], Tracing]]:
    """Starts a tracer with this exporter, and stops it after the test."""
    running: list[Tracing] = []

    def start(exporter: Deadly) -> Tracing:
        running.append(configure(service_name="tests", exporter=exporter))
        return running[-1]

    yield start
    for tracing in running:
        tracing.shutdown()


def test_an_exporter_that_kills_its_thread_costs_one_counted_batch(
    started: Callable[[Deadly], Tracing], caplog: pytest.LogCaptureFixture
) -> None:
    """The next batch arrives, and says what was lost."""
    exporter = Deadly(1)
    tracing = started(exporter)
    ask("one")
    assert tracing.flush(timeout_seconds=10)
    assert tracing.dropped_spans == 1
    ask("two")
    assert tracing.flush(timeout_seconds=10)
    (span,) = exporter.get_finished_spans()
    assert (span.attributes or {})["ragvigil.dropped_spans"] == 1
    assert [record.getMessage() for record in caplog.records] == [
        "ragvigil: spans were not delivered: Killed: "
    ]


def test_an_exporter_that_always_kills_its_thread_shuts_the_gate(
    started: Callable[[Deadly], Tracing],
) -> None:
    """As one that always fails does."""
    tracing = started(Deadly(1_000))
    for _ in range(3):
        assert ask("why") is not None
        tracing.flush(timeout_seconds=10)
    assert ask("why") is None


def test_a_redactor_that_kills_its_thread_lets_no_text_out(record: Callable[..., Recording]) -> None:
    """The span arrives without what could not be redacted, and says so."""

    def deadly(text: str) -> NoReturn:
        raise Killed

    recording = record(content="redacted", redact=deadly)
    ask("secret")
    ask("secret")
    spans = recording.spans()
    assert [span["attributes"]["ragvigil.unreadable"] for span in spans] == [["span: Killed"]] * 2
    assert "secret" not in str(spans)


def test_another_thread_takes_the_place_of_one_that_was_killed(
    recording: Recording, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With the next span, or when somebody waits for those that it left."""
    sleep, ended = vars(Delivery)["_sleep"], list[bool]()

    def killed(self: Delivery) -> object:
        if ended:
            return sleep(self)
        ended.append(True)
        raise Killed

    monkeypatch.setattr(Delivery, "_sleep", killed)
    ask("one")
    deadline = time.monotonic() + 10
    while not caplog.records and time.monotonic() < deadline:
        time.sleep(0.001)
    assert caplog.messages == ["ragvigil: the sending thread ended, the next span starts another: Killed: "]
    assert len(recording.spans()) == 1
    ask("two")
    assert len(recording.spans()) == 2
