"""What tools had found for an earlier question: a later one was told to have nothing to go by, and failed."""

from __future__ import annotations

import pytest

from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, PASSAGES, QUESTION, as_json, only, retrieval, span

FOUND = as_json([{"id": key, "text": text, "score": score} for key, text, score in PASSAGES])
LATER = "Can you say that again?"


def said(role: str, text: str) -> dict[str, object]:
    """One message of the conversation."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def tool(result: str, name: str = "search_docs") -> list[dict[str, object]]:
    """A tool that was called, and its answer."""
    asked: dict[str, object] = {
        "type": "tool_call",
        "id": "c1",
        "name": name,
        "arguments": {"query": "ferry"},
    }
    told = {"type": "tool_call_response", "id": "c1", "response": result}
    return [{"role": "assistant", "parts": [asked]}, {"role": "tool", "parts": [told]}]


def record(*messages: dict[str, object], searched: bool = False) -> RagTrace:
    """That of a model's call with this conversation, alone or behind a search."""
    told: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json([*messages]),
        "gen_ai.output.messages": as_json([said("assistant", "At nine, as I said [1].")]),
    }
    spans = [span("a0", name="POST /ask", start=0, end=99), span("a9", told, parent="a0", start=50, end=90)]
    found = span(
        "a1", retrieval((("other-1", "Other things are told.", 0.5),), LATER), parent="a0", start=1, end=9
    )
    return only([*spans, found] if searched else spans)


FIRST = (said("user", QUESTION), *tool(FOUND), said("assistant", ANSWER))


@pytest.mark.parametrize("between", [(), (said("user", "Thanks."), said("assistant", "You are welcome."))])
def test_what_tools_had_found_before_is_what_a_later_answer_goes_by(
    between: tuple[dict[str, object], ...],
) -> None:
    """Nothing else was searched for it: the request shows these passages."""
    told = record(*FIRST, *between, said("user", LATER))
    assert (told.query, told.completeness) == (LATER, "complete")
    assert [(each.id, each.text) for each in told.documents] == [(key, text) for key, text, _ in PASSAGES]


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("transfer_to_support", as_json({"assistant": "support"})),
        ("transfer_to_support_desk", as_json({"assistant": "Support desk"})),
        ("transfer_to_support", "Successfully transferred to support"),
        ("transfer_back_to_supervisor", "Successfully transferred back to supervisor"),
        ("transfer_to_support", "Transferred to support, adopting the role of support immediately."),
    ],
)
def test_an_agent_that_a_question_was_handed_over_to_goes_by_what_was_found_before(
    name: str, result: str
) -> None:
    """OpenAI's agents (0.24) begin each turn at the first one, which hands it over by a tool: no passages were told."""
    told = record(*FIRST, said("user", LATER), *tool(result, name))
    assert [each.id for each in told.documents] == [key for key, _, _ in PASSAGES]
    assert (told.query, told.completeness) == (LATER, "complete")


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("transfer_to_savings", "Transferred 10 crowns to savings."),
        ("transfer_to_savings", "Transferred to savings: 10 crowns"),
        ("transfer_to_savings", as_json({"assistant": "support"})),
        ("transfer_to_support", ""),
        ("weather", "Successfully transferred to weather"),
    ],
)
def test_a_tool_that_did_something_for_a_question_is_no_hand_over(name: str, result: str) -> None:
    """What it did may be all that the answer tells."""
    assert record(*FIRST, said("user", LATER), *tool(result, name)).documents == ()


def test_a_hand_over_beside_another_tool_is_one_of_two() -> None:
    """The other one may have told the answer."""
    both = [*tool("Sunny.", "weather"), *tool(as_json({"assistant": "support"}), "transfer_to_support")]
    assert record(*FIRST, said("user", LATER), *both).documents == ()


