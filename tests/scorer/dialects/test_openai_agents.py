"""OpenAI's agents (0.24) through OpenLLMetry (0.62.4), as run on 2026-11-27: all of them hang side by side."""

from __future__ import annotations

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, ids, only, span

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.records import steps_of
from ragvigil.scorer.dialects.returned import forest_of
from ragvigil.scorer.span import Span

SCOPE = "opentelemetry.instrumentation.openai_agents"
HITS = as_json([{"id": key, "text": text} for key, text, _ in PASSAGES])
FLAGGED = as_json({"off_topic": False, "reasoning": "It is about ferries."})
ASKED = "When is the ferry?"
TOLD = "The timetable says nine."


def agent(span_id: str, start: int, end: int) -> Span:
    """An agent's span tells nothing but when it ran."""
    said = {"traceloop.span.kind": "agent", "gen_ai.operation.name": "invoke_agent"}
    return span(span_id, said, parent="w", start=start, end=end, scope=SCOPE)


def call(span_id: str, parent: str, end: int, asked: str, replied: str | None, found: str = "") -> Span:
    """A call of a model; `found` is what a tool told it."""
    messages = [{"role": "user", "parts": [{"type": "text", "content": asked}]}]
    if found:
        answered = {"type": "tool_call_response", "id": "c", "response": found}
        messages.append({"role": "tool", "parts": [answered]})
    part = {"type": "tool_call", "id": "c", "name": "t"} if replied is None else {"type": "text"}
    made = [{"role": "assistant", "parts": [{**part, **({"content": replied} if replied else {})}]}]
    said = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": as_json(messages)}
    said |= {"gen_ai.output.messages": as_json(made), "gen_ai.response.id": span_id}
    return span(span_id, said, parent=parent, start=end - 3, end=end, scope=SCOPE)


def tool(span_id: str, parent: str, start: int, end: int, name: str, result: str) -> Span:
    """A call of a tool."""
    said = {"traceloop.span.kind": "tool", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    said |= {"gen_ai.tool.call.arguments": as_json({"input": ASKED}), "gen_ai.tool.call.result": result}
    return span(span_id, said, parent=parent, start=start, end=end, scope=SCOPE)


def searching(agent_id: str, start: int, asked: str, answer: str) -> list[Span]:
    """What an agent does that searches once."""
    return [
        call(f"{agent_id}1", agent_id, start + 4, asked, None),
        tool(f"{agent_id}2", agent_id, start + 5, start + 8, "find_passages", HITS),
        call(f"{agent_id}3", agent_id, start + 12, asked, answer, HITS),
    ]


WORKFLOW = span("w", {"traceloop.span.kind": "workflow"}, start=0, end=99, scope=SCOPE)
ANSWERING = [WORKFLOW, agent("a", 1, 90), *searching("a", 2, QUESTION, ANSWER)]


@pytest.mark.parametrize("verdict", [FLAGGED, "safe"])
@pytest.mark.parametrize(("asked", "start"), [(QUESTION, 2), (ANSWER, 40)])
def test_what_a_guardrail_asks_its_own_agent_is_no_question_and_its_verdict_no_answer(
    verdict: str, asked: str, start: int
) -> None:
    """Behind the answer, its JSON was the answer, and the answer the question."""
    guard = [agent("g", start, start + 30), call("g1", "g", start + 29, asked, verdict)]
    record = only([*ANSWERING, *guard])
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert ids(record) == ["timetable-1", "fares-2"]


def test_a_guardrails_verdict_on_small_talk_is_no_answer() -> None:
    """It comes later than what it looks after."""
    guard = [agent("g", 2, 50), call("g1", "g", 49, "Hello!", FLAGGED)]
    record = only([WORKFLOW, agent("a", 1, 60), call("a1", "a", 20, "Hello!", "Good morning."), *guard])
    assert (record.query, record.answer, record.documents) == ("Hello!", "Good morning.", ())


def test_an_agent_that_is_a_tool_is_a_part_of_what_its_caller_was_asked() -> None:
    """What it was asked, in a model's words, was the question, and what it told the model the answer."""
    within = [agent("b", 11, 29), *searching("b", 12, ASKED, TOLD)]
    spans = [
        *(WORKFLOW, agent("a", 1, 90), call("a1", "a", 5, QUESTION, None)),
        *(
            tool("a2", "a", 10, 30, "ask_timetable", TOLD),
            *within,
            call("a3", "a", 80, QUESTION, ANSWER, TOLD),
        ),
    ]
    record = only(spans)
    assert (record.query, record.answer, record.completeness) == (QUESTION, ANSWER, "complete")
    assert ids(record) == ["timetable-1", "fares-2"]


def test_agents_that_run_side_by_side_and_answer_look_after_nobody() -> None:
    """One that replies in words, or in JSON as the other does, may be what the user was told."""
    for first, second in ((ANSWER, "It does at nine."), (FLAGGED, FLAGGED)):
        beside = [agent("b", 2, 50), call("b1", "b", 49, QUESTION, second)]
        records = read_records([WORKFLOW, agent("a", 1, 60), call("a1", "a", 20, QUESTION, first), *beside])
        assert {record.answer for record in records} & {second}


def test_an_agent_that_only_runs_while_a_tool_does_is_another_ones() -> None:
    """Beside it, in the same workflow: neither its question nor its reply is the tool's."""
    beside = [agent("b", 7, 9), call("b1", "b", 9, "And the fares?", "It costs four crowns [1].")]
    steps = steps_of([*ANSWERING, *beside])
    forest_of(steps)
    (above,) = (step.parent for step in steps if step.span.span_id == "b")
    assert above is not None
    assert above.span.span_id == "w"


def test_spans_that_all_claim_the_same_moment_end() -> None:
    """Each agent within the other's tool: a ring of steps would never be left."""
    spans = [WORKFLOW]
    for one in "ab":
        spans += [agent(one, 5, 8), call(f"{one}1", one, 8, ASKED, TOLD)]
        spans.append(tool(f"{one}2", one, 5, 8, "ask", TOLD))
    assert len(read_records(spans)) >= 1
