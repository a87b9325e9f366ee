"""From all spans of a trace to records: one span per role, nothing guessed."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import LogEvent, Span
from ragvigil.scorer.trace import Tokens

from .conftest import (
    ANSWER,
    QUESTION,
    TRACE_ID,
    as_json,
    chain,
    generation,
    ids,
    only,
    retrieval,
    span,
    trace,
)


def test_a_trace_is_one_record() -> None:
    """Every fact comes from the span that knows it."""
    record = only(trace())
    assert (record.trace_id, record.span_id) == (TRACE_ID, "a3")
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
    assert ids(record) == ["timetable-1", "fares-2"]
    assert record.tokens == Tokens(20, 5)
    assert (record.retrieval_seconds, record.generation_seconds, record.total_seconds) == (
        0.017,
        0.059,
        0.088,
    )
    assert record.started_at == 1_700_000_000_001_000_000
    assert record.completeness == "complete"


def test_a_trace_without_a_question_has_no_record() -> None:
    """Health checks, embeddings and stray requests are not answers."""
    embedding = {"openinference.span.kind": "EMBEDDING", "input.value": "text"}
    assert read_records([]) == []
    assert read_records([span("a0", name="GET /health", start=1, end=2)]) == []
    assert read_records([span("a0", embedding, start=1, end=2)]) == []


def test_two_chains_in_one_request_are_two_records() -> None:
    """A batch of questions shares a request; each has its own retrieval and generation."""
    spans = [span("00", name="POST /batch", start=0, end=99)]
    for number, (question, key) in enumerate({"One?": "doc-one", "Two?": "doc-two"}.items()):
        at, top = number * 40, f"c{number}"
        spans += [
            span(top, chain(question, f"{key}!"), parent="00", start=at + 1, end=at + 39),
            span(
                f"{top}r", retrieval(((key, "Text.", 0.5),), question), parent=top, start=at + 2, end=at + 9
            ),
            span(f"{top}g", generation(f"{key}!"), parent=top, start=at + 10, end=at + 38),
        ]
    records = read_records(spans)
    assert [(record.query, ids(record), record.answer) for record in records] == [
        ("One?", ["doc-one"], "doc-one!"),
        ("Two?", ["doc-two"], "doc-two!"),
    ]
    assert [record.tokens for record in records] == [Tokens(20, 5)] * 2
    assert records[0].started_at < records[1].started_at


def test_questions_that_only_hang_below_each_other_are_apart() -> None:
    """OpenLLMetry puts a batch below its first question; an answer that comes too late for it is none of its parts."""
    spans = [span("00", name="nightly", start=0, end=99)]
    for number, (question, end) in enumerate({"One?": 90, "Two?": 95, "Three?": 97}.items()):
        top, text = f"c{number}", f"{question}!"
        parent = f"c{number - 1}" if number else "00"
        spans += [
            span(top, chain(question, text), parent=parent, start=number + 1, end=end),
            span(f"{top}r", retrieval(((top, "Text.", 0.5),), question), parent=top, start=20, end=30),
            span(f"{top}g", generation(text), parent=top, start=40 + number, end=80),
        ]
    records = read_records(spans)
    told = [(record.query, ids(record), record.answer, record.tokens.input) for record in records]
    assert told == [
        ("One?", ["c0"], "One?!", 20),
        ("Two?", ["c1"], "Two?!", 20),
        ("Three?", ["c2"], "Three?!", 20),
    ]


def test_a_question_below_another_that_feeds_its_answer_is_a_part_of_it() -> None:
    """It ends before the answer begins."""
    spans = [
        span("a1", chain("One?", "One!"), start=1, end=99),
        span("a2", retrieval((("one", "Text.", 0.5),), "One?"), parent="a1", start=2, end=9),
        span("b1", chain("Two?", "Two!"), parent="a1", start=10, end=40),
        span("b2", retrieval((("two", "Else.", 0.5),), "Two?"), parent="b1", start=11, end=19),
        span("b3", generation("Two!"), parent="b1", start=20, end=39),
        span("a3", generation("One!"), parent="a1", start=50, end=90),
    ]
    record = only(spans)
    assert (record.query, ids(record), record.answer) == ("One?", ["one", "two"], "One!")


def test_an_answer_that_the_root_composed_of_several_replies_is_the_roots() -> None:
    """LlamaIndex's `accumulate` puts one reply for each passage below the other."""
    whole = "Response 1: It leaves at nine.\n---\nResponse 2: It costs four crowns."
    spans = [
        span("a1", chain(QUESTION, whole), start=1, end=99),
        span("a2", retrieval(), parent="a1", start=2, end=9),
        span("a3", generation("It leaves at nine."), parent="a1", start=10, end=20),
        span("a4", generation("It costs four crowns."), parent="a1", start=21, end=30),
    ]
    assert only(spans).answer == whole
    assert only([*spans[:2], spans[3]]).answer == "It costs four crowns."


