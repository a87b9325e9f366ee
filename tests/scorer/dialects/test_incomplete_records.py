"""What a record lacks, and what failed in it: lost roots, dropped attributes, helpers and retries that failed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import SpanEvent

from .conftest import ANSWER, QUESTION, as_json, chain, generation, only, retrieval, span, trace

REMOTE, LOCAL = 0x300, 0x100


def test_a_chain_that_says_nothing_stands_for_no_lost_root() -> None:
    """OpenLLMetry leaves out the root of what LlamaIndex streams, and the chain above its model is silent."""
    silent = span("a3", {"openinference.span.kind": "CHAIN"}, parent="gone", start=21, end=80)
    record = only([span("a2", retrieval(), parent="lost", start=3, end=20), silent])
    assert (record.query, record.answer, record.completeness) == (QUESTION, None, "partial_evidence")


@pytest.mark.parametrize(("parent", "completeness"), [("gone", "partial_evidence"), ("a1", "complete")])
def test_an_answer_that_nobody_tells_below_a_lost_span_is_incomplete(parent: str, completeness: str) -> None:
    """LlamaIndex's streams end when nobody looks any more: the model's span, and those around it, are never sent."""
    split = {"openinference.span.kind": "CHAIN", "input.value": "Snow is white."}
    spans = [
        span("a1", chain(answer=None), start=1, end=90),
        span("a2", retrieval(), parent="a1", start=2, end=9),
    ]
    assert only([*spans, span("a3", split, parent=parent, start=10, end=11)]).completeness == completeness


@pytest.mark.parametrize(
    ("flags", "completeness"), [(REMOTE, "complete"), (LOCAL, "partial_evidence"), (0, "partial_evidence")]
)
def test_a_lost_root_is_incomplete_unless_its_parent_is_elsewhere(flags: int, completeness: str) -> None:
    """A parent in another process may never have been sent here; one in this process was lost."""
    spans = [
        span("a2", retrieval(), parent="a1", start=3, end=20, flags=flags),
        span("a3", generation(), parent="a1", start=21, end=80, flags=flags),
    ]
    record = only(spans)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, completeness)


def _limited(longest: int, prompt: str = QUESTION, reason: str = "stop") -> str:
    """How complete the record of a model's call is whose sender lets no more characters through."""
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json([{"role": "user", "content": prompt}]),
        "gen_ai.response.finish_reasons": [reason],
    }
    texts = {key: value[:longest] if isinstance(value, str) else value for key, value in said.items()}
    return only(
        [
            span("a1", chain(), start=1, end=90),
            span("a2", retrieval(), parent="a1", start=2, end=9),
            span("a3", texts, parent="a1", start=10, end=80),
        ]
    ).completeness


def test_json_that_breaks_off_at_the_longest_of_all_texts_was_cut() -> None:
    """OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT leaves no trace: what was sent was unknown, and the record complete."""
    assert _limited(1000) == "complete"
    assert _limited(50) == "partial_evidence"
    for reason in ("length", "model_length"):  # the model may have ended so itself
        assert _limited(50, reason=reason) == "complete"
    longer = {**chain(), "input.value": QUESTION * 9}  # no limit lets that through
    cut = {"openinference.span.kind": "CHAIN", "metadata": '{"tags": ["summ'}
    assert only([span("a1", longer, end=9), span("a2", cut, parent="a1", end=8)]).completeness == "complete"


EVICTED: dict[str, object] = {
    f"retrieval.documents.{place}.document.content": f"Part {place}." for place in range(8, 40)
}
"""What the Python SDK leaves of 40 documents at its limit of 128 attributes: the kind and the question are gone."""
EVICTED_GENAI: dict[str, object] = {"gen_ai.retrieval.top_k": 40}


