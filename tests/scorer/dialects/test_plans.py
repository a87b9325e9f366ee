"""A model that splits a question, workers that answer the parts, and a conclusion: one question or several."""

from __future__ import annotations

import itertools

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import Span

from .conftest import QUESTION, as_json, chain, generation, only, retrieval, span
from .test_batches import pasted

PARTS = ("When does it leave on Sundays?", "What is the fare?")
TOLD = ("It leaves at nine.", "It is four crowns.")
FOUND = ("The ferry leaves at nine.", "A ticket costs four crowns.")
WHOLE = "It leaves at nine and costs four crowns."
SUMMED = generation(WHOLE, question=f"{QUESTION}\nNotes:\n{TOLD[0]}\n{TOLD[1]}")


def planned(root: dict[str, object], kind: str, plan: str = as_json(PARTS)) -> list[Span]:
    """A plan and its workers: chains that search or are shown passages, or nothing but a search and a model each."""
    spans = [
        span("a0", root, name="run", start=0, end=99),
        span("a1", generation(plan, question=QUESTION), parent="a0", start=1, end=5),
    ]
    for place, (part, told, found) in enumerate(zip(PARTS, TOLD, FOUND, strict=True)):
        at, name = 10 + 20 * place, f"b{place}"
        parent = "a0" if kind == "bare" else name
        prompt = pasted(part, found) if kind == "shown" else part
        if kind != "bare":
            spans.append(span(name, chain(part, told), parent="a0", start=at, end=at + 15))
        if kind != "shown":
            search = retrieval(((name, found, 0.5),), part)
            spans.append(span(f"{name}r", search, parent=parent, start=at + 1, end=at + 3))
        model = generation(told, question=prompt)
        spans.append(span(f"{name}g", model, parent=parent, start=at + 4, end=at + 14))
    return spans


@pytest.mark.parametrize("kind", ["searching", "shown", "bare"])
@pytest.mark.parametrize("root", [{}, chain(None, None), {"openinference.span.kind": "AGENT"}])
def test_what_a_plan_split_is_one_question(kind: str, root: dict[str, object]) -> None:
    """It is what the plan was made for, with all that its workers were shown, whatever comes behind the conclusion."""
    end = span("c1", SUMMED, parent="a0", start=60, end=80)
    title = span("c2", generation("Ferry times", question=WHOLE), parent="a0", start=81, end=85)
    spans = [*planned(root, kind), end]
    for order in (spans, spans[::-1]):
        record = only(order)
        told = (
            record.query,
            tuple(each.text for each in record.documents),
            record.answer,
            record.completeness,
        )
        assert told == (QUESTION, FOUND, WHOLE, "complete")
    assert only([*spans, title]).query == QUESTION


@pytest.mark.parametrize("kind", ["searching", "shown", "bare"])
def test_the_answer_to_parts_that_no_model_sums_up_is_what_the_span_above_returned(kind: str) -> None:
    """It alone tells the whole."""
    record = only(planned(chain(None, WHOLE), kind))
    assert (record.query, record.answer) == (QUESTION, WHOLE)


def test_parts_that_cannot_be_told_apart_mark_the_record() -> None:
    """Of the first worker's context nobody knows how many passages it holds."""
    spans = [*planned({}, "shown"), span("c1", SUMMED, parent="a0", start=60, end=80)]
    prompt = f"Context:\n{FOUND[0]}\n{FOUND[1]}\n\nQuestion: {PARTS[0]}"
    first = span("b0g", generation(TOLD[0], question=prompt), parent="b0", start=14, end=24)
    assert (
        only([first if each.span_id == "b0g" else each for each in spans]).completeness == "partial_evidence"
    )


@pytest.mark.parametrize("kind", ["searching", "shown", "bare"])
def test_questions_that_nobody_planned_or_summed_up_are_several(kind: str) -> None:
    """A batch may begin with a model's call or end with one."""
    end = span("c1", SUMMED, parent="a0", start=60, end=80)
    unplanned = planned({}, kind, plan="Hello.")
    for spans in (planned({}, kind), unplanned, [*unplanned, end]):
        assert [record.query for record in read_records(spans)] == [*PARTS]


def test_the_order_of_spans_changes_nothing_in_a_plan() -> None:
    """Whichever comes first."""
    spans = [*planned({}, "bare"), span("c1", SUMMED, parent="a0", start=60, end=80)]
    expected = only(spans)
    assert all(
        only([*spans[place:], *spans[:place]]) == expected
        for place, _ in itertools.pairwise([*range(len(spans))])
    )