def test_an_agent_with_several_searches_is_one_record() -> None:
    """One question, one answer, and the union of what the answer could see."""
    spans = [
        span("c0", chain(), start=0, end=99),
        span("c1", generation(None), parent="c0", start=1, end=9),
        span(
            "c2", retrieval((("a", "One.", 0.9), ("b", "Two.", 0.8)), "first"), parent="c0", start=10, end=19
        ),
        span("c3", generation("Let me look again."), parent="c0", start=20, end=29),
        span(
            "c4",
            retrieval((("b", "Two.", 0.7), ("c", "Three.", 0.6)), "second"),
            parent="c0",
            start=30,
            end=39,
        ),
        span("c5", generation(), parent="c0", start=40, end=90),
    ]
    record = only(spans)
    assert ids(record) == ["a", "b", "c"]
    assert [document.rank for document in record.documents] == [1, 2, 3]
    assert record.documents[1].score == 0.8
    assert (record.answer, record.span_id) == (ANSWER, "c5")
    assert record.tokens == Tokens(60, 15)
    assert [step.query for step in record.retrievals] == ["first", "second"]


def test_a_chain_that_sums_up_its_parts_is_one_record() -> None:
    """Two complete parts below a chain without a question, and a conclusion after both."""
    spans = [span("d0", chain(None, None), start=0, end=99)]
    for number in range(2):
        at, top = number * 20, f"d{number}"
        spans += [
            span(f"{top}c", chain(f"Part {number}?", "part"), parent="d0", start=at + 1, end=at + 19),
            span(f"{top}r", retrieval(), parent=f"{top}c", start=at + 2, end=at + 5),
            span(f"{top}g", generation("part"), parent=f"{top}c", start=at + 6, end=at + 18),
        ]
    spans.append(span("d9", generation("In sum."), parent="d0", start=60, end=90))
    assert only(spans).answer == "In sum."


def test_what_was_retrieved_after_the_answer_is_no_evidence() -> None:
    """A search for follow-up questions cannot have informed the answer."""
    late = span("a4", retrieval((("late", "Later.", 0.9),)), parent="a1", start=81, end=85)
    assert ids(only([*trace(), late])) == ["timetable-1", "fares-2"]


def test_clocks_that_disagree_do_not_hide_the_evidence() -> None:
    """A retriever on another machine may seem to end after the answer began."""
    spans = trace()
    skewed = span("a2", retrieval(), parent="a1", start=70, end=95)
    assert ids(only([skewed if each.span_id == "a2" else each for each in spans])) == [
        "timetable-1",
        "fares-2",
    ]


HOUR = 3_600_000
"""In milliseconds."""


@pytest.mark.parametrize(
    ("root", "search", "chat", "at"),
    [
        ((0, 90), (-1_000, -990), (20, 80), 0),
        ((0, 90), (-HOUR, -HOUR + 10), (20, 80), 0),
        ((0, 90), (HOUR, HOUR + 10), (20, 80), 0),
        ((0, 90), (-HOUR, -HOUR + 10), None, 0),
        ((0, 90), (HOUR, HOUR + 10), None, 0),
        ((0, HOUR), (HOUR - 900, HOUR - 500), (HOUR - 400, HOUR - 100), 0),
        ((-HOUR, -HOUR + 90), (10, 20), (20, 80), 10),
        ((HOUR, HOUR + 90), (10, 20), (20, 80), 10),
    ],
    ids=[
        "a second behind",
        "an hour behind",
        "an hour ahead",
        "one step behind",
        "one step ahead",
        "agent",
        "old root",
        "new root",
    ],
)
def test_an_answer_is_of_the_moment_of_its_question(
    root: tuple[int, int], search: tuple[int, int], chat: tuple[int, int] | None, at: int
) -> None:
    """By the clock of the span above all others, unless most steps say that this one is off."""
    spans = [
        span("a1", chain(), start=root[0], end=root[1]),
        span("a2", retrieval(), parent="a1", start=search[0], end=search[1]),
    ]
    if chat is not None:
        spans.append(span("a3", generation(), parent="a1", start=chat[0], end=chat[1]))
    for order in itertools.permutations(spans):
        assert only(list(order)).started_at == 1_700_000_000_000_000_000 + at * 10**6


