"""Questions asked at the same time below one span: each search is of the question that its words tell."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from random import Random

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span, spans_of
from ragvigil.scorer.trace import RagTrace

from .conftest import TRACES, as_json, chain, generation, retrieval, span

ALBA = (
    "When does the ferry to Alba leave?",
    "The one to Alba leaves at nine.",
    "The ferry to Alba leaves at nine.",
)
TRAM = ("自由席はどの車両ですか\uff1f", "自由席は1号車から3号車です。", "自由席は1号車から3号車までです。")
HALL = ("من رسم مبنى البلدية القديم؟", "رسمته لينا هولت قبل مئة عام.", "رسمت لينا هولت مبنى البلدية.")
FARE = ("What does a ticket cost?", "A ticket costs four crowns.", "Tickets cost four crowns each.")
ALL = (ALBA, TRAM, HALL)
SEVERAL = TRACES.parent / "several"
REQUEST = span("a0", name="POST /ask", start=0, end=99)
ORDERS = [
    each for each in permutations(range(6)) if all(each[place] < each[place + 1] for place in (0, 2, 4))
]
"""Of three searches and three answers, each search before its answer."""
Asked = tuple[str, str, str]


def found_for(asked: Asked, name: str, start: int, *, query: str | None = None) -> Span:
    """A search for the question, or for other words, that found its passage."""
    found = retrieval(((f"{name}-1", asked[2], 0.9),), query=asked[0] if query is None else query)
    return span(name, found, parent="a0", start=start, end=start + 5)


def asked_of(asked: Asked, name: str, start: int, *, shown: str | None = None) -> Span:
    """A call of a model that was shown the passage, or something else."""
    passage = asked[2] if shown is None else shown
    prompt = f"Use the context below.\n[1] {passage}\n\nQuestion: {asked[0]}"
    return span(name, generation(asked[1], question=prompt), parent="a0", start=start, end=start + 5)


def told(records: Sequence[RagTrace]) -> list[tuple[str, str, list[str], str]]:
    """What tells one record from another, by question."""
    return sorted(
        (
            each.query or "",
            each.answer or "",
            [document.text or "" for document in each.documents],
            each.completeness,
        )
        for each in records
    )


def right(*asked: Asked) -> list[tuple[str, str, list[str], str]]:
    """What the records of these questions tell."""
    return sorted((question, answer, [passage], "complete") for question, answer, passage in asked)


@pytest.mark.parametrize(
    "order", [each for each in permutations(range(6)) if all(each[i] < each[i + 1] for i in (0, 2, 4))]
)
def test_searches_and_answers_in_any_order_are_of_their_own_question(order: tuple[int, ...]) -> None:
    """As of three requests to one handler, or of a batch."""
    times = [10 * place + 1 for place in order]
    searches = [found_for(asked, f"b{place}", times[2 * place]) for place, asked in enumerate(ALL)]
    answers = [asked_of(asked, f"c{place}", times[2 * place + 1]) for place, asked in enumerate(ALL)]
    assert told(read_records([REQUEST, *searches, *answers])) == right(*ALL)


def test_a_search_for_other_words_is_of_the_question_that_was_shown_what_it_found() -> None:
    """A model may have rewritten it."""
    steps = [
        found_for(ALBA, "b1", 1, query="ferry Alba departure"),
        found_for(TRAM, "b2", 2, query="unreserved seats"),
        asked_of(TRAM, "c2", 20),
        asked_of(ALBA, "c1", 21),
    ]
    records = read_records([REQUEST, *steps])
    assert {each.answer: [document.text for document in each.documents] for each in records} == {
        ALBA[1]: [ALBA[2]],
        TRAM[1]: [TRAM[2]],
    }
    assert {record.completeness for record in records} == {"complete"}


def test_a_search_that_is_of_no_question_for_certain_makes_both_records_incomplete() -> None:
    """It looked for other words, and nobody was shown what it found."""
    steps = [
        found_for(ALBA, "b1", 1),
        found_for(HALL, "b3", 3, query="old town hall"),
        asked_of(TRAM, "c2", 20),
        asked_of(ALBA, "c1", 21),
    ]
    records = read_records([REQUEST, *steps])
    assert [record.completeness for record in records] == ["partial_evidence"] * 2
    assert all(HALL[2] != document.text for record in records for document in record.documents)


def test_a_search_that_found_what_another_question_was_shown_makes_both_records_incomplete() -> None:
    """Query and passages tell different things."""
    steps = [
        span("b1", retrieval((("x", TRAM[2], 0.9),), query=ALBA[0]), parent="a0", start=1, end=5),
        asked_of(TRAM, "c2", 20),
        asked_of(ALBA, "c1", 21),
    ]
    assert {record.completeness for record in read_records([REQUEST, *steps])} == {"partial_evidence"}


def test_a_clients_call_that_shows_its_own_passages_beside_a_chain_is_a_question() -> None:
    """Neither knows of the other."""
    steps = [
        span("b0", chain(ALBA[0], ALBA[1]), parent="a0", start=1, end=50),
        span("b1", retrieval((("x", ALBA[2], 0.9),), query=ALBA[0]), parent="b0", start=2, end=5),
        span("b2", generation(ALBA[1], question=ALBA[0]), parent="b0", start=6, end=40),
        asked_of(TRAM, "c1", 10),
    ]
    assert told(read_records([REQUEST, *steps])) == right(ALBA, TRAM)


@pytest.mark.parametrize(
    "prompt",
    [
        "Say hello.",
        f"Give this a title: {ALBA[1]}",
        f"Is it grounded?\nContext:\n[1] {ALBA[2]}\n\nQuestion: {ALBA[0]}\nAnswer: {ALBA[1]}",
        f"Rewrite it for a search: {ALBA[0]}",
    ],
)
@pytest.mark.parametrize("start", [0, 60])
def test_a_call_without_passages_or_about_the_question_is_a_part_of_it(prompt: str, start: int) -> None:
    """Before or behind it."""
    steps = [
        found_for(ALBA, "b1", 10),
        asked_of(ALBA, "c1", 20),
        span("c2", generation("Good morning.", question=prompt), parent="a0", start=start, end=start + 3),
    ]
    (record,) = read_records([REQUEST, *steps])
    assert (record.query, len(record.documents)) == (ALBA[0], 1)


def workflow(name: str, given: object, made: object, start: int, end: int, *, failed: bool = False) -> Span:
    """A step of LangChain's as OpenLLMetry tells it in Node: all are side by side."""
    attributes = {
        "gen_ai.operation.name": "workflow",
        "traceloop.span.kind": "workflow",
        "traceloop.entity.input": as_json(given),
        **({} if made is None else {"traceloop.entity.output": as_json(made)}),
    }
    return span(name, attributes, parent="a0", start=start, end=end, failed=failed)


