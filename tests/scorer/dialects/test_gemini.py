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
        ("DE89 3704 0044 0532 0130 00", 27),
        ("1,234,567.89 EUR in 2023, 987,654.32 EUR in 2022 [1].", 48),
        ("+49 30 901820, fax +49 30 9018 201", 33),
        ("2024-03-01, 2024-06-01, 2024-09-01", 32),
        ("船は九時に出て、夏は十時に出ます[1]。", 16),
    ],
)
def test_a_whole_answer_stays(answer: str, tokens: int) -> None:
    """In a few tokens, or in figures or a script that need more of them."""
    record = only([call(answer, tokens)])
    assert (record.answer, record.completeness, len(record.documents)) == (answer, "complete", 2)


def test_what_the_span_above_returned_is_the_answer_of_a_stream() -> None:
    """It has all of it."""
    record = only([span("a1", chain(), start=1, end=30), call("[1].")])
    assert (record.answer, record.completeness) == (ANSWER, "complete")


def test_a_search_that_a_reply_asks_for_marks_the_record() -> None:
    """Unless another span tells of one. One that was only offered marks nothing: who says hello needs no search."""

    def bare(*called: str) -> Span:
        asked = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
        calls = [{"type": "tool_call", "id": name, "name": name} for name in called]
        made = call(ANSWER, 8)
        told = {
            "gen_ai.tool.definitions": as_json([{"name": "search_site"}, {"name": "add"}]),
            "gen_ai.input.messages": as_json(asked),
            "gen_ai.output.messages": as_json(
                [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}, *calls]}]
            ),
        }
        return replace(made, attributes={**made.attributes, **told})

    assert only([bare()]).completeness == "complete"
    assert only([bare("search_site")]).completeness == "partial_evidence"
    assert only([bare("add")]).completeness == "complete"
    found = span("a1", retrieval(), start=1, end=5)
    assert only([found, bare("search_site")]).completeness == "complete"


def test_a_printed_part_is_no_answer() -> None:
    """The last piece of a stream often has no text: its fields were the answer of a complete record."""
    piece = "code_execution_result=None executable_code=None function_call=None text='' thought=None"
    record = only([call(piece, 9)])
    assert (record.answer, record.completeness) == (None, "partial_evidence")


def test_mlflow_tells_googles_instructions_beside_the_contents() -> None:
    """Question and passages were unknown where the contents are one text, as in Google's own examples."""
    given = {"model": "m", "contents": QUESTION, "config": {"system_instruction": PROMPT, "tools": None}}
    told = {
        "mlflow.spanType": '"LLM"',
        "mlflow.spanInputs": as_json(given),
        "mlflow.spanOutputs": as_json(
            {"candidates": [{"content": {"role": "model", "parts": [{"text": ANSWER}]}}]}
        ),
    }
    record = only([span("a1", told, start=1, end=9, scope="mlflow.tracing.provider")])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]
