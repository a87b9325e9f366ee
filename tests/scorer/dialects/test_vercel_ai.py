"""The AI SDK where its operation was thrown away, and passages as its own guide returns them."""

from __future__ import annotations

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