def test_a_question_that_failed_takes_nothing_from_the_one_beside_it() -> None:
    """Nor does it give its error to it."""
    steps = [
        workflow("b1", {"input": TRAM[0]}, None, 1, 9, failed=True),
        workflow("b2", {"input": ALBA[0]}, {"output": ALBA[1]}, 2, 40),
        asked_of(ALBA, "c1", 20),
    ]
    well, failed = sorted(read_records([REQUEST, *steps]), key=lambda record: record.answer is None)
    assert (well.query, well.answer, well.error) == (ALBA[0], ALBA[1], None)
    assert (failed.query, failed.answer, failed.documents) == (TRAM[0], None, ())
    assert failed.error is not None


def test_chains_of_node_that_ran_side_by_side_are_apart() -> None:
    """OpenLLMetry hangs all steps of all chains below the request; a tracer of the model's client was on, too."""
    spans = spans_of((SEVERAL / "node-openllmetry-three-questions.pb").read_bytes())
    records = read_records(spans)
    for seed in range(20):
        shuffled = [*spans, spans[seed]]
        Random(seed).shuffle(shuffled)
        assert read_records(shuffled) == records
    assert [(each.completeness, len(each.documents)) for each in records] == [("complete", 2)] * 3
    assert {each.query: (each.answer, each.documents[0].id, each.tokens.input) for each in records} == {
        "自由席はどの車両ですか\uff1f": ("1号車から3号車です[1]。", "座席-1", 20),
        "متى يغادر القارب الأخير؟": ("في السابعة مساءً [1].", "وقت:1", 20),
        "À quelle heure part le dernier bac ?": ("À 19 h 45 en été [1].", "3fa85f64-5717", 20),
    }