@pytest.mark.parametrize("left", [EVICTED, EVICTED_GENAI])
@pytest.mark.parametrize("dropped", [34, 0])
def test_a_search_whose_kind_was_dropped_makes_the_record_incomplete(
    left: dict[str, object], dropped: int
) -> None:
    """Never an answer without evidence; where nothing was dropped, nothing is missing."""
    root, above, _, model = trace()
    record = only([root, above, span("a2", left, parent="a1", start=3, end=20, dropped=dropped), model])
    assert record.documents == ()
    assert record.completeness == ("partial_evidence" if dropped else "complete")


def test_what_other_libraries_drop_is_nobodys_question() -> None:
    """An HTTP client has no passages to lose."""
    called: dict[str, object] = {"http.request.method": "POST", "server.address": "store", "airline": "x"}
    spans = [*trace(), span("h1", called, parent="a2", start=4, end=5, dropped=34)]
    assert only(spans).completeness == "complete"


def test_dropped_attributes_make_a_record_incomplete() -> None:
    """The SDK throws the oldest attributes away first: what is missing may have been there."""
    spans = [span("a3", generation(), parent="a1", start=21, end=80, dropped=3), *trace()[:3]]
    assert only(spans).completeness == "partial_evidence"


SAID = (
    SpanEvent("gen_ai.user.message", 1, {"content": QUESTION}),
    SpanEvent("gen_ai.choice", 2, {"message": '{"content": "At nine."}'}),
)
PIECE = SpanEvent("llm.content.completion.chunk", 3)
CALL = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "tiny-chat-1"}


@pytest.mark.parametrize(
    ("told", "events", "dropped", "completeness"),
    [
        (CALL, SAID, 0, "complete"),
        (CALL, SAID, 2, "partial_evidence"),
        (CALL, SAID[1:], 2, "partial_evidence"),
        (CALL, (), 2, "partial_evidence"),
        (CALL, (SAID[0], replace(SAID[1], dropped_attributes=1)), 0, "partial_evidence"),
        (generation(), (PIECE,), 900, "complete"),
        (generation(), (), 900, "complete"),
    ],
)
def test_dropped_events_make_a_record_incomplete_where_they_told_something(
    told: dict[str, object], events: tuple[SpanEvent, ...], dropped: int, completeness: str
) -> None:
    """The passages may have stood in one of them; a stream's pieces stand in the answer as well."""
    model = replace(span("a3", told, parent="a1", start=21, end=80, events=events), dropped_events=dropped)
    assert only([*trace()[:3], model]).completeness == completeness


def test_a_search_that_does_not_tell_what_it_found_is_incomplete() -> None:
    """Never scored as an empty retrieval."""
    silent = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION}
    spans = [
        span("a2", silent, parent="a1", start=3, end=20) if each.span_id == "a2" else each for each in trace()
    ]
    assert only(spans).completeness == "partial_evidence"


def test_a_trace_given_up_waiting_for_says_so() -> None:
    """Unless something worse is known."""
    (record,) = read_records(trace(), timed_out=True)
    assert record.completeness == "timed_out"


def test_a_failed_helper_is_no_error_of_the_question() -> None:
    """A cache miss that raised did not keep the answer from being given."""
    spans = [*trace(), span("a4", name="GET cache", parent="a1", start=3, end=4, failed=True, status="miss")]
    assert only(spans).error is None


def test_a_retry_that_succeeded_is_no_error() -> None:
    """The model was asked twice under one name."""
    first = span(
        "a4", generation(None), parent="a1", start=5, end=9, failed=True, status="RateLimitError: slow"
    )
    assert only([*trace(), first]).error is None


def test_an_error_above_all_else_is_the_roots() -> None:
    """No step failed but the chain itself."""
    event = SpanEvent("exception", 0, {"exception.type": "ValueError", "exception.message": "bad template"})
    root = span("a1", chain(answer=None), parent="a0", start=2, end=90, failed=True, events=(event,))
    record = only([root if each.span_id == "a1" else each for each in trace()])
    assert (record.error, record.error_where, record.error_message) == ("ValueError", "root", "bad template")
