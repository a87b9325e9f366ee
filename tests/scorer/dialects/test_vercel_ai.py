"""The AI SDK where its operation was thrown away, and passages as its own guide returns them."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span

from .conftest import ANSWER, QUESTION, as_json, only, span

HITS = [{"id": "timetable-1", "text": "The ferry leaves at nine.", "score": 0.9}]


def called(scope: str, dropped: int) -> list[Span]:
    """A question whose spans lost the attributes that name their operations."""
    root: dict[str, object] = {"ai.prompt": as_json({"prompt": QUESTION}), "ai.response.text": ANSWER}
    tool: dict[str, object] = {"ai.toolCall.name": "searchFerries", "ai.toolCall.result": as_json(HITS)}
    model: dict[str, object] = {"ai.response.text": ANSWER, "ai.usage.inputTokens": 20}
    named = (
        ("a1", "ai.generateText", root, None),
        ("a2", "ai.toolCall", tool, "a1"),
        ("a3", "ai.generateText.doGenerate", model, "a1"),
    )
    return [
        span(key, said, parent=parent, name=name, start=place, end=place + 1, scope=scope, dropped=dropped)
        for place, (key, name, said, parent) in enumerate(named)
    ]


def test_an_operation_that_was_dropped_is_read_from_the_name() -> None:
    """And the record says that something is missing."""
    record = only(called("ai", dropped=2))
    assert (record.query, record.answer, record.tokens.input) == (QUESTION, ANSWER, 20)
    assert [(each.id, each.score) for each in record.documents] == [("timetable-1", 0.9)]
    assert (record.dialect, record.completeness) == ("vercel_ai", "partial_evidence")


def test_the_guides_passages_are_read_whatever_its_tool_is_called() -> None:
    """Name and similarity are all they have; beside an id, a name is a title and no passage."""

    def found(hits: object) -> list[tuple[str | None, str | None, float | None]]:
        tool = {
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": "getInformation",
            "ai.toolCall.result": hits,
        }
        root, _, model = called("ai", dropped=0)
        spans = [root, span("a2", tool, parent="a1", name="ai.toolCall", start=1, end=2, scope="ai"), model]
        return [(each.id, each.text, each.score) for each in only(spans).documents]

    hit = {"name": "The ferry leaves at nine.", "similarity": 0.8}
    assert found(as_json([hit])) == [(None, "The ferry leaves at nine.", 0.8)]
    assert found(as_json([{**hit, "id": 7}])) == []


def test_nothing_but_the_sdks_own_scope_is_read_so() -> None:
    """A name alone is no sign."""
    assert read_records(called("app", dropped=0)) == []


def test_a_span_of_that_scope_with_a_name_of_its_own_says_nothing() -> None:
    """Somebody may have called their tracer so."""
    mine = span("m1", {"ai.response.text": "no"}, name="greet", start=0, end=9, scope="ai")
    assert read_records([mine]) == []


def test_a_rerank_tells_places_of_what_it_was_given() -> None:
    """The outer span tells only what went in."""
    given = [
        as_json("Dogs are free."),
        as_json({"id": "t", "text": "The ferry leaves at nine."}),
        as_json({"quay": 4}),
    ]
    placed = [as_json({"index": 1, "relevanceScore": 0.9}), as_json({"index": 2, "relevanceScore": 0.2})]
    outer: dict[str, object] = {"ai.operationId": "ai.rerank", "ai.model.id": "ranker", "ai.documents": given}
    inner = outer | {"ai.operationId": "ai.rerank.doRerank", "ai.ranking.type": "json", "ai.ranking": placed}
    answering: dict[str, object] = {
        "ai.operationId": "ai.generateText",
        "ai.model.id": "tiny-chat-1",
        "ai.prompt": as_json({"prompt": QUESTION}),
        "ai.response.text": ANSWER,
    }
    spans = [
        span("a0", name="rag", start=0, end=99),
        span("a1", outer, parent="a0", start=1, end=4),
        span("a2", inner, parent="a1", start=2, end=3),
        span("a3", answering, parent="a0", start=5, end=9),
    ]
    record = only(spans)
    found = [(each.id, each.text, each.score) for each in record.documents]
    assert found == [("t", "The ferry leaves at nine.", 0.9), (None, '{"quay": 4}', 0.2)]
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
    assert [each.stage for each in record.retrievals] == ["rerank"]


@pytest.mark.parametrize("dialect", ["ai", "gen_ai"])
def test_a_call_whose_inner_span_is_missing_tells_what_its_model_was_shown(dialect: str) -> None:
    """Passages, model and tokens stand on the span around it as well."""
    prompt = "Context:\n[1] It leaves at nine.\n[2] Dogs are free.\n\nQuestion: When?"
    outer: dict[str, object] = {
        "ai.operationId": "ai.generateText",
        "ai.model.id": "tiny-chat-1",
        "ai.prompt": as_json({"prompt": prompt}),
        "ai.response.text": ANSWER,
        "ai.usage.inputTokens": 20,
        "ai.usage.outputTokens": 5,
    }
    if dialect == "gen_ai":
        outer = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.request.model": "tiny-chat-1",
            "gen_ai.input.messages": as_json(
                [{"role": "user", "parts": [{"type": "text", "content": prompt}]}]
            ),
            "gen_ai.output.messages": as_json(
                [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
            ),
            "gen_ai.usage.input_tokens": 20,
            "gen_ai.usage.output_tokens": 5,
        }
    record = only([span("a0", name="rag", start=0, end=99), span("a1", outer, parent="a0", start=1, end=9)])
    assert [each.text for each in record.documents] == ["It leaves at nine.", "Dogs are free."]
    assert (record.query, record.answer, record.model) == ("When?", ANSWER, "tiny-chat-1")
    assert (record.tokens.input, record.tokens.output, record.completeness) == (20, 5, "complete")


def test_an_answer_in_json_stays_as_it_is_told_beside_openinference() -> None:
    """Its processor takes a text that reads as JSON for JSON: one field of it was the answer."""
    reply = as_json({"limit": 0, "answer": "count only [1]"})
    told = {"ai.response.text": reply, "output.value": reply, "output.mime_type": "application/json"}
    root = {
        **told,
        "openinference.span.kind": "AGENT",
        "input.value": QUESTION,
        "ai.operationId": "ai.streamText",
    }
    call = {
        **told,
        "openinference.span.kind": "LLM",
        "ai.operationId": "ai.streamText.doStream",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": QUESTION,
    }
    record = only(
        [span("a1", root, end=9, scope="ai"), span("a2", call, parent="a1", start=1, end=8, scope="ai")]
    )
    assert (record.query, record.answer) == (QUESTION, reply)
    assert only([span("a1", root, end=9, scope="ai")]).answer == reply
