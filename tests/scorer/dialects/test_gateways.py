"""What gateways in front of models write of a call, as LiteLLM's proxy 1.108 sent it."""

from __future__ import annotations

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span

NUMBERED = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
INSTRUCTIONS = f"Answer from the context:\n{NUMBERED}"
TEXTS = [text for _, text, _ in PASSAGES]


def said(role: str, text: str) -> dict[str, object]:
    """A message in parts."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def request(operation: str, *sent: dict[str, object], **more: object) -> dict[str, object]:
    """Attributes of `litellm_request`."""
    return {
        "gen_ai.operation.name": operation,
        "llm.request.type": operation,
        "gen_ai.system": "openai",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.input.messages": as_json(sent),
        "gen_ai.output.messages": as_json([said("assistant", ANSWER)]),
        "gen_ai.usage.input_tokens": 61,
        "gen_ai.usage.output_tokens": 17,
        "llm.is_streaming": "True",
        "llm.user": "u-7",
        **more,
    }


def proxied(call: dict[str, object]) -> list[Span]:
    """The spans of one request to the proxy."""
    return [
        span("a1", {"http.route": "/v1/chat/completions"}, end=90, scope="fastapi"),
        span("a2", {"url.path": "/v1/chat/completions"}, parent="a1", start=1, end=80, scope="litellm"),
        span("a3", {"service": "auth"}, parent="a2", start=2, end=4, scope="litellm"),
        span("a4", call, parent="a2", start=5, end=60, scope="litellm"),
        span("a5", {"llm.openai.model": "tiny-chat-1"}, parent="a4", start=6, end=59, scope="litellm"),
    ]


def test_what_goes_through_litellms_proxy_is_a_record() -> None:
    """It calls the functions that begin with an "a", which were no model's call: there was no record at all."""
    record = only(proxied(request("acompletion", said("system", INSTRUCTIONS), said("user", QUESTION))))
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert [each.text for each in record.documents] == TEXTS
    assert (record.tokens.input, record.tokens.output) == (61, 17)
    assert (record.streaming, record.user_id) == (True, "u-7")


@pytest.mark.parametrize(
    "told", [INSTRUCTIONS, as_json([{"type": "text", "content": INSTRUCTIONS}]), [{"content": INSTRUCTIONS}]]
)
def test_instructions_may_be_a_text_or_parts(told: object) -> None:
    """As a text they were left out, and the record was complete without a passage."""
    call = request("aresponses", said("user", QUESTION), **{"gen_ai.system_instructions": told})
    record = only(proxied(call))
    assert [each.text for each in record.documents] == TEXTS
    assert (record.query, record.completeness) == (QUESTION, "complete")


def test_instructions_of_which_nothing_is_told_mark_the_record() -> None:
    """LiteLLM writes Anthropic's blocks as empty texts: the record was complete without a passage."""
    empty = as_json([said("user", ""), said("user", "")])
    call = request("anthropic_messages", said("user", QUESTION), **{"gen_ai.system_instructions": empty})
    assert only(proxied(call)).completeness == "partial_evidence"


@pytest.mark.parametrize(
    ("call_type", "completeness"),
    [
        ("acompletion", "complete"),
        ("aresponses", "partial_evidence"),
        ("anthropic_messages", "partial_evidence"),
    ],
)
def test_spans_that_leave_out_all_instructions_mark_the_record(call_type: str, completeness: str) -> None:
    """With `LITELLM_OTEL_V2` those beside the messages are not told; a search that is told shows what they held."""
    call = {**request("chat", said("user", QUESTION)), "litellm.call_type": call_type}
    assert only(proxied(call)).completeness == completeness
    found = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": as_json([{"id": "a", "content": "Snow."}]),
    }
    assert only([*proxied(call), span("b1", found, parent="a2", start=2, end=3)]).completeness == "complete"


def test_a_span_that_names_a_model_and_tells_nothing_else_is_no_call() -> None:
    """The proxy routes once more before it tries again: such a span hid what the call had been shown."""
    failed = request("chat", said("system", INSTRUCTIONS), said("user", QUESTION))
    del failed["gen_ai.output.messages"]
    route = {"gen_ai.request.model": "tiny-chat-1", "litellm.api_key.hash": "k"}
    spans = [
        span("a1", {"http.route": "/"}, end=90),
        span("a2", failed, parent="a1", start=1, end=9, failed=True, scope="litellm"),
        span("a3", route, parent="a1", start=10, end=12, scope="litellm"),
    ]
    record = only(spans)
    assert (record.span_id, record.error_where) == ("a2", "generator")
    assert [each.text for each in record.documents] == TEXTS
    assert read_records(spans[:1] + spans[2:]) == []


def test_a_call_of_which_a_service_itself_told_only_the_model_is_one() -> None:
    """Its content is off; only LiteLLM's proxy names a model where there is no call."""
    found = {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.documents": as_json([{"id": "a", "content": "Snow."}]),
    }
    record = only(
        [
            span("a1", {"http.route": "/"}, end=90),
            span("a2", found, parent="a1", start=1, end=9),
            span(
                "a3",
                {"gen_ai.request.model": "tiny-chat-1", "app.tier": "gold"},
                parent="a1",
                start=10,
                end=20,
            ),
        ]
    )
    assert (record.span_id, record.model, record.completeness) == ("a3", "tiny-chat-1", "content_off")
