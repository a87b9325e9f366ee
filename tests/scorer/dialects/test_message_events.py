"""Messages that are events of their span, as JSON in one attribute."""

from __future__ import annotations

import pytest

from ragvigil.scorer.span import SpanEvent

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span


@pytest.mark.parametrize("place", ["gen_ai.event.content", "body"])
def test_what_is_told_in_json_is_read(place: str) -> None:
    """Prompt, passages in what a tool answered, and reply, as Azure's SDKs and Semantic Kernel's logs write them.

    Of the latter, the JSON was the question of a complete record.
    """

    def said(name: str, **told: object) -> SpanEvent:
        return SpanEvent(name, 0, {"gen_ai.system": "az.ai.inference", place: as_json(told)})

    hits = as_json([{"id": key, "text": text, "score": score} for key, text, score in PASSAGES])
    events = (
        said("gen_ai.system.message", role="system", content="Be brief."),
        said("gen_ai.user.message", role="user", content=QUESTION),
        said("gen_ai.tool.message", role="tool", id="call-1", content=hits),
        said("gen_ai.choice", index=0, finish_reason="stop", message={"content": ANSWER}),
    )
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "tiny-chat-1"}
    record = only([span("a1", chat, start=1, end=9, events=events)])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert record.finish_reason == "stop"
    assert [(each.id, each.text, each.score) for each in record.documents] == list(PASSAGES)


@pytest.mark.parametrize(
    "asked",
    [{"content": "ticket", "role": "x", "id": 5}, {"content": "ticket", "order": 5}, {"message": "ticket"}],
)
def test_a_body_of_json_that_is_no_message_is_what_was_said(asked: dict[str, object]) -> None:
    """Who asks may send JSON; a body beside an attribute that tells the message is something else."""
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "tiny-chat-1"}

    def read(**told: object) -> str | None:
        events = (
            SpanEvent("gen_ai.user.message", 0, told),
            SpanEvent("gen_ai.choice", 1, {"message": ANSWER}),
        )
        return only([span("a1", chat, start=1, end=9, events=events)]).query

    assert read(body=as_json(asked)) == as_json(asked)
    said = SpanEvent("gen_ai.choice", 1, {"body": as_json({"message": "At nine.", "sure": 0.9})})
    asking = SpanEvent("gen_ai.user.message", 0, {"body": QUESTION})
    replied = only([span("a1", chat, start=1, end=9, events=(asking, said))])
    assert (replied.query, replied.answer) == (QUESTION, said.attributes["body"])
    assert read(content=QUESTION, body=as_json({"role": "user", "content": "x"})) == QUESTION


@pytest.mark.parametrize("kind", [["string", "null"], {"a": 1}, 5, None])
def test_data_with_a_type_that_is_no_word_is_no_call(kind: object) -> None:
    """As a JSON schema has it, in what a user sent or a tool answered."""
    data = [{"type": kind, "text": "At nine."}]
    sent = [{"role": "user", "content": QUESTION}, {"role": "tool", "tool_call_id": "c", "content": data}]
    chat: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.input.messages": as_json([*sent, {"role": "user", "content": as_json(data)}, sent[0]]),
        "gen_ai.output.messages": as_json(
            [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        ),
    }
    record = only([span("a1", chat, start=1, end=9)])
    assert (record.query, record.answer, record.model) == (QUESTION, ANSWER, "tiny-chat-1")
