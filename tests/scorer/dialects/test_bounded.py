"""Hostile traces cost no more than their size: function calls are counted, because clocks lie."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.contexts import context_in
from ragvigil.scorer.dialects.frames import Context
from ragvigil.scorer.span import Span

from .conftest import chain, generation, retrieval, span

SMALL, LARGE = 400, 1600

Shape = Callable[[int], list[Span]]


def nested(attributes: dict[str, object]) -> Shape:
    """Each span the parent of the next."""

    def made(size: int) -> list[Span]:
        return [
            span(f"{number:05}", attributes, parent=f"{number - 1:05}" if number else None, start=number)
            for number in range(size)
        ]

    return made


def flat(attributes: Callable[[int], dict[str, object]]) -> Shape:
    """All below one span."""

    def made(size: int) -> list[Span]:
        below = [
            span(f"{number:05}", attributes(number), parent="top", start=number, end=number + 1)
            for number in range(size)
        ]
        return [span("top", end=10 * size), *below]

    return made


def reranked(number: int) -> dict[str, object]:
    """A rerank of the same passage again and again."""
    return {
        "openinference.span.kind": "RERANKER",
        "reranker.input_documents.0.document.id": "same",
        "reranker.output_documents.0.document.id": "same",
        "reranker.query": str(number),
    }


SHAPES: dict[str, Shape] = {
    "nested generators": nested(generation()),
    "nested retrievers": nested(retrieval()),
    "nested chains": nested(chain(None, None)),
    "nested silent retrievers": nested({"openinference.span.kind": "RETRIEVER"}),
    "nested reranks": nested(reranked(1)),
    "one id, many texts": flat(lambda number: retrieval((("same", f"text {number}", None),))),
    "ids without text": flat(lambda number: retrieval(((f"id {number}", None, None),))),
    "reranks side by side": flat(reranked),
    "rounds": flat(lambda number: generation() if number % 2 else retrieval()),
}


def calls(spans: list[Span]) -> int:
    """Python functions called, and generators resumed, while reading the spans."""
    count = 0

    def tally(frame: FrameType, event: str, argument: object) -> None:
        del frame, argument
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(tally)
    try:
        read_records(spans)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", SHAPES)
def test_reading_four_times_the_spans_costs_about_four_times_as_much(name: str) -> None:
    """A square would be sixteen times."""
    made = SHAPES[name]
    assert calls(made(LARGE)) < 5.5 * calls(made(SMALL))


def test_a_prompt_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For its passages, for its question, and to know whether its model answered; then it is kept no longer."""
    seen = list[str]()

    def counting(text: str, *, apart: bool = False, alone: bool = False) -> Context | None:
        seen.append(text)
        return context_in(text, apart=apart, alone=alone)

    monkeypatch.setattr("ragvigil.scorer.dialects.prompt.context_in", counting)
    asked = "Context:\n[1] It leaves at nine.\n\nQuestion: When?"
    spans = [span("b1", generation(question=asked), start=1, end=2)]
    for times in (1, 2):
        (record,) = read_records(spans)
        assert (record.query, [each.text for each in record.documents]) == ("When?", ["It leaves at nine."])
        assert seen == [asked] * times
