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


def test_a_stream_goes_on_when_the_span_above_has_ended() -> None:
    """Which tells no answer then: its model's is told below."""
    root = span("a0", chain(QUESTION, None), start=1, end=2)
    assert only([root, *run(QUESTION, ANSWER)]).answer == ANSWER