def test_an_answer_whose_spans_have_no_start_is_of_the_moment_of_its_end() -> None:
    """Some senders leave one out; none at all is no moment."""
    whole = trace()
    ends = [replace(each, start=0) for each in whole]
    assert only(ends).started_at == min(each.end for each in whole)
    assert only([replace(each, start=0, end=2**63) for each in whole]).started_at == 0


def test_nested_retrievers_count_once() -> None:
    """The outer one tells what it found; where it does not, the inner one does."""
    inner = span("a4", retrieval(), parent="a2", start=4, end=19)
    record = only([*trace(), inner])
    assert ids(record) == ["timetable-1", "fares-2"]
    assert len(record.retrievals) == 1
    silent = {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION}
    spans = [
        span("a2", silent, parent="a1", start=3, end=20) if each.span_id == "a2" else each for each in trace()
    ]
    assert ids(only([*spans, inner])) == ["timetable-1", "fares-2"]


def test_a_rerank_replaces_only_what_went_into_it() -> None:
    """Two searches; the second one is reranked, ids only, and its texts come from the search."""
    rerank = {
        "openinference.span.kind": "RERANKER",
        "reranker.query": QUESTION,
        "reranker.input_documents.0.document.id": "x",
        "reranker.input_documents.1.document.id": "y",
        "reranker.output_documents.0.document.id": "y",
        "reranker.output_documents.0.document.score": 0.99,
    }
    spans = [
        span("e0", chain(), start=0, end=99),
        span("e1", retrieval(), parent="e0", start=1, end=9),
        span("e2", retrieval((("x", "Ex.", 0.5), ("y", "Why.", 0.4))), parent="e0", start=10, end=19),
        span("e3", rerank, parent="e0", start=20, end=29),
        span("e4", generation(), parent="e0", start=30, end=90),
    ]
    record = only(spans)
    assert ids(record) == ["timetable-1", "fares-2", "y"]
    assert (record.documents[2].text, record.documents[2].score) == ("Why.", 0.99)
    assert [step.stage for step in record.retrievals] == ["retrieve", "retrieve", "rerank"]


def test_one_id_with_two_texts_is_two_passages() -> None:
    """Some stores give the id of the file, not of the chunk."""
    chunks = (("guide.pdf", "First page.", 0.9), ("guide.pdf", "Second page.", 0.8))
    assert [each.text for each in only([span("f1", retrieval(chunks), start=1, end=2)]).documents] == [
        "First page.",
        "Second page.",
    ]


def test_an_evaluator_does_not_answer() -> None:
    """A guardrail's model runs last, and is not the generation."""
    guard = {"openinference.span.kind": "EVALUATOR"}
    spans = [
        *trace(),
        span("a5", guard, parent="a1", start=81, end=89),
        span("a6", generation("No harm found.", tokens=(7, 7)), parent="a5", start=82, end=88),
    ]
    record = only(spans)
    assert (record.answer, record.tokens) == (ANSWER, Tokens(20, 5))


def test_the_answer_is_the_one_that_the_root_returned() -> None:
    """A model that names the conversation runs after the answer."""
    title = span("a4", generation("Ferry times"), parent="a1", start=81, end=88)
    assert only([*trace(), title]).span_id == "a3"


def test_questions_of_a_batch_are_apart_where_no_model_has_a_span() -> None:
    """Two chains that search and answer; a second try at the same question is none."""

    def batch(second: str) -> list[Span]:
        spans = [span("a0", name="nightly", start=0, end=99)]
        for place, asked in enumerate((QUESTION, second)):
            at = 10 * place
            spans.append(span(f"b{place}", chain(asked), parent="a0", start=at + 1, end=at + 9))
            spans.append(
                span(f"c{place}", retrieval(query=asked), parent=f"b{place}", start=at + 2, end=at + 3)
            )
        return spans

    records = read_records(batch("What is the fare?"))
    assert [(each.query, len(each.documents)) for each in records] == [
        (QUESTION, 2),
        ("What is the fare?", 2),
    ]
    assert len(read_records(batch(QUESTION))) == 1


