"""What is recorded after the fact: odd times, odd objects, and how much of the texts."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, NoReturn

import pytest
from opentelemetry import context as otel_context
from opentelemetry import propagate

from ragvigil.tracer import (
    context,
    current_trace_id,
    rag_span,
    record_feedback,
    record_generation,
    record_request,
    record_retrieval,
    record_retry,
    trace_generator,
    trace_rag,
)

from .conftest import Recording


class Leaving:
    """Ends the process when it is printed or counted."""

    def __str__(self) -> NoReturn:
        sys.exit(3)

    __repr__ = __float__ = __str__


@pytest.mark.parametrize(
    ("seconds", "ended_at", "duration", "end"),
    [
        (timedelta(seconds=1.5), datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC), 1.5, 1_700_000_000),
        (Decimal("0.25"), Decimal(1_700_000_000), 0.25, 1_700_000_000),
        (None, None, 0.0, None),
        (float("inf"), -5, 0.0, None),
        (float("nan"), 1.7e12 * 1e6, 0.0, None),
        (-1.0, float("-inf"), 0.0, None),
        (2e9, 1_700_000_000, 0.0, 1_700_000_000),
        ("1", b"2", 0.0, None),
        (10**400, 10**400, 0.0, None),
        (Leaving(), Leaving(), 0.0, None),
    ],
)
def test_odd_times_of_what_is_over_are_left_out_and_said_once(
    recording: Recording,
    caplog: pytest.LogCaptureFixture,
    seconds: Any,
    ended_at: Any,
    duration: float,
    end: int | None,
) -> None:
    """A record is for the service to make, not to break on."""
    before = time.time_ns()
    assert record_retrieval("q", ["d"], seconds=seconds, ended_at=ended_at)
    assert record_generation("q", "a", seconds=seconds, ended_at=ended_at)
    assert record_request("q", "a", documents=["d"], seconds=seconds, ended_at=ended_at)
    spans = recording.raw()
    assert len(spans) == 5
    for span in spans[:2] + spans[-2:]:
        assert span.start_time is not None
        assert span.end_time is not None
        assert span.end_time - span.start_time == duration * 1e9
        assert span.end_time == end * 10**9 if end is not None else span.end_time >= before
    left_out = (seconds is not None and not duration) or (ended_at is not None and end is None)
    assert len(caplog.messages) == left_out


def test_a_naive_datetime_is_local_time(recording: Recording) -> None:
    """As everywhere in Python."""
    now = datetime.now()
    record_generation("q", "a", ended_at=now)
    (span,) = recording.raw()
    assert span.end_time == pytest.approx(now.timestamp() * 1e9)


def test_a_record_may_ask_for_less_of_its_texts(recording: Recording) -> None:
    """Per call, as everywhere else; a request's covers its parts."""
    record_request("secret", "secret [d1]", documents=[("d1", "secret")], content="ids_only")
    record_retrieval("secret", [("d1", "secret")], content="ids_only")
    record_generation("secret", "secret", content="ids_only")
    record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", comment="secret", content="ids_only")
    assert len(recording.spans()) == 6
    assert "secret" not in str(recording.spans())


def test_a_comment_obeys_the_strictest_policy_around(recording: Recording) -> None:
    """Of a block, of the request by a call or by its root, and of the calling service."""
    rated = "4bf92f3577b34da6a3ce929d0e0e4736"

    def comment() -> None:
        record_feedback(rated, comment="secret")

    with context(content="ids_only"):
        comment()

    @trace_rag(content="ids_only")
    def root(question: str) -> None:
        comment()

    @trace_rag
    def told(question: str) -> None:
        context(content="ids_only")
        comment()

    root("q")
    told("q")
    around = propagate.extract({"baggage": "ragvigil.content_policy=ids_only"})
    token = otel_context.attach(around)
    comment()
    otel_context.detach(token)
    spans = recording.spans()
    assert [span["name"] for span in spans].count("feedback") == 4
    assert "secret" not in str(spans)
    comment()
    assert recording.spans()[-1]["attributes"]["annotations.0.annotation.explanation"] == "secret"


def test_an_object_that_ends_the_process_when_printed_does_not_through_us(recording: Recording) -> None:
    """The service's own error goes on, and everything else that we would print is left out."""

    class BrokenError(Leaving, Exception):
        pass

    error = BrokenError()

    @trace_rag
    def ask(question: str) -> None:
        context(user_id=Leaving(), conversation_id=Leaving(), segment={"tenant": Leaving()})
        record_retry(error)
        record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", thumbs_up=True, user_id=Leaving())
        record_feedback(Leaving(), thumbs_up=True)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
        raise error

    @trace_generator
    def stream(question: str) -> Iterator[str]:
        yield "half"
        raise error

    for work in (lambda: ask("q"), lambda: list(stream("q"))):
        with pytest.raises(BrokenError) as caught:
            work()
        assert caught.value is error
    with pytest.raises(BrokenError), rag_span("q"):
        raise error
    assert current_trace_id() is None
    failed = [span["name"] for span in recording.spans() if span["status"][0] == "ERROR"]
    assert failed == ["invoke_workflow ask", "chat", "invoke_workflow request"]
