"""Questions that hang below one that was answered before them, as Agno's (3.1) after a team ran, on 2026-11-28."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.scorer.dialects.conftest import (
    ANSWER,
    PASSAGES,
    QUESTION,
    as_json,
    chain,
    generation,
    ids,
    only,
    span,
)

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

NEXT = "Wie lange gilt die Garantie?"
SAID = "Zwei Jahre ab Kaufdatum [1]."
FOUND = (("warranty-1", "Die Garantie gilt zwei Jahre ab Kaufdatum.", 0.9),)
AGENT = {"openinference.span.kind": "AGENT"}


def tool(passages: tuple[tuple[str, str, float], ...], query: str) -> dict[str, object]:
    """Attributes of a tool that searched."""
    found = as_json([{"id": key, "text": text, "score": score} for key, text, score in passages])
    said = {"openinference.span.kind": "TOOL", "tool.name": "search_docs", "output.value": found}
    return {**said, "input.value": as_json({"query": query})}


def team() -> list[Span]:
    """A team whose member searched."""
    return [
        span("a0", {**chain(), **AGENT}, start=1, end=99),
        span("m0", {**chain("ferry", ANSWER), **AGENT}, parent="a0", start=3, end=60),
        span("m1", tool(PASSAGES, "ferry"), parent="m0", start=5, end=20),
        span("m2", generation(question="ferry"), parent="m0", start=30, end=50),
        span("a2", generation(), parent="a0", start=80, end=90),
    ]


def sent(told: list[tuple[str, str]], answer: str) -> dict[str, object]:
    """Attributes of a model's call with these messages."""
    made = {key: value for key, value in generation(answer).items() if "input_messages" not in key}
    for place, (role, text) in enumerate(told):
        made[f"llm.input_messages.{place}.message.role"] = role
        made[f"llm.input_messages.{place}.message.content"] = text
    return made


def run(
    query: str = NEXT, answer: str = SAID, *, key: str = "b", start: int = 120, told: str | None = None
) -> list[Span]:
    """An agent that hangs below the team."""
    return [
        span(f"{key}0", {**chain(query, answer), **AGENT}, parent="a0", start=start, end=start + 50),
        span(f"{key}1", tool(FOUND, query), parent=f"{key}0", start=start + 5, end=start + 10),
        span(
            f"{key}2",
            generation(answer, question=told or query),
            parent=f"{key}0",
            start=start + 20,
            end=start + 40,
        ),
    ]


def test_what_is_asked_after_the_span_above_had_ended_is_a_question_of_its_own() -> None:
    """It was lost: the team's answer was the only one."""
    third = run("Quand part le train ?", "À huit heures [1].", key="c", start=300)
    first, second, last = read_records([*team(), *run(), *third])
    assert (first.query, first.answer, ids(first)) == (QUESTION, ANSWER, ["timetable-1", "fares-2"])
    assert (second.query, second.answer, ids(second)) == (NEXT, SAID, ["warranty-1"])
    assert (last.query, last.answer) == ("Quand part le train ?", "À huit heures [1].")
    assert {first.completeness, second.completeness, last.completeness} == {"complete"}


def test_what_is_asked_while_the_span_above_runs_is_a_part_of_it() -> None:
    """A member of the team is asked other words than the user's."""
    assert only([*team(), *run(start=22)]).query == QUESTION


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("Rate the answer.", f"Question: {QUESTION}\nAnswer: {ANSWER}\nRate the answer."),
        ("Write a title.", f"Write a title for: {QUESTION}"),
        (QUESTION, QUESTION),
    ],
)
def test_what_names_or_judges_an_answer_later_is_a_part_of_it(query: str, told: str) -> None:
    """Its models were shown the question."""
    first, _, call = run(query, "Sailing times at nine, crowns four.", told=told)
    record = only([*team(), first, call])
    assert (record.query, record.answer) == (QUESTION, ANSWER)


def test_what_judges_a_later_answer_is_no_question() -> None:
    """It hangs below the first as well."""
    told = f"Question: {NEXT}\nAnswer: {SAID}\nRate the answer."
    judge, _, call = run("Rate it.", "Grounded.", key="c", start=300, told=told)
    records = read_records([*team(), *run(), judge, call])
    assert [(record.query, record.answer) for record in records] == [(QUESTION, ANSWER), (NEXT, SAID)]


@pytest.mark.parametrize("field", ["scope", "resource"])
def test_what_another_process_or_library_asks_may_have_another_clock(field: str) -> None:
    """It began when the span above ran, as far as anybody knows."""
    moved = replace(run()[0], scope="other") if field == "scope" else replace(run()[0], resource={})
    assert only([*team(), moved, *run()[1:]]).query == QUESTION