def test_a_tools_schema_is_not_what_it_was_called_with() -> None:
    """OpenInference's CrewAI writes it in the place of the arguments; the task is the question of its prompt."""
    tool = {
        "openinference.span.kind": "TOOL",
        "tool.name": "search_kb",
        "tool.parameters": as_json({"type": "object", "properties": {"query": {"type": "string"}}}),
        "input.value": as_json({"query": "ferry"}),
        "output.value": "[1] The ferry leaves at nine.\n[2] A ticket costs four crowns.",
    }
    asked = f"\nCurrent Task: {QUESTION}\n\nThis is the expected criteria for your final answer: A time"
    record = only(
        [span("a2", tool, start=1, end=9), span("a3", generation(question=asked), start=10, end=20)]
    )
    assert (record.query, record.retrievals[0].query, len(record.documents)) == (QUESTION, "ferry", 2)


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "Timeout."}], "isError": True},
        {
            "output": {
                "kwargs": {"type": "tool", "content": "Timeout.", "tool_call_id": "c", "status": "error"}
            }
        },
        {"type": "tool_result", "tool_use_id": "c", "content": "Timeout.", "is_error": True},
    ],
)
def test_what_a_search_says_that_failed_is_no_passage(result: dict[str, object]) -> None:
    """Its words stand where passages would."""
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search_timetable",
        "gen_ai.tool.call.arguments": as_json({"query": "ferry"}),
        "gen_ai.tool.call.result": as_json(result),
    }
    root, above, _, model = trace()
    record = only([root, above, span("a2", tool, parent="a1", start=3, end=20), model])
    assert (record.documents, record.error_message) == ((), "Timeout.")


@pytest.mark.parametrize(
    "aside",
    [
        '{"title": "Ferry times"}',
        '{"follow_ups": ["How much?"]}',
        '["How much is it?", "Wo denn\uff1f"]',
        '{"tags": ["ferry"]}',
    ],
)
def test_what_is_asked_beside_the_answer_is_none(aside: str) -> None:
    """A chat application asks for a title and follow-up questions, and its request's span tells no answer."""
    spans = [
        span("a0", name="POST /ask", start=1, end=99),
        span("a2", retrieval(), parent="a0", start=3, end=20),
        span("a3", generation(), parent="a0", start=21, end=80),
        span("a4", generation(aside), parent="a0", start=81, end=88),
    ]
    assert (only(spans).span_id, only(spans).answer) == ("a3", ANSWER)
    alone = [each for each in spans if each.span_id != "a3"]
    assert only(alone).span_id == "a4"


def test_evaluations_arrive_as_log_events() -> None:
    """By span id; by response id; else at the first span. A resend counts once, and our own score is none of them."""
    attributes = {"gen_ai.evaluation.name": "helpful", "gen_ai.evaluation.score.value": 0.8}
    by_span = LogEvent(TRACE_ID, "a3", "gen_ai.evaluation.result", 5, attributes)
    unplaced = LogEvent(TRACE_ID, None, "gen_ai.evaluation.result", 6, {"gen_ai.evaluation.name": "polite"})
    ours = replace(by_span, attributes={**attributes, "ragvigil.score.id": "ab"})
    (record,) = read_records(trace(), [by_span, unplaced, by_span, ours])
    assert record.evaluations == ({"name": "polite"}, {"name": "helpful", "value": 0.8})


def test_rings_of_parents_do_not_hang() -> None:
    """Hostile spans may claim each other as parents."""
    spans = [
        span("r1", retrieval(), parent="r2", start=1, end=2),
        span("r2", generation(), parent="r1", start=3, end=4),
        span("r3", chain(), parent="r3", start=0, end=9),
    ]
    assert only(spans).answer == ANSWER


def test_very_deep_traces_are_read() -> None:
    """Ten thousand spans below each other."""
    deep = [span(f"s{n:05}", parent=f"s{n - 1:05}" if n else None, start=0, end=1) for n in range(10_000)]
    bottom = span("zz", generation(), parent="s09999", start=0, end=1)
    assert only([*deep, bottom]).answer == ANSWER
