"""Steps that failed without the status ERROR, as their dialects tell it."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects import DIALECTS, Failure, Reading, read_records
from ragvigil.scorer.span import Span, SpanEvent
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, QUESTION, as_json, only, span

TOLD = "ConnectionError: vector store unreachable"


def langfuse(kind: str, **said: str) -> dict[str, object]:
    """Attributes of a Langfuse observation that was asked the question."""
    named: dict[str, object] = {f"langfuse.observation.{key}": value for key, value in said.items()}
    return {"langfuse.observation.type": kind, "langfuse.observation.input": QUESTION, **named}


def failing(search: dict[str, object], *, failed: bool = False, status: str = "") -> RagTrace:
    """The record of a question whose search is told so."""
    return only(
        [
            span("a1", langfuse("span", output="Sorry."), start=1, end=99),
            span("a2", search, parent="a1", start=2, end=20, failed=failed, status=status),
        ]
    )


def test_a_level_is_an_error_without_a_status() -> None:
    """Langfuse's own word for it; the type stands before the message."""
    record = failing(langfuse("retriever", level="ERROR", status_message=TOLD))
    assert (record.error, record.error_where) == ("ConnectionError", "retriever")
    assert record.error_message == "vector store unreachable"


@pytest.mark.parametrize(
    ("name", "where"), [("retrieve", "retriever"), ("search_docs", "retriever"), ("research", "root")]
)
def test_a_function_whose_name_says_that_it_searches_is_where_it_failed(name: str, where: str) -> None:
    """It returned nothing from which that could be known."""
    call = langfuse("span", level="ERROR", status_message=TOLD)
    root = span("a1", langfuse("span", level="ERROR", status_message=TOLD), start=1, end=99)
    record = only([root, span("a2", call, name=name, parent="a1", start=2, end=20)])
    assert (record.error, record.error_where) == ("ConnectionError", where)


def test_a_level_without_a_message_is_an_error_all_the_same() -> None:
    """What it was is not known, that it was is."""
    record = failing(langfuse("retriever", level="ERROR"))
    assert (record.error, record.error_message, record.error_where) == ("error", None, "retriever")


@pytest.mark.parametrize("level", ["DEFAULT", "WARNING", "DEBUG"])
def test_no_other_level_is_an_error(level: str) -> None:
    """A message beside it may say anything."""
    record = failing(langfuse("retriever", level=level, status_message=TOLD, output="[]"))
    assert record.error is None


def test_a_message_beside_an_empty_status_is_read() -> None:
    """And a status that says something wins."""
    told = langfuse("retriever", level="ERROR", status_message=TOLD)
    assert failing(told, failed=True).error == "ConnectionError"
    assert failing(told, failed=True, status="TimeoutError: 3 s").error == "TimeoutError"


def test_a_search_that_was_tried_again_is_no_error() -> None:
    """A level is forgotten by a later success under the same name, as a status is."""
    again = langfuse("retriever", output=as_json([{"id": "a", "text": "Nine."}]))
    record = only(
        [
            span("a1", langfuse("span", output=ANSWER), start=1, end=99),
            span("a2", langfuse("retriever", level="ERROR"), parent="a1", name="search", start=2, end=20),
            span("a3", again, parent="a1", name="search", start=21, end=30),
        ]
    )
    assert (record.error, [each.id for each in record.documents]) == (None, ["a"])


class Acme:
    """A dialect of somebody's own."""

    name = "acme"

    def matches(self, span: Span) -> bool:
        """Whether it is one of theirs."""
        return "acme.kind" in span.attributes

    def read(self, span: Span) -> Reading:
        """Its failures are codes."""
        code = span.attributes.get("acme.code")
        return Reading(
            role="retriever",
            query=QUESTION,
            failure=Failure("StoreDown", f"code {code}") if code else None,
        )


@pytest.mark.parametrize(("code", "error"), [(503, "StoreDown"), (0, None)])
def test_a_dialect_of_your_own_may_say_that_a_step_failed(code: int, error: str | None) -> None:
    """Whatever the status of its span."""
    spans = [span("a1", {"acme.kind": "search", "acme.code": code}, start=1, end=9)]
    (record,) = read_records(spans, dialects=(Acme(), *DIALECTS))
    assert record.error == error