@pytest.mark.parametrize("turned", [False, True])
def test_a_hand_over_beside_another_tool_whose_calls_are_not_told(*, turned: bool) -> None:
    """Two answers counted as one."""
    support = {"id": "c2", "name": "transfer_to_support", "response": "Successfully transferred to support"}
    weather = {"id": "c3", "name": "weather", "response": "Sunny."}
    told = [weather, support] if turned else [support, weather]
    answers: list[dict[str, object]] = [
        {"role": "tool", "parts": [{"type": "tool_call_response", **each}]} for each in told
    ]
    assert record(*FIRST, said("user", LATER), *answers).documents == ()


def test_a_hand_over_that_was_told_twice_leaves_another_call_open() -> None:
    """The second time stood for the tool that never answered."""
    support = tool("Successfully transferred to support", "transfer_to_support")
    weather = {"type": "tool_call", "id": "c7", "name": "weather"}
    asked: dict[str, object] = {"role": "assistant", "parts": [weather]}
    assert record(*FIRST, said("user", LATER), *support, support[1], asked).documents == ()


def test_each_passage_is_told_once() -> None:
    """Two earlier questions may have found the same."""
    told = record(*FIRST, *FIRST, said("user", LATER))
    assert [each.id for each in told.documents] == [key for key, _, _ in PASSAGES]


def test_words_that_a_search_had_answered_mark_the_record() -> None:
    """They may be passages, or an apology."""
    words = (
        said("user", QUESTION),
        *tool("The ferry leaves at nine. It is late on Sundays."),
        said("assistant", ANSWER),
    )
    told = record(*words, said("user", LATER))
    assert told.documents or told.completeness == "partial_evidence"


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        ('[{"id": "new-1", "text": "It is full today."}]', ["It is full today."]),
        ("[]", []),
    ],
)
def test_what_tools_found_for_the_question_itself_is_all_its_evidence(found: str, wanted: list[str]) -> None:
    """As is that they found nothing."""
    told = record(*FIRST, said("user", LATER), *tool(found))
    if wanted:
        assert [each.text for each in told.documents] == wanted


def test_a_search_of_its_own_is_all_its_evidence() -> None:
    """What was found before stands in the request as well."""
    told = record(*FIRST, said("user", LATER), searched=True)
    assert [each.id for each in told.documents] == ["other-1"]


def test_a_context_in_the_prompt_is_all_its_evidence() -> None:
    """It was put there for this question."""
    shown = "Context:\n[1] It is full today.\n[2] Seats are free on Sunday."
    told = record(said("system", shown), *FIRST, said("user", LATER))
    assert [each.text for each in told.documents] == ["It is full today.", "Seats are free on Sunday."]


@pytest.mark.parametrize("name", ["get_weather", "book_seat"])
def test_what_other_tools_answered_is_no_passage(name: str) -> None:
    """A figure, a word."""
    told = record(
        said("user", QUESTION), *tool('{"ok": true}', name), said("assistant", "Done."), said("user", LATER)
    )
    assert (told.documents, told.completeness) == ((), "complete")


FEEDBACK = "Validation feedback:\nCite your sources.\n\nFix the errors and try again."
ERRORS = '1 validation error:\n```json\n[{"type": "missing"}]\n```\n\nFix the errors and try again.'


@pytest.mark.parametrize("feedback", [FEEDBACK, ERRORS])
def test_what_pydantic_ai_says_of_a_reply_is_no_question(feedback: str) -> None:
    """It is a message of the user's, as the question is."""
    asked = (said("user", QUESTION), *tool(FOUND), said("assistant", "At nine."), said("user", feedback))
    messages = [*asked, said("assistant", ANSWER)]
    run: dict[str, object] = {"pydantic_ai.all_messages": as_json(messages), "final_result": ANSWER}
    told = only([span("a0", run, scope="pydantic-ai", start=0, end=99)])
    assert (told.query, told.answer) == (QUESTION, ANSWER)


@pytest.mark.parametrize("asked", ["Validation feedback: what is it?", "1 validation error: why? Try again."])
def test_a_question_about_validation_stays_one(asked: str) -> None:
    """A user may paste a part of it."""
    run: dict[str, object] = {
        "pydantic_ai.all_messages": as_json([said("user", asked)]),
        "final_result": ANSWER,
    }
    assert only([span("a0", run, scope="pydantic-ai", start=0, end=99)]).query == asked
