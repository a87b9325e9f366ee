"""Anthropic's client (2.14) by itself: its spans tell content where it is told to, and not all of it.

Run on 2026-11-27 with `ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE=content`, and without.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.offline.explain import explain
from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span

SCOPE = "com.anthropic.sdk.python"
PROMPT = "Context:\n" + "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
SAID = as_json([{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}])


def call(
    *parts: Mapping[str, object],
    told: Mapping[str, object] | None = None,
    system: str = "",
    failed: bool = False,
) -> Span:
    """A call of `messages.create` with these parts before the question."""
    asked = [{"role": "user", "parts": [*parts, {"type": "text", "content": QUESTION}]}]
    instructions = as_json([{"type": "text", "content": system}]) if system else None
    content = {"gen_ai.input.messages": as_json(asked), "gen_ai.system_instructions": instructions}
    return create({**content, "gen_ai.output.messages": SAID, **(told or {})}, failed=failed)


def create(told: Mapping[str, object], *, failed: bool = False) -> Span:
    """A span of `messages.create` that tells this, where it is not None."""
    metadata: dict[str, object] = {
        "gen_ai.provider.name": "anthropic",
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-1",
        "gen_ai.response.id": "msg_1",
        "gen_ai.usage.input_tokens": 61,
        "gen_ai.usage.output_tokens": 17,
    }
    attributes = {key: value for key, value in {**metadata, **told}.items() if value is not None}
    return span(
        "a1", attributes, name="anthropic.messages.create", start=1, end=9, scope=SCOPE, failed=failed
    )


def test_its_content_is_read() -> None:
    """Instructions, question and answer."""
    record = only([call(system=PROMPT)])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]


@pytest.mark.parametrize("kind", ["anthropic_document", "anthropic_search_result"])
def test_what_was_given_beside_the_question_is_not_told(kind: str) -> None:
    """Of all but texts and calls nothing is told but the type: the record was complete without passages."""
    record = only([call({"type": kind}, {"type": kind})])
    assert (record.query, record.answer) == (QUESTION, ANSWER)
    assert record.completeness == "partial_evidence"


def test_a_document_that_a_tool_returned_is_not_told() -> None:
    """Of a document within a tool's result nothing is told but its type."""
    use = {"type": "tool_call", "id": "t1", "name": "open_page"}
    given = {"type": "tool_call_response", "id": "t1", "response": [{"type": "document"}]}
    turns = [
        {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
        {"role": "assistant", "parts": [use]},
        {"role": "user", "parts": [given]},
    ]
    told = {"gen_ai.input.messages": as_json(turns), "gen_ai.output.messages": SAID}
    assert only([create(told)]).completeness == "partial_evidence"


def test_a_stream_that_is_read_by_its_events_tells_no_answer() -> None:
    """The record had no answer, and was complete."""
    record = only([call(system=PROMPT, told={"gen_ai.output.messages": None, "gen_ai.request.stream": True})])
    assert (record.query, record.answer, record.completeness) == (QUESTION, None, "partial_evidence")


def test_a_call_that_failed_misses_no_answer() -> None:
    """There is none."""
    failing = call(
        system=PROMPT, failed=True, told={"gen_ai.output.messages": None, "error.type": "api_error"}
    )
    record = only([failing])
    assert (record.error, record.completeness) == ("api_error", "complete")


def test_content_that_it_cut_marks_the_record() -> None:
    """Instructions go first, and nothing but a flag tells of them: the record was complete without passages."""
    cut = call(told={"gen_ai.system_instructions": "[]", "anthropic.content.truncated": True})
    assert only([cut]).completeness == "partial_evidence"


@pytest.mark.parametrize("name", ["anthropic.messages.count_tokens", "anthropic.sessions.create"])
def test_a_call_that_names_no_operation_asks_no_model(name: str) -> None:
    """Each count of tokens was an answer without content."""
    told = {"gen_ai.provider.name": "anthropic", "gen_ai.request.model": "tiny-1"}
    assert read_records([span("a1", told, name=name, scope=SCOPE)]) == []
    assert len(read_records([span("a1", told, name=name)])) == 1


def test_a_call_without_content_is_one_and_what_sends_it_is_said() -> None:
    """A service with nothing but these spans answers all the same."""
    (told,) = explain([create({})]).records
    assert told.completeness == "content_off"
    assert "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE=content" in told.content_settings[0]