@pytest.mark.parametrize(("start", "tokens"), [(0, 40), (90, 20)])
def test_a_call_without_passages_beside_several_questions_is_a_part_of_the_one_behind_it(
    start: int, tokens: int
) -> None:
    """Or of none; it takes nobody's answer."""
    hello = span("h1", generation("Hi.", question="Say hello."), parent="a0", start=start, end=start + 3)
    steps = [
        found_for(ALBA, "b1", 10),
        found_for(TRAM, "b2", 11),
        asked_of(TRAM, "c2", 20),
        asked_of(ALBA, "c1", 30),
    ]
    records = read_records([REQUEST, hello, *steps])
    assert told(records) == right(ALBA, TRAM)
    assert next(each.tokens.input for each in records if each.query == TRAM[0]) == tokens


def conversation(asked: Asked, answer: str, *turns: tuple[str, str]) -> dict[str, object]:
    """A call of a model with its passage in the instructions, what was said, and what it answered."""
    said = [("system", f"Use the context below.\n[1] {asked[2]}"), *turns]
    told = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in said]
    made = [{"role": "assistant", "parts": [{"type": "text", "content": answer}]}]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(told),
        "gen_ai.output.messages": as_json(made),
    }


@pytest.mark.parametrize("correction", ["Continue.", "Please cite your sources, and answer again."])
def test_a_second_try_in_the_same_conversation_is_no_question_of_its_own(correction: str) -> None:
    """Its history holds what was asked first."""
    again = [("user", ALBA[0]), ("assistant", "In the morning."), ("user", correction)]
    first = conversation(ALBA, "In the morning.", ("user", ALBA[0]))
    steps = [
        found_for(ALBA, "b1", 1),
        span("c1", first, parent="a0", start=10, end=20),
        span("c2", conversation(ALBA, ALBA[1], *again), parent="a0", start=21, end=30),
    ]
    (record,) = read_records([REQUEST, *steps])
    assert (record.query, record.answer, record.completeness) == (ALBA[0], ALBA[1], "complete")


@pytest.mark.parametrize("start", [10, 60])
def test_a_call_that_was_shown_only_what_a_question_s_search_found_helps_that_one(start: int) -> None:
    """It asks for something else about the same passages, such as a title or what to ask next."""
    prompt = f"Suggest three questions on this.\n\nContext:\n[1] {ALBA[2]}"
    helper = span("c2", generation("1. Which?", question=prompt), parent="a0", start=start, end=start + 3)
    records = read_records([REQUEST, found_for(ALBA, "b1", 1), asked_of(ALBA, "c1", 20), helper])
    assert [(each.query, len(each.documents), each.tokens.input) for each in records] == [(ALBA[0], 1, 40)]


@pytest.mark.parametrize(
    "written",
    [
        as_json({"question": TRAM[0], "answer": TRAM[1]}),
        TRAM[0].encode("unicode_escape").decode(),
    ],
)
def test_a_grader_that_was_told_the_question_in_json_is_a_part_of_it(written: str) -> None:
    """Escaped or not; it was shown other passages."""
    prompt = f"Is it relevant?\n\nContext:\n[1] {ALBA[2]}\n\nQuestion: {written}"
    grader = span("c2", generation("yes, it is", question=prompt), parent="a0", start=60, end=63)
    records = read_records([REQUEST, found_for(TRAM, "b1", 1), asked_of(TRAM, "c1", 20), grader])
    assert [each.query for each in records] == [TRAM[0]]


