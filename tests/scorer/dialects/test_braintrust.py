"""Spans in Braintrust's words, as its Go, Java, C# and Ruby SDKs and its guide to OpenTelemetry write them.

Run on 2026-11-27 through the span processor of braintrust 0.48, which puts `braintrust.context_json` on all spans.
"""

from __future__ import annotations

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace, Tokens

CONTEXT = {"braintrust.context_json": as_json({"span_origin": {"name": "braintrust.sdk.python"}})}
HITS = [{"id": key, "content": text, "score": score} for key, text, score in PASSAGES]
SHOWN = "\n".join(f'<document id="{key}">{text}</document>' for key, text, _ in PASSAGES)
SENT = [
    {"role": "system", "content": f"Answer from:\n<documents>\n{SHOWN}\n</documents>"},
    {"role": "user", "content": QUESTION},
]
MESSAGE = {"role": "assistant", "content": ANSWER, "refusal": None, "tool_calls": None}
CALLING = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "find"}}]}


def told(kind: str, given: object, made: object = None, **more: object) -> dict[str, object]:
    """Attributes of a span."""
    said = {"braintrust.span_attributes": as_json({"type": kind}), "braintrust.input_json": as_json(given)}
    return {**said, **({} if made is None else {"braintrust.output_json": as_json(made)}), **more, **CONTEXT}


def called(made: object, given: object = SENT) -> dict[str, object]:
    """A model's call."""
    return told(
        "llm",
        given,
        made,
        **{
            "braintrust.metadata": as_json({"provider": "openai", "model": "tiny-chat-1"}),
            "braintrust.metrics": as_json({"prompt_tokens": 61, "completion_tokens": 17, "tokens": 78}),
        },
    )


def asked(*steps: dict[str, object], about: object = QUESTION) -> list[Span]:
    """A question with its steps, one after the other."""
    root = told(
        "task", about, ANSWER, **{"braintrust.metadata": as_json({"session_id": "s-1", "user_id": "u-7"})}
    )
    below = [
        span(f"b{place}", step, parent="a1", name="retrieve", start=10 * place + 1, end=10 * place + 9)
        for place, step in enumerate(steps)
    ]
    return [span("a1", root, name="ask", end=99), *below]


def passages(record: RagTrace) -> list[tuple[str | None, str | None]]:
    """Ids and texts."""
    return [(each.id, each.text) for each in record.documents]


@pytest.mark.parametrize("kind", ["function", "tool", "function_call"])
@pytest.mark.parametrize("about", [QUESTION, {"question": QUESTION}])
def test_a_question_in_braintrusts_words_is_a_record(kind: str, about: object) -> None:
    """There was none."""
    choices = [{"index": 0, "finish_reason": "stop", "message": MESSAGE}]
    record = only(asked(told(kind, {"query": QUESTION}, HITS), called(choices), about=about))
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)
    assert (record.model, record.tokens) == ("tiny-chat-1", Tokens(61, 17))
    assert (record.conversation_id, record.user_id) == ("s-1", "u-7")


@pytest.mark.parametrize(
    "made",
    [
        [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
        [MESSAGE],
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}], "model": "m", "usage": {}},
        [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]}],
        {"output": ANSWER},
    ],
)
def test_what_its_wrappers_of_clients_keep_of_a_reply_is_read(made: object) -> None:
    """Of OpenAI's chat completions they keep the choices alone."""
    record = only([span("a1", called(made), end=9)])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert passages(record) == [(key, text) for key, text, _ in PASSAGES]


def test_a_choice_that_calls_a_tool_is_no_answer() -> None:
    """Its JSON would be one."""
    record = only([span("a1", called([{"finish_reason": "tool_calls", "message": CALLING}]), end=9)])
    assert record.answer is None


@pytest.mark.parametrize("typed", [True, False])
def test_names_that_spell_lists_are_read(typed: bool) -> None:
    """As in Braintrust's guide, which gives some spans no type: a model that one names was called."""
    flat: dict[str, object] = {"braintrust.span_attributes.type": "llm"} if typed else {}
    for place, message in enumerate(SENT):
        flat |= {f"braintrust.input.{place}.{key}": value for key, value in message.items()}
    flat |= {"braintrust.output.0.role": "assistant", "braintrust.output.0.content": ANSWER}
    flat |= {"braintrust.metadata.model": "tiny-chat-1", "braintrust.metadata.session_id": "s-1"}
    flat |= {"braintrust.metrics.prompt_tokens": 61, "braintrust.metrics.completion_tokens": 17}
    record = only([span("a1", flat, end=9)])
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
    assert (record.tokens, record.conversation_id) == (Tokens(61, 17), "s-1")
    assert passages(record) == [(key, text) for key, text, _ in PASSAGES]


def test_a_scorers_model_answers_nobody() -> None:
    """It runs after the answer, below a span of its own."""
    verdict = called([{"finish_reason": "stop", "message": {"role": "assistant", "content": "A"}}], [SENT[1]])
    spans = asked(
        told("function", QUESTION, HITS), called([MESSAGE]), told("score", {"input": QUESTION}, {"score": 1})
    )
    record = only([*spans, span("c1", verdict, parent="b2", start=22, end=28)])
    assert (record.answer, record.completeness) == (ANSWER, "complete")


def test_what_its_processor_adds_to_other_spans_tells_nothing() -> None:
    """Spans of a web server are none of Braintrust's."""
    assert read_records([span("a1", {"http.route": "/", **CONTEXT}, end=9)]) == []
