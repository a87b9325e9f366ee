"""Feedback on an answer: a late span of the same trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragvigil.tracer import (
    current_trace_id,
    record_feedback,
    trace_rag,
)

from .conftest import Receiver, Recording


def test_feedback_is_a_late_span_of_the_same_trace(
    receiver: Receiver, record: Callable[..., Recording]
) -> None:
    """It has the trace id, a parent, and OpenInference's annotation."""
    recording = record()
    seen: list[str | None] = []

    @trace_rag
    def ask(question: str) -> str:
        seen.append(current_trace_id())
        return "so"

    ask("why")
    assert current_trace_id() is None
    assert seen[0] is not None
    assert record_feedback(seen[0], thumbs_up=False, comment="wrong unit", user_id="ana")
    assert record_feedback(seen[0], score=0.7)
    assert record_feedback(seen[0], comment="And at 2000 m?", kind="follow_up", span_id="00f067aa0ba902b7")
    assert len(recording.trace_ids()) == 1
    thumbs, score, follow = (span["attributes"] for span in recording.spans()[1:])
    assert thumbs == {
        "gen_ai.operation.name": "feedback",
        "annotations.0.annotation.name": "thumbs",
        "annotations.0.annotation.annotator_kind": "HUMAN",
        "annotations.0.annotation.label": "down",
        "annotations.0.annotation.score": 0.0,
        "annotations.0.annotation.explanation": "wrong unit",
        "user.id": "ana",
    }
    assert score["annotations.0.annotation.score"] == 0.7
    assert follow["annotations.0.annotation.name"] == "follow_up"
    assert [span["parent"] for span in recording.spans()] == [None, "outside", "outside", "outside"]


def test_a_comment_is_content(record: Callable[..., Recording]) -> None:
    """It stays here where content does."""
    recording = record(content="ids_only")
    assert record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", thumbs_up=True, comment="secret")
    assert "annotations.0.annotation.explanation" not in recording.attributes()


@pytest.mark.parametrize("trace_id", ["", "zz", "0" * 32, "f" * 40, None])
def test_feedback_on_no_trace_is_refused_in_words(
    recording: Recording, caplog: pytest.LogCaptureFixture, trace_id: str
) -> None:
    """It comes from browsers."""
    assert record_feedback(trace_id, thumbs_up=True) is False
    assert "is not 32 hexadecimal characters" in caplog.text


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "give thumbs_up, a finite score or a comment"),
        ({"score": float("nan")}, "give thumbs_up, a finite score or a comment"),
        ({"kind": "thumbs"}, "give thumbs_up, a finite score or a comment"),
        (
            {"kind": "thumb", "thumbs_up": True},
            "kind='thumb' is none of thumbs, score, comment, rephrase, follow_up",
        ),
    ],
)
def test_feedback_that_says_nothing_is_refused_in_words(
    recording: Recording, caplog: pytest.LogCaptureFixture, said: dict[str, Any], why: str
) -> None:
    """That it was queued must not be said of what nobody can use."""
    assert record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", **said) is False
    assert caplog.messages == [f"ragvigil: feedback was not recorded: {why}"]
    assert recording.spans() == []


def test_a_question_put_again_says_something_without_its_words(recording: Recording) -> None:
    """A service may know that it happened and keep the words."""
    assert record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", kind="rephrase")
    assert recording.attributes()["annotations.0.annotation.name"] == "rephrase"
