"""What tracers of model clients leave out of a call, each as a run of it wrote its span.

Run on 2026-11-27: Groq's client 1.7 through OpenInference (0.1.33), Anthropic's 2.14 and OpenAI's 3.57 through MLflow
3's autolog, OpenAI's through Langfuse 5. The call in Gemini's reply was not run: it is made after a run of a text.
"""

from __future__ import annotations

import pytest

from .conftest import PASSAGES, QUESTION, as_json, only, span

PROMPT = "Context:\n" + "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
ASKED = [{"role": "user", "content": f"{PROMPT}\n\nQuestion: {QUESTION}"}]
GROQ = {
    "openinference.span.kind": "LLM",
    "input.value": as_json({"messages": ASKED}),
    "input.mime_type": "application/json",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": ASKED[0]["content"],
    "output.value": "<groq.Stream object at 0x7fdfecf62ad0>",
}
MLFLOW = {
    "mlflow.spanType": '"CHAT_MODEL"',
    "mlflow.spanInputs": as_json({"model": "m", "messages": ASKED, "stream": True}),
    "mlflow.spanOutputs": '"<anthropic.Stream object at 0x7ff6ad1b29d0>"',
}
ALONE = [{"role": "user", "content": QUESTION}]
CALL = {"id": "c1", "type": "function", "function": {"name": "search_docs", "arguments": "{}"}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}


@pytest.mark.parametrize("told", [GROQ, MLFLOW])
def test_a_stream_of_which_only_the_object_is_printed_tells_no_reply(told: dict[str, object]) -> None:
    """The record had no answer, and was complete."""
    record = only([span("a1", told, start=1, end=9)])
    assert (record.query, record.answer, record.completeness) == (QUESTION, None, "partial_evidence")
    assert len(record.documents) == len(PASSAGES)


@pytest.mark.parametrize(
    "made",
    [
        {"choices": [{"finish_reason": "tool_calls", "message": CALLING}]},
        {"output": [{"type": "function_call", "call_id": "c1", "name": "search_docs", "arguments": "{}"}]},
        {"candidates": [{"content": {"parts": [{"function_call": {"name": "search_docs"}}]}}]},
    ],
    ids=["chat", "responses", "gemini"],
)
def test_a_search_called_by_the_last_reply_of_a_trace_marks_it(made: object) -> None:
    """What the client sends next is another trace, where nothing is above the calls."""
    mlflow = {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.spanInputs": as_json({"messages": ALONE}),
        "mlflow.spanOutputs": as_json(made),
    }
    record = only([span("a1", mlflow, start=1, end=9, scope="mlflow.tracing.provider")])
    assert (record.query, record.completeness) == (QUESTION, "partial_evidence")


def test_langfuse_does_not_say_why_a_reply_that_called_a_search_ended() -> None:
    """The record was complete, without passages."""
    langfuse = {
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": as_json({"messages": ALONE}),
        "langfuse.observation.output": as_json(CALLING),
    }
    assert only([span("a1", langfuse, start=1, end=9)]).completeness == "partial_evidence"