def test_a_handled_exception_of_haystack_is_no_error() -> None:
    """The event alone does not fail a component: its status has to."""
    event = SpanEvent("exception", 0, {"exception.type": "KeyError", "exception.message": "lang"})
    component: dict[str, object] = {
        "haystack.component.type": "TinyRetriever",
        "haystack.component.output_spec": as_json({"documents": {}}),
        "haystack.component.output": as_json({"documents": [{"id": "a", "content": "Nine."}]}),
        "haystack.component.input": as_json({"query": QUESTION}),
    }
    assert only([span("a1", component, start=1, end=9, events=(event,))]).error is None
    assert only([span("a1", component, start=1, end=9, events=(event,), failed=True)]).error == "KeyError"


def test_a_run_of_langsmith_with_an_exception_failed_whatever_its_status() -> None:
    """Node's SDK does not take back that a run which went on was well so far; other events are none."""
    asked: dict[str, object] = {"langsmith.span.kind": "chain", "gen_ai.prompt": '{"input": "When?"}'}
    search: dict[str, object] = {"langsmith.span.kind": "retriever", "gen_ai.prompt": '{"input": "When?"}'}
    said = {"exception.type": "Error", "exception.message": "Error: index unreachable"}
    raised = (SpanEvent("exception", 5, said),)
    spans = [
        span("a1", asked, start=1, end=9, events=raised),
        span("a2", search, parent="a1", start=2, end=5, events=raised),
    ]
    record = only(spans)
    assert (record.error, record.error_where, record.completeness) == (
        "index unreachable",
        "retriever",
        "complete",
    )
    told = (SpanEvent("new_token", 5, {}),)
    assert only([span("a1", asked, start=1, end=9, events=told)]).error is None
    answered = {**asked, "gen_ai.completion": '{"output": "At nine."}'}
    assert only([span("a1", answered, start=1, end=9, events=raised)]).error is None  # it went on


def test_what_langfuse_writes_in_place_of_an_answer_is_none() -> None:
    """Node's SDK: an object with the error, in the output of all that it went through."""
    written = as_json({"error": "Error: index unreachable"})
    said = langfuse("span", level="ERROR", status_message="index unreachable", output=written)
    record = only([span("a1", said, start=1, end=9)])
    assert (record.answer, record.error) == (None, "index unreachable")
    assert only([span("a1", langfuse("span", output=written), start=1, end=9)]).answer == written


def cancelled(above: str | None) -> RagTrace:
    """The record of a question whose search was cancelled, with what left the question itself."""
    search = langfuse("retriever", level="ERROR", status_message="CancelledError: the reader is gone")
    status: dict[str, str] = {} if above is None else {"level": "ERROR", "status_message": above}
    root = span("a1", langfuse("span", output="Sorry.", **status), start=1, end=99)
    return only([root, span("a2", search, parent="a1", start=2, end=20)])


def test_what_cancelled_a_step_is_the_error_and_the_step_is_where() -> None:
    """Every `asyncio.timeout` around a stream was stored as a CancelledError."""
    record = cancelled("TimeoutError: after 3 s")
    assert (record.error, record.error_where) == ("TimeoutError", "retriever")
    assert record.error_message == "after 3 s"


def test_a_step_that_was_cancelled_and_nothing_says_why_is_cancelled() -> None:
    """Its reader has gone."""
    assert cancelled(None).error == "CancelledError"


def test_a_failure_comes_before_a_cancellation_that_it_caused() -> None:
    """A task group cancels the others, and one of them may end first."""
    other = langfuse("generation", level="ERROR", status_message="ConnectionError: refused")
    search = langfuse("retriever", level="ERROR", status_message="CancelledError: by its group")
    root = span("a1", langfuse("span", output="Sorry."), start=1, end=99)
    steps = [
        span("a2", search, parent="a1", start=2, end=20),
        span("a3", other, parent="a1", start=2, end=21),
    ]
    record = only([root, *steps])
    assert (record.error, record.error_where) == ("ConnectionError", "generator")
