"""Agents that are a model's tool, as Google's ADK (2.13) wrote them on 2026-11-27: the caller answers the user."""

from __future__ import annotations

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, only, span

from ragvigil.scorer.span import Span

SCOPE = "gcp.vertex.agent"
HITS = {"results": [{"id": key, "text": text} for key, text, _ in PASSAGES]}
ASKED = "last ferry?"
TOLD = "The timetable says nine."
TITLE = "Ferry times"


def text(role: str, said: str) -> dict[str, object]:
    """A message."""
    return {"role": role, "parts": [{"type": "text", "content": said}]}


def response(result: object) -> dict[str, object]:
    """What a tool found, which ADK sends as the user's."""
    return {"role": "user", "parts": [{"type": "tool_call_response", "id": "c", "response": result}]}


def call(span_id: str, parent: str, end: int, replied: str | None, *sent: dict[str, object]) -> Span:
    """A call of a model, which calls a tool where it replied nothing."""
    parts = [{"type": "tool_call", "id": "c", "name": "t"} if replied is None else {"type": "text"}]
    parts[0] |= {"content": replied} if replied else {}
    said = {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.request.model": "tiny-chat-1",
        "gen_ai.input.messages": as_json(sent),
        "gen_ai.output.messages": as_json([{"role": "assistant", "parts": parts}]),
    }
    return span(span_id, said, parent=parent, start=end - 3, end=end, scope=SCOPE)


def tool(span_id: str, parent: str, end: int, name: str, result: object) -> Span:
    """A call of a tool."""
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    said |= {"gen_ai.tool.call.result": as_json(result)}
    return span(
        span_id, said, parent=parent, start=end - 30 if parent == "a" else end - 2, end=end, scope=SCOPE
    )


def ran(last: Span | None) -> list[Span]:
    """An agent whose model asked another one, and what it did then."""
    return [
        span("a", {"gen_ai.operation.name": "invoke_agent"}, start=1, end=90, scope=SCOPE),
        call("a1", "a", 6, None, text("user", QUESTION)),
        tool("a2", "a", 40, "ask_timetable", {"result": TOLD}),
        span("b", {"gen_ai.operation.name": "invoke_agent"}, parent="a2", start=11, end=39, scope=SCOPE),
        call("b1", "b", 15, None, text("user", ASKED)),
        tool("b2", "b", 20, "find_passages", HITS),
        call("b3", "b", 38, TOLD, text("user", ASKED), response(HITS)),
        *([last] if last else []),
    ]


def test_what_an_agent_tells_the_model_that_called_it_is_no_answer() -> None:
    """It was, with what that model asked as the question: only it was shown the passages themselves."""
    record = only(ran(call("a3", "a", 80, ANSWER, text("user", QUESTION), response({"result": TOLD}))))
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


IMAGE: dict[str, object] = {"role": "user", "parts": [{"type": "image"}]}
FOUND = response({"result": TOLD})


@pytest.mark.parametrize(
    "last",
    [
        None,
        call("a3", "a", 80, TITLE, text("user", f"A title for: {QUESTION}")),
        call("a3", "a", 80, TITLE, text("system", "Write a title."), text("user", QUESTION), FOUND),
        call("a3", "a", 80, TITLE, text("user", QUESTION), IMAGE),
    ],
)
def test_what_no_model_was_told_afterwards_went_to_the_user(last: Span | None) -> None:
    """A tool may return directly; a title is told nothing of what it found, or is another model's."""
    assert only(ran(last)).answer == TOLD


@pytest.mark.parametrize(
    ("order", "replied"),
    [
        (f"Write a title for: {QUESTION}", TITLE),
        (f"Rate the answer: yes or no.\nQuestion: {QUESTION}\nAnswer: {ANSWER}", "yes"),
        (
            f"Suggest three questions.\nQuestion: {QUESTION}\nAnswer: {ANSWER}",
            "1. Why?\n2. How much?\n3. When?",
        ),
    ],
)
def test_calls_after_the_callers_answer_are_none(order: str, replied: str) -> None:
    """They were: nothing that is left says that the caller knew passages."""
    answered = call("a3", "a", 60, ANSWER, text("user", QUESTION), FOUND)
    record = only([*ran(answered), call("a4", "a", 80, replied, text("user", order))])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


def test_two_agents_that_one_model_asked_are_parts_of_its_question() -> None:
    """They were two questions, both of them in a model's words, where the caller's span tells none."""
    told, other = {"result": TOLD}, {"result": "It costs four crowns [1]."}
    second = [
        tool("a3", "a", 75, "ask_fares", other),
        span("c", {"gen_ai.operation.name": "invoke_agent"}, parent="a3", start=46, end=74, scope=SCOPE),
        call("c1", "c", 50, None, text("user", "fares?")),
        tool("c2", "c", 60, "find_passages", HITS),
        call("c3", "c", 70, other["result"], text("user", "fares?"), response(HITS)),
    ]
    last = call("a4", "a", 80, ANSWER, text("user", QUESTION), response(told), response(other))
    record = only([*ran(None), *second, last])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")


QUOTED = (
    "For context: below is a transcript of what another agent did, quoted between <<<BEGIN_QUOTED_AGENT_CONTENT>>> and "
    "<<<END_QUOTED_AGENT_CONTENT>>>.\n[searcher] said:\n<<<BEGIN_QUOTED_AGENT_CONTENT>>>\nNine.\n"
    "<<<END_QUOTED_AGENT_CONTENT>>>"
)


SAID = ("For context:", "[searcher] said: At nine.")


@pytest.mark.parametrize("relayed", [(QUOTED,), SAID])
def test_what_an_agent_is_told_of_one_before_it_is_no_question(relayed: tuple[str, ...]) -> None:
    """It is sent as the user's, last of all, in parts."""
    parts = [{"type": "text", "content": each} for each in relayed]
    told: dict[str, object] = {"role": "user", "parts": parts}
    record = only([call("a1", "a", 9, ANSWER, text("user", QUESTION), told)])
    assert (record.query, record.answer) == (QUESTION, ANSWER)


def test_adks_relays_are_no_question_as_openinference_tells_them() -> None:
    """It numbers the parts of a message."""
    said: dict[str, object] = {"openinference.span.kind": "LLM"}
    for place, parts in enumerate([(QUESTION,), SAID]):
        message = f"llm.input_messages.{place}.message"
        said[f"{message}.role"] = "user"
        for number, each in enumerate(parts):
            part = f"{message}.contents.{number}.message_content"
            said |= {f"{part}.type": "text", f"{part}.text": each}
    said["llm.output_messages.0.message.content"] = ANSWER
    assert only([span("a1", said, scope="openinference.instrumentation.google_adk")]).query == QUESTION


@pytest.mark.parametrize(
    "asked",
    [
        "For context:\n[Anna] said: it leaves at nine. Is that right?",
        "For context: my agent prints <<<BEGIN_QUOTED_AGENT_CONTENT>>>. Why?",
    ],
)
def test_what_a_user_says_for_context_is_asked(asked: str) -> None:
    """The question before it was the record's."""
    turns = (text("user", "Hello!"), text("assistant", "Good morning."), text("user", asked))
    assert only([call("a1", "a", 9, ANSWER, *turns)]).query == asked