@pytest.mark.parametrize(
    "told",
    [
        [("user", QUESTION), ("assistant", ANSWER), ("user", "Write a title for this conversation.")],
        [("user", "user: When does the fer... bot: It leaves at n... Write a title.")],
        [("user", PASSAGES[0][1])],
        [],
    ],
)
def test_a_task_left_behind_that_searched_nothing_is_no_question(told: list[tuple[str, str]]) -> None:
    """It names the conversation, whose question its model was sent earlier, or cut, or nobody knows."""
    first, _, call = run("Write a title for this conversation.", "Ferries on Sundays")
    assert (
        only([*team(), first, replace(call, attributes=sent(told, "Ferries on Sundays"))]).query == QUESTION
    )


def test_a_guard_that_searched_what_is_allowed_is_no_question() -> None:
    """Passages of its own do not make it another turn: its model was told the answer in a prompt."""
    told = f"Allowed: {FOUND[0][1]}\nQuestion: {QUESTION}\nAnswer: {ANSWER}"
    assert only([*team(), *run("Check the answer.", "Nothing was found.", told=told)]).query == QUESTION


def test_a_judge_that_searched_and_was_sent_the_conversation_is_no_question() -> None:
    """Its order and its reply say so."""
    first, search, call = run("Rate the answer from 1 to 5.", "4")
    told = [("user", QUESTION), ("assistant", ANSWER), ("user", "Rate the answer from 1 to 5.")]
    assert only([*team(), first, search, replace(call, attributes=sent(told, "4"))]).query == QUESTION


def test_a_later_turn_is_sent_the_one_before() -> None:
    """As messages of its user and its model."""
    first, search, call = run()
    told = [("user", QUESTION), ("assistant", ANSWER), ("user", NEXT)]
    records = read_records([*team(), first, search, replace(call, attributes=sent(told, SAID))])
    assert [record.query for record in records] == [QUESTION, NEXT]


def test_a_member_on_a_host_whose_clock_is_ahead_is_a_part_of_it() -> None:
    """The model above was told what it had said, or asked."""
    root, *_, last = team()
    member = run("ferry sunday", "The timetable says nine.", start=9000)
    for told in (
        [("user", QUESTION), ("tool", "The timetable says nine.")],
        [("user", QUESTION), ("assistant", "ferry sunday")],
    ):
        assert only([root, *member, replace(last, attributes=sent(told, ANSWER))]).query == QUESTION


def test_a_member_on_such_a_host_may_be_what_a_tool_answered_that_is_not_told() -> None:
    """The message has no words."""
    root, *_, last = team()
    told = {
        key: value for key, value in sent([("user", QUESTION), ("tool", "?")], ANSWER).items() if value != "?"
    }
    assert only([root, *run("ferry", "Nine."), replace(last, attributes=told)]).query == QUESTION


@pytest.mark.parametrize(("root_ends", "start"), [(5, 20), (1, 20), (120, 120)])
def test_what_answers_below_a_span_that_ended_early_is_a_part_of_it(root_ends: int, start: int) -> None:
    """A job that was only accepted, a span without a length, a clock of whole seconds: no model had answered."""
    root = span("a0", {**chain(), **AGENT}, start=1, end=root_ends)
    last = span("a2", generation(), parent="a0", start=start + 80, end=start + 90)
    assert (
        only([root, *run("ferry", "It leaves at nine, says the timetable.", start=start), last]).query
        == QUESTION
    )


def _running(prompt: str, answer: str = ANSWER, *, told: str = QUESTION, start: int = 120) -> list[RagTrace]:
    """The records of a question of one agent, below which another one asks `NEXT` before its span has ended."""
    first, search, call = run(start=start)
    asked = [
        span("a0", {**chain(QUESTION, answer), **AGENT}, start=1, end=500),
        span("a1", tool(PASSAGES, QUESTION), parent="a0", start=5, end=20),
        span("a2", generation(answer, question=told), parent="a0", start=30, end=90),
    ]
    return read_records([*asked, first, search, replace(call, attributes=generation(SAID, question=prompt))])


def test_a_guard_that_searched_while_the_span_above_ran_is_no_question() -> None:
    """It ended later than the model, as one of a batch does, and was told what that had said."""
    (record,) = _running(f"Allowed: {FOUND[0][1]}\nAnswer: {ANSWER}")
    assert (record.query, record.answer) == (QUESTION, ANSWER)


@pytest.mark.parametrize("start", [20, 120])
def test_what_all_models_are_told_to_say_is_no_answer_that_was_given_on(start: int) -> None:
    """The next of a batch has the same order."""
    refusal = "I cannot tell that from the passages."
    order = f"Else say: {refusal}\n"
    records = _running(order + NEXT, refusal, told=order + QUESTION, start=start)
    assert [(record.query, record.answer) for record in records] == [(QUESTION, refusal), (NEXT, SAID)]


def test_one_of_a_batch_is_a_question() -> None:
    """It was told nothing of the first."""
    assert [record.query for record in _running(NEXT)] == [QUESTION, NEXT]


def test_a_stream_goes_on_when_the_span_above_has_ended() -> None:
    """Which tells no answer then: its model's is told below."""
    root = span("a0", chain(QUESTION, None), start=1, end=2)
    assert only([root, *run(QUESTION, ANSWER)]).answer == ANSWER