@pytest.mark.parametrize("start", [9, 90])
def test_questions_stay_apart_beside_a_call_about_one_of_them(start: int) -> None:
    """As one that rewrites it, or gives it a title."""
    title = generation("A title.", question=f"Give this a title: {ALBA[0]}")
    steps = [
        span("c3", title, parent="a0", start=start, end=start + 3),
        found_for(ALBA, "b1", 10),
        found_for(TRAM, "b2", 11),
        asked_of(TRAM, "c2", 20),
        asked_of(ALBA, "c1", 30),
    ]
    assert told(read_records([REQUEST, *steps])) == right(ALBA, TRAM)


def test_questions_stay_apart_beside_a_complete_chain() -> None:
    """Two chains of which each searched and answered, and calls of a client at the same time."""
    steps = [
        span("d0", chain(HALL[0], HALL[1]), parent="a0", start=1, end=50),
        span("d1", retrieval((("x", HALL[2], 0.9),), query=HALL[0]), parent="d0", start=2, end=5),
        span("d2", generation(HALL[1], question=HALL[0]), parent="d0", start=6, end=40),
        span("e0", chain(FARE[0], FARE[1]), parent="a0", start=1, end=52),
        span("e1", retrieval((("x", FARE[2], 0.9),), query=FARE[0]), parent="e0", start=2, end=5),
        span("e2", generation(FARE[1], question=FARE[0]), parent="e0", start=6, end=40),
        found_for(ALBA, "b1", 0),
        found_for(TRAM, "b2", 0),
        asked_of(TRAM, "c2", 20),
        asked_of(ALBA, "c1", 30),
    ]
    records = read_records([REQUEST, *steps])
    assert told(records) == right(ALBA, TRAM, HALL, FARE)
    assert {each.answer: [document.id for document in each.documents] for each in records} == {
        ALBA[1]: ["b1-1"],
        TRAM[1]: ["b2-1"],
        HALL[1]: ["x"],
        FARE[1]: ["x"],
    }


def test_a_call_with_parts_that_may_be_no_passages_is_no_question_of_its_own() -> None:
    """What the user tells of himself is no evidence."""
    parts = [{"type": "text", "content": text} for text in ("I have a dog with me.", "Shall I wait here?")]
    told_it = {"gen_ai.input.messages": as_json([{"role": "user", "parts": parts}])}
    call = span("c2", {**conversation(ALBA, "Yes."), **told_it}, parent="a0", start=60, end=63)
    (record,) = read_records([REQUEST, found_for(ALBA, "b1", 1), asked_of(ALBA, "c1", 20), call])
    assert (record.query, len(record.documents)) == (ALBA[0], 1)


def test_a_call_whose_arguments_failed_is_no_question() -> None:
    """A function is given an object, and nobody asks one."""
    given = as_json({"text": "Not a date at all."})
    steps = [
        found_for(ALBA, "b1", 1),
        asked_of(ALBA, "c1", 10),
        span("f1", chain(given, None), parent="a0", start=20, end=21, failed=True),
    ]
    (record,) = read_records([REQUEST, *steps])
    assert (record.answer, len(record.documents)) == (ALBA[1], 1)


def test_many_searches_beside_long_prompts_are_read_in_little_time() -> None:
    """Characters times texts are bounded."""
    words = "lorem ipsum dolor " * 10_000
    searches = [
        span(f"r{place}", retrieval(((str(place), f"passage {place}.", 0.9),), query=f"search {place}"))
        for place in range(1900)
    ]
    calls = [
        span(
            f"g{place}",
            generation(
                f"This is the answer number {place}.",
                question=f"Use the context below.\n[1] passage {place}.\n{words}\n\nQuestion: What of {place}.?",
            ),
        )
        for place in range(10, 39)
    ]
    below = [
        replace(each, parent_id="a0", end=each.end + place) for place, each in enumerate([*searches, *calls])
    ]
    began = time.process_time()
    read_records([REQUEST, *below])
    assert time.process_time() - began < 3
