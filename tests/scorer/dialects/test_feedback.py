"""What people said later reaches the record of the answer that they said it of."""

from __future__ import annotations

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import LogEvent, Span
from ragvigil.tracer import attributes as names

from .conftest import TRACE_ID, chain, only, retrieval, span

RESPONSE = {"gen_ai.response.id": "r-1"}


def asked(key: str = "a", start: int = 0) -> list[Span]:
    """One question in three spans."""
    return [
        span(f"{key}1", chain() | RESPONSE if key == "a" else chain(), start=start, end=start + 9),
        span(f"{key}2", retrieval(), parent=f"{key}1", start=start + 1, end=start + 2),
        span(f"{key}3", {"openinference.span.kind": "LLM"}, parent=f"{key}1", start=start + 3, end=start + 8),
    ]


def thumbs(
    label: str, *, at: int = 1, span_id: str | None = None, more: dict[str, object] | None = None
) -> LogEvent:
    """Our own event."""
    said = {names.FEEDBACK_NAME: "thumbs", names.FEEDBACK_LABEL: label, **(more or {})}
    return LogEvent(TRACE_ID, span_id, names.FEEDBACK_EVENT, at * 10**9, said)


def labels(spans: list[Span], *events: LogEvent) -> list[list[object]]:
    """The labels that each record has."""
    return [[entry.get("label") for entry in record.feedback] for record in read_records(spans, events)]


def test_our_event_says_what_who_and_when() -> None:
    """The entry has the shape of an OpenInference annotation."""
    event = thumbs("down", more={names.USER_ID: "ana", names.FEEDBACK_IDENTIFIER: "f1"})
    (record,) = read_records(asked(), [event])
    assert record.feedback == (
        {
            "name": "thumbs",
            "label": "down",
            "identifier": "f1",
            "user_id": "ana",
            "at": "1970-01-01T00:00:01.000+00:00",
        },
    )


def test_the_last_word_under_one_identifier_counts() -> None:
    """In the order of their moments, whatever the order of arrival; without an identifier, repeats are one."""
    key = names.FEEDBACK_IDENTIFIER
    up, down = thumbs("up", at=1, more={key: "f1"}), thumbs("down", at=2, more={key: "f1"})
    assert labels(asked(), up, down) == labels(asked(), down, up) == [["down"]]
    assert labels(asked(), thumbs("up"), thumbs("up")) == [["up"]]
    assert labels(asked(), thumbs("up"), thumbs("up", at=2)) == [["up", "up"]]


def test_feedback_goes_to_the_question_that_it_is_about() -> None:
    """By span; about the trace, or about a span that is not here, to each of its questions."""
    two = [*asked("a"), *asked("b", start=20)]
    assert labels(two, thumbs("up", span_id="b2")) == [[], ["up"]]
    assert labels(two, thumbs("up")) == [["up"], ["up"]]
    assert labels(two, thumbs("up", span_id="ff")) == [["up"], ["up"]]


def test_azures_event_finds_its_answer_by_the_response_id() -> None:
    """Its score stands in an attribute or in the body."""
    event = LogEvent(
        TRACE_ID,
        "ff",
        "gen_ai.evaluation.user_feedback",
        10**9,
        {**RESPONSE, "score": -1.0, "comment": "not what I asked"},
    )
    first, second = read_records([*asked("a"), *asked("b", start=20)], [event])
    (entry,) = first.feedback
    assert (entry["score"], entry["explanation"], entry["annotator_kind"]) == (
        -1.0,
        "not what I asked",
        "HUMAN",
    )
    assert second.feedback == ()


def test_logfires_annotations_are_feedback() -> None:
    """A span of its own below the one it is about; taken back, it is gone."""
    marks: dict[str, object] = {
        "logfire.msg": "feedback: helpful = False",
        "logfire.span_type": "annotation",
        "logfire.feedback.name": "helpful",
        "logfire.feedback.comment": "no",
        "logfire.feedback.id": "x",
        "helpful": False,
    }
    said = span("c1", marks, parent="a1", start=50, end=50)
    record = only([*asked(), said])
    assert record.feedback == (
        {"name": "helpful", "score": 0.0, "label": "down", "explanation": "no", "identifier": "x"},
    )
    back = span("c2", marks | {"logfire.feedback.deleted": True}, parent="a1", start=60, end=60)
    assert only([*asked(), said, back]).feedback == ()


def test_feedback_changes_nothing_else_of_the_record() -> None:
    """The input hash, and so version and verdict, stay."""
    (before,), (after,) = read_records(asked()), read_records(asked(), [thumbs("down")])
    assert after.feedback
    assert (after.query, after.answer, after.documents, after.evaluations) == (
        (before.query, before.answer, before.documents, before.evaluations)
    )
