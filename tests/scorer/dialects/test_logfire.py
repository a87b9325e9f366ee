"""OpenAI's agents and clients as logfire tells of them: request, reply and what a tool found have names of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragvigil.scorer.span import Span

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, ids, only, span

Attributes = dict[str, object]
Message = dict[str, object]
AGENTS = "logfire.openai_agents"
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
ASKED: Message = {"role": "user", "content": QUESTION}
CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "search_docs", "arguments": '{"query": "ferry"}'},
}
CALLING: Message = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ANSWERED: Message = {"role": "tool", "tool_call_id": "c1", "content": str(HITS)}
SAID: Message = {"role": "assistant", "content": ANSWER}
MODEL: Attributes = {
    "logfire.msg": "Chat",
    "gen_ai.system": "openai",
    "gen_ai.response.model": "tiny-chat-1",
    "gen_ai.usage.input_tokens": 20,
    "gen_ai.usage.output_tokens": 5,
}


def by_chat(sent: list[Message], reply: Message) -> Attributes:
    """A turn over chat completions; its request holds the reply, too, for the agent went on with that list."""
    request = {"model": "tiny-chat-1", "messages": [*sent, reply]}
    return {"input": as_json(sent), "output": as_json([reply]), "request_data": as_json(request)}


def by_responses(sent: list[Message], reply: Message) -> Attributes:
    """A turn over the Responses API: the reply is the last event, named as what was said before."""
    events = [{"event.name": f"gen_ai.{each['role']}.message", **each} for each in (*sent, reply)]
    return {"events": as_json(events), "gen_ai.operation.name": "chat", "response": as_json({"id": "r1"})}


def turn(number: int, told: Attributes, *, searches: bool = True) -> list[Span]:
    """What a model said, and the search that it called."""
    at, key = number * 30, f"b{number}"
    found: Attributes = {"logfire.msg": "Function", "name": "search_docs", "output": as_json(HITS)}
    spans = [
        span(key, {"logfire.msg": "Turn"}, parent="a0", start=at + 2, end=at + 30, scope=AGENTS),
        span(f"c{number}", {**MODEL, **told}, parent=key, start=at + 3, end=at + 9, scope=AGENTS),
        span(
            f"d{number}", found, parent=key, name="Function: {name}", start=at + 10, end=at + 19, scope=AGENTS
        ),
    ]
    return spans if searches else spans[:2]


@pytest.mark.parametrize("told", [by_chat, by_responses])
def test_the_turns_of_an_agent_are_one_record(told: Callable[[list[Message], Message], Attributes]) -> None:
    """Two of them search, and the last one answers."""
    agent = span("a0", {"logfire.msg": "Agent"}, name="Agent run: {name!r}", start=1, end=99, scope=AGENTS)
    sent = [ASKED, CALLING, ANSWERED]
    spans = [agent, *turn(0, told([ASKED], CALLING)), *turn(1, told(sent, CALLING))]
    record = only([*spans, *turn(2, told([*sent, *sent[1:]], SAID), searches=False)])
    assert (record.query, record.answer, ids(record)) == (QUESTION, ANSWER, [key for key, *_ in PASSAGES])
    assert (record.tokens.input, record.completeness) == (60, "complete")


def test_the_span_that_opens_a_stream_is_no_call_of_its_own() -> None:
    """It ends before the first piece: a log, in a trace of its own where nothing is above, tells the call whole."""
    request: Attributes = {
        "logfire.msg": "Chat",
        "request_data": as_json({"model": "tiny-chat-1"}),
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.response.model": "tiny-chat-1",
        "gen_ai.input.messages": as_json(
            [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
        ),
    }
    said = [{"role": None, "parts": [{"type": "text", "content": ANSWER}]}]
    whole = {**request, "gen_ai.output.messages": as_json(said), "gen_ai.usage.output_tokens": 5}
    top = span("a0", {"logfire.msg": "POST"}, start=1, end=9)
    opening = span("a1", request, parent="a0", start=2, end=3)
    told = span("a2", whole, parent="a0", name="streaming response from {model}", start=8, end=8)
    record = only([top, opening, told])
    assert (record.query, record.answer, record.streaming, record.span_id) == (QUESTION, ANSWER, True, "a2")
    failed = only([top, span("a1", request, parent="a0", start=2, end=3, failed=True)])
    assert (failed.query, failed.answer, failed.error is not None) == (QUESTION, None, True)


def test_a_call_without_a_reply_opens_a_stream_only_where_its_request_streams() -> None:
    """A request with content says so; a call that was cancelled is a call."""

    def model(**more: object) -> str | None:
        request = {"messages": [ASKED], "model": "tiny-chat-1", **more}
        told: Attributes = {"logfire.msg": "Chat", "request_data": as_json(request)}
        told["gen_ai.request.model"] = "tiny-chat-1"
        top = span("a0", {"openinference.span.kind": "CHAIN", "input.value": QUESTION}, start=1, end=9)
        return only([top, span("a1", told, parent="a0", start=2, end=3, scope="logfire.openai")]).model

    assert (model(stream=True), model(stream=False), model()) == (None, "tiny-chat-1", "tiny-chat-1")


def test_a_server_that_names_the_speaker_with_each_piece_is_read() -> None:
    """Logfire joins the names as it joins the texts."""
    said = [{"role": "assistant" * 7, "parts": [{"type": "text", "content": ANSWER}]}]
    told: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(
            [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
        ),
        "gen_ai.output.messages": as_json(said),
    }
    assert only([span("a1", told, start=1, end=9)]).answer == ANSWER
