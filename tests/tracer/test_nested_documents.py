"""Lists of documents in lists, and documents of which a part cannot be read: nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from ragvigil.tracer import trace_retriever
from ragvigil.tracer._documents import Passage, read_documents

from .conftest import Recording, documents

A, B, C = ({"id": one, "text": f"Text {one}."} for one in "abc")


@pytest.mark.parametrize(
    "result",
    [
        [[A, B], [C]],
        ([A, B], [C]),
        ([], [A, B, C]),
        [[A], [], [[B], [C]]],
        [A, [B, C]],
        [(A, B), (C,)],
        {"results": [[A, B], [C]]},
        [[("a", "Text a."), ("b", "Text b.")], [("c", "Text c.")]],
        [[SimpleNamespace(**A), SimpleNamespace(**B)], [SimpleNamespace(**C)]],
    ],
)
def test_the_documents_of_several_searches_follow_one_another(result: object) -> None:
    """In order, all of them."""
    reading = read_documents(result, at_most=10)
    assert [passage.id for passage in reading.passages] == ["a", "b", "c"]
    assert (reading.total, reading.unreadable, list(reading.odd)) == (3, None, [])


def test_lists_of_texts_are_documents() -> None:
    """Two words may be an id and its text, sentences are not."""
    reading = read_documents([["Ice melts.", "Water boils."], ["Fog is water."]], at_most=10)
    assert [passage.text for passage in reading.passages] == ["Ice melts.", "Water boils.", "Fog is water."]


def test_scores_stay_with_their_documents() -> None:
    """A list of a document and a number is one document."""
    reading = read_documents([[[A, 0.9], [B, 0.5]], [(C, 0.1)]], at_most=10)
    assert [(passage.id, passage.score) for passage in reading.passages] == [
        ("a", 0.9),
        ("b", 0.5),
        ("c", 0.1),
    ]


def test_a_limit_holds_over_all_lists() -> None:
    """The total counts what is not kept."""
    reading = read_documents([[A] * 60, [B] * 60, [C] * 60], at_most=100)
    assert [passage.id for passage in reading.passages] == ["a"] * 60 + ["b"] * 40
    assert reading.total == 180


def test_a_list_that_holds_itself_ends() -> None:
    """With a mark, or marked as cut."""
    itself: list[Any] = [A]
    itself += [itself, itself]
    reading = read_documents(itself, at_most=50)
    assert len(reading.passages) <= 50
    assert reading.total > 50 or reading.unreadable or reading.odd
    empty: list[Any] = []
    empty += [empty] * 100
    reading = read_documents(empty, at_most=50)
    assert reading.total > len(reading.passages) or reading.unreadable


def test_a_generator_may_yield_lists(recording: Recording) -> None:
    """As one that searches page by page."""

    @trace_retriever
    def search(query: str) -> Iterator[list[dict[str, str]]]:
        yield [A, B]
        yield [C]
        yield [A] * 200

    list(search("q"))
    attributes = recording.attributes()
    assert [document["id"] for document in documents(attributes)] == ["a", "b", "c"] + ["a"] * 97
    assert attributes["ragvigil.documents.total"] == 203
    assert attributes["ragvigil.content.truncated"] == ["gen_ai.retrieval.documents"]


@pytest.mark.parametrize(
    ("document", "passage", "odd"),
    [
        ({"id": "a", "text": 5}, Passage("a"), ["documents: text: int"]),
        ({"id": "a", "text": ["x", "y"]}, Passage("a"), ["documents: text: list"]),
        ({"id": "a", "text": {"value": "x"}}, Passage("a"), ["documents: text: dict"]),
        ({"id": "a", "text": 5, "content": "Ice"}, Passage("a", None, "Ice"), []),
        ({"chunk": {"id": "a", "text": "Ice"}, "score": 1}, Passage("a", 1.0, "Ice"), []),
        ({"id": "a", "text": "Ice", "score": "0.87"}, Passage("a", 0.87, "Ice"), []),
        ({"id": "a", "text": "Ice", "score": "high"}, Passage("a", None, "Ice"), ["score: str"]),
        ({"id": "a", "text": "Ice", "score": float("nan")}, Passage("a", None, "Ice"), ["score: float"]),
        ({"id": "a", "text": "Ice", "metadata": [1, 2]}, Passage("a", None, "Ice"), ["metadata: list"]),
        ({"id": "a", "text": "Ice", "metadata": "page 3"}, Passage("a", None, "Ice"), ["metadata: str"]),
        ({"id": "a", "text": None, "score": None, "metadata": None}, Passage("a"), []),
    ],
)
def test_a_part_that_cannot_be_read_is_named(
    recording: Recording, document: object, passage: Passage, odd: list[str]
) -> None:
    """Once, however many documents have it."""
    assert read_documents([document], at_most=10).passages == [passage]

    @trace_retriever
    def search(query: str) -> list[object]:
        return [document, document]

    search("q")
    assert recording.attributes().get("ragvigil.unreadable", []) == odd
