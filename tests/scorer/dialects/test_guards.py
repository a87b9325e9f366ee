"""Guardrails around the model that answers, judges that search, turns of a talk in one trace, and tools that answer."""

from __future__ import annotations

import pytest
from tests.scorer.dialects.conftest import (
    ANSWER,
    PASSAGES,
    QUESTION,
    as_json,
    chain,
    generation,
    ids,
    only,
    retrieval,
    span,
)

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span

HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
NUMBERED = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
SENT = [{"role": "system", "content": f"Answer from:\n{NUMBERED}"}, {"role": "user", "content": QUESTION}]
REWRITTEN = "ferry departure time"
NEXT, COST = "And what does it cost?", "Four crowns [2]."
EVALUATOR = {"openinference.span.kind": "EVALUATOR"}


def langwatch(kind: str, given: object, made: object = None) -> dict[str, object]:
    """Attributes of a function under LangWatch's decorator."""
    sides = {"langwatch.input": given, "langwatch.output": made}
    told = {
        key: as_json({"type": "text" if isinstance(value, str) else "json", "value": value})
        for key, value in sides.items()
        if value is not None
    }
    return {"langwatch.span.type": kind, **told}


def guarded(returned: str | None, verdict: object) -> list[Span]:
    """A question whose answering model runs within a guardrail, after another call that rewrote the question."""
    rewriting = langwatch("llm", [{"role": "user", "content": f"Rewrite: {QUESTION}"}], REWRITTEN)
    return [
        span("a1", langwatch("chain", QUESTION, returned), end=99),
        span("a2", rewriting, parent="a1", start=1, end=9),
        span("a3", langwatch("rag", QUESTION, HITS), parent="a1", start=10, end=20),
        span("a4", langwatch("guardrail", QUESTION, verdict), parent="a1", start=21, end=80),
        span("a5", langwatch("llm", SENT, ANSWER), parent="a4", start=30, end=70),
    ]


@pytest.mark.parametrize("verdict", [ANSWER, {"passed": True}, None])
def test_a_guardrail_around_the_model_that_answered_is_no_judge(verdict: object) -> None:
    """The rewritten question was the answer of a complete record."""
    record = only(guarded(ANSWER, verdict))
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert (record.span_id, ids(record)) == ("a5", [key for key, *_ in PASSAGES])


@pytest.mark.parametrize("verdict", [ANSWER, {"passed": True}, None])
def test_a_guardrail_around_a_model_marks_the_record_where_nothing_tells_what_was_returned(
    verdict: object,
) -> None:
    """The model that was shown the passages may be a judge."""
    assert only(guarded(None, verdict)).completeness == "partial_evidence"


def test_a_judge_that_is_shown_the_passages_and_the_answer_leaves_a_record_complete() -> None:
    """Where the answering call tells no prompt, it may not be taken for the one that answered."""
    judge = [{"role": "user", "content": f"Is it right?\nContext:\n{NUMBERED}\n\nAnswer: {ANSWER}"}]
    record = only(
        [
            span("a1", langwatch("chain", QUESTION), end=99),
            span("a3", langwatch("rag", QUESTION, HITS), parent="a1", start=1, end=9),
            span("a5", langwatch("llm", None, ANSWER), parent="a1", start=30, end=70),
            span("a6", langwatch("guardrail", QUESTION, {"passed": True}), parent="a1", start=71, end=80),
            span("a7", langwatch("llm", judge, "The answer is supported."), parent="a6", start=72, end=79),
        ]
    )
    assert (record.answer, record.completeness) == (ANSWER, "complete")


@pytest.mark.parametrize("above", [None, "a0"])
def test_a_judge_that_searches_for_a_claim_asks_no_question(above: str | None) -> None:
    """It was a second, complete record, whose question was the claim."""
    claim = "It leaves at nine."
    spans = [
        span("a1", chain(), parent=above, end=99),
        span("a2", retrieval(), parent="a1", start=1, end=9),
        span("a3", generation(), parent="a1", start=10, end=90),
        span("b1", EVALUATOR, parent=above, start=100, end=150),
        span("b2", retrieval((("z", "Claims.", 0.3),), query=claim), parent="b1", start=101, end=102),
        span("b3", generation("yes", question=f"Is it right: {claim}"), parent="b1", start=103, end=120),
    ]
    record = only([*spans, span("a0", name="POST /ask", end=200)] if above else spans)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert ids(record) == [key for key, *_ in PASSAGES]
    assert read_records(spans[3:]) == []


def test_a_guardrail_that_searches_before_the_answer_finds_no_passage() -> None:
    """What it compares with is not what the model was shown."""
    record = only(
        [
            span("a1", chain(), end=99),
            span("g1", EVALUATOR, parent="a1", start=1, end=9),
            span("g2", retrieval((("policy", "No insults.", 0.3),)), parent="g1", start=2, end=8),
            span("a2", retrieval(), parent="a1", start=10, end=19),
            span("a3", generation(), parent="a1", start=20, end=90),
        ]
    )
    assert ids(record) == [key for key, *_ in PASSAGES]


@pytest.mark.parametrize(("asked", "completeness"), [(NEXT, "partial_evidence"), ("Be brief.", "complete")])
def test_a_next_turn_without_a_search_marks_the_record(asked: str, completeness: str) -> None:
    """The first question had the second one's answer; an order to write it once more is none."""
    later = generation(COST)
    said = [("assistant", ANSWER), ("user", asked)]
    for place, (role, text) in enumerate(said, 1):
        later |= {
            f"llm.input_messages.{place}.message.role": role,
            f"llm.input_messages.{place}.message.content": text,
        }
    record = only(
        [
            span("a0", name="session", end=200),
            span("a2", retrieval(), parent="a0", start=1, end=9),
            span("a3", generation(), parent="a0", start=10, end=90),
            span("b3", later, parent="a0", start=110, end=190),
        ]
    )
    assert (record.query, record.completeness) == (QUESTION, completeness)


@pytest.mark.parametrize(
    ("name", "given", "made", "completeness"),
    [
        ("ask_handbook", {"question": QUESTION}, "It leaves at nine from the quay.", "partial_evidence"),
        ("wikipedia", {"query": "ferry"}, "A ferry carries people over water.", "partial_evidence"),
        ("market_research", {"topic": "ferries"}, "Ferries grow in the north.", "partial_evidence"),
        ("get_weather", {"city": "Paris"}, "It is sunny in Paris today.", "complete"),
        ("sql", {"query": "SELECT 1"}, "[(1,)]", "complete"),
        ("ask_handbook", {"question": QUESTION}, "No results found.", "complete"),
    ],
)
def test_a_tool_that_is_asked_and_answers_in_sentences_marks_the_record(
    name: str, given: object, made: str, completeness: str
) -> None:
    """What the model was shown was no passage of a complete record; "research" held "search", and was one."""
    told = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": as_json(given),
        "gen_ai.tool.call.result": made,
    }
    for failed in (False, True):
        record = only(
            [
                span("a1", chain(), end=99),
                span("a2", told, parent="a1", start=1, end=9, failed=failed),
                span("a3", generation(), parent="a1", start=10, end=90),
            ]
        )
        assert (record.documents, record.completeness) == ((), "complete" if failed else completeness)
