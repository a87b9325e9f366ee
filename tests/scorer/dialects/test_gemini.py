"""Google's client as OpenLLMetry tells of it: what its spans leave out marks the record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, only, retrieval, span

SCOPE = "opentelemetry.instrumentation.google_generativeai"
PROMPT = "Context:\n" + "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))


def call(answer: str, tokens: int = 40, *, scope: str = SCOPE) -> Span:
    """A call whose prompt shows passages."""
    return span(
        "a2",
        {
            "gen_ai.operation.name": "generate_content",
            "gen_ai.request.model": "tiny-chat-1",
            "gen_ai.usage.output_tokens": tokens,
            "gen_ai.input.messages": as_json(
                [
                    {
                        "role": "user",
                        "parts": [{"type": "text", "content": f"{PROMPT}\n\nQuestion: {QUESTION}"}],
                    }
                ]
            ),
            "gen_ai.output.messages": as_json(
                [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]
            ),
        },
        start=10,
        end=20,
        scope=scope,
    )


@pytest.mark.parametrize("piece", ["nine [1].", ".", "九時。"])
def test_the_last_piece_of_a_stream_is_no_answer(piece: str) -> None:
    """Its tokens are those of the whole."""
    record = only([call(piece)])
    assert (record.answer, record.streaming, record.completeness) == (None, True, "partial_evidence")
    assert only([call(piece, scope="google.client")]).answer == piece


@pytest.mark.parametrize(
    ("answer", "tokens"),
    [
        ("It leaves at nine, and in summer at ten [1].", 14),
        ("18:30.", 6),
        ("船は九時に出て、夏は十時に出ます[1]。", 16),
    ],
)
def test_a_whole_answer_stays(answer: str, tokens: int) -> None:
    """In a few tokens, or in a script that needs more of them."""
    record = only([call(answer, tokens)])
    assert (record.answer, record.completeness, len(record.documents)) == (answer, "complete", 2)


def test_what_the_span_above_returned_is_the_answer_of_a_stream() -> None:
    """It has all of it."""
    record = only([span("a1", chain(), start=1, end=30), call("[1].")])
    assert (record.answer, record.completeness) == (ANSWER, "complete")


def test_a_search_that_the_client_may_have_run_marks_the_record() -> None:
    """Unless another span tells of one, or what was offered is none."""

    def bare(name: str) -> Span:
        asked = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
        made = call(ANSWER, 8)
        offered = {
            "gen_ai.tool.definitions": as_json([{"name": name}]),
            "gen_ai.input.messages": as_json(asked),
        }
        return replace(made, attributes={**made.attributes, **offered})

    assert only([bare("search_site")]).completeness == "partial_evidence"
    assert only([bare("add")]).completeness == "complete"
    found = span("a1", retrieval(), start=1, end=5)
    assert only([found, bare("search_site")]).completeness == "complete"
