"""What the tracer says in the service's log, and that it is little; and the handle of one that is off."""

from __future__ import annotations

import pytest

from ragvigil.tracer import Tracing, configure, trace_rag
from ragvigil.tracer._notices import Notices, describe


@pytest.mark.parametrize("name", ["RAGVIGIL_DISABLED", "OTEL_SDK_DISABLED"])
def test_switched_off_the_decorators_return_the_function_itself(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Free, and configure() starts nothing."""
    monkeypatch.setenv(name, "true")

    def plain(question: str) -> str:
        return question

    assert trace_rag(plain) is plain
    assert trace_rag(segment={"a": "b"})(plain) is plain
    assert configure(service_name="tests").provider is None


def test_a_cause_is_said_once_a_minute_with_a_count(caplog: pytest.LogCaptureFixture) -> None:
    """Time is given, not waited for."""
    now = [0.0]
    notices = Notices(clock=lambda: now[0])
    for _ in range(5):
        notices.say("spans dropped", "the queue is full")
    notices.say("another", ValueError("odd"))
    now[0] = 61.0
    notices.say("spans dropped", "the queue is full")
    assert [record.getMessage() for record in caplog.records] == [
        "ragvigil: spans dropped: the queue is full",
        "ragvigil: another: ValueError: odd",
        "ragvigil: spans dropped: the queue is full (4 more since the last such line)",
    ]


def test_errors_are_described_in_few_words() -> None:
    """An error's own words are cut."""
    assert len(describe(ValueError("x" * 1000))) == 300


def test_a_tracing_handle_counts_nothing_when_off() -> None:
    """The handle of a tracer that could not start is harmless."""
    assert Tracing().dropped_spans == 0
