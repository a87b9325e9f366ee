"""The shapes in which services hold documents and answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from types import SimpleNamespace
from typing import NamedTuple
from uuid import UUID

import numpy as np
import pytest
from pydantic import BaseModel

from ragvigil.tracer._answers import read_answer
from ragvigil.tracer._documents import Passage, read_documents
from ragvigil.tracer._pieces import AnswerPieces


class Page(BaseModel):
    """A document as a pydantic model."""

    doc_id: str
    page_content: str
    score: float


@dataclass
class Langchain:
    """Keeps its id, if any, in the metadata."""

    page_content: str
    id: str | None = None
    metadata: dict[str, object] = field(default_factory=dict[str, object])


class Hit(NamedTuple):
    """A tuple with names to go by, in an order of its own."""

    score: float
    text: str
    id: str


NODE = SimpleNamespace(node=SimpleNamespace(node_id="a", text="Ice", metadata={"p": 1}), score=0.5)


@pytest.mark.parametrize(
    ("document", "passage"),
    [
        ("Ice", Passage(text="Ice")),
        (b"Ice", Passage(text="Ice")),
        (("a", "Ice"), Passage("a", None, "Ice")),
        (["a-1", "Ice melts."], Passage("a-1", None, "Ice melts.")),
        (("Ice", 0.5), Passage(None, 0.5, "Ice")),
        (("a", "Ice", 0.5), Passage("a", 0.5, "Ice")),
        ((7, "Ice"), Passage("7", None, "Ice")),
        ((7, "Ice", 0.5), Passage("7", 0.5, "Ice")),
        ((0.5, "Ice"), Passage(None, 0.5, "Ice")),
        (("a", "Ice", 0.5, {"p": 1}), Passage("a", 0.5, "Ice", {"p": 1})),
        (({"id": "a", "text": "Ice"}, 0.5), Passage("a", 0.5, "Ice")),
        (
            (Langchain("Ice", metadata={"doc_id": "a"}), np.float32(0.5)),
            Passage("a", 0.5, "Ice", {"doc_id": "a"}),
        ),
        ({"_id": 7, "chunk": "Ice", "similarity": Decimal("0.5")}, Passage("7", 0.5, "Ice")),
        ({"id": "a", "score": 0.5, "payload": {"text": "Ice"}}, Passage("a", 0.5, "Ice", {"text": "Ice"})),
        ({"_id": "a", "_score": 0.5, "_source": {"content": "Ice"}}, Passage("a", 0.5, "Ice")),
        (Page(doc_id="a", page_content="Ice", score=0.5), Passage("a", 0.5, "Ice")),
        (Langchain("Ice", id="a"), Passage("a", None, "Ice", {})),
        (Hit(0.5, "Ice", "a"), Passage("a", 0.5, "Ice")),
        (NODE, Passage("a", 0.5, "Ice", {"p": 1})),
        ({"id": UUID(int=1), "text": ""}, Passage("00000000-0000-0000-0000-000000000001", None, "")),
        ({"id": 0, "text": "Ice", "score": 0}, Passage("0", 0.0, "Ice")),
        ({"id": "a"}, Passage("a")),
    ],
)
def test_a_document_is_read_in_its_usual_shapes(document: object, passage: Passage) -> None:
    """Each shape alone in a list."""
    reading = read_documents([document], at_most=10)
    assert reading.unreadable is None
    assert reading.passages == [passage]


@pytest.mark.parametrize(
    "result",
    [
        [("a", "Ice"), ("b", "Water")],
        (("a", "Ice"), ("b", "Water")),
        {"documents": [("a", "Ice"), ("b", "Water")]},
        SimpleNamespace(source_nodes=[("a", "Ice"), ("b", "Water")]),
        ([("a", "Ice"), ("b", "Water")], {"took": 3}),
        {"id-a": ("a", "Ice"), "id-b": ("b", "Water")}.values(),
    ],
)
def test_a_collection_is_found_where_services_keep_it(result: object) -> None:
    """Bare, wrapped, or beside something else."""
    reading = read_documents(result, at_most=10)
    assert [passage.id for passage in reading.passages] == ["a", "b"]


def test_documents_beside_a_list_of_scores_get_their_scores() -> None:
    """What many similarity searches return."""
    reading = read_documents((["Ice", "Water"], [0.9, 0.1]), at_most=10)
    assert [(passage.text, passage.score) for passage in reading.passages] == [("Ice", 0.9), ("Water", 0.1)]


COLUMNS: list[tuple[object, list[Passage]]] = [
    (
        {
            "ids": [["a", "b"]],
            "documents": [["Ice", None]],
            "distances": [[0.1, 0.2]],
            "metadatas": [[{"page": 1}, None]],
        },
        [Passage("a", None, "Ice", {"page": 1}), Passage("b")],
    ),
    (
        {"ids": [["a"], ["b"]], "documents": [["Ice"], ["Water"]]},
        [Passage("a", None, "Ice"), Passage("b", None, "Water")],
    ),
    (
        {"ids": ["a", "b"], "documents": ["Ice"], "scores": [0.9, 0.1]},
        [Passage("a", 0.9, "Ice"), Passage("b", 0.1)],
    ),
    ({"ids": ["a", 7]}, [Passage("a"), Passage("7")]),
    ({"ids": [[]], "documents": [[]]}, []),
    (
        SimpleNamespace(ids=["x"], nodes=[{"id": "a", "text": "Ice"}], similarities=[1.0]),
        [Passage("a", 1.0, "Ice")],
    ),
]


@pytest.mark.parametrize(("result", "wanted"), COLUMNS)
def test_columns_are_documents(result: object, wanted: list[Passage]) -> None:
    """Distances are no scores: less of them is better. Whole documents beside their ids go first."""
    reading = read_documents(result, at_most=10)
    assert reading.passages == wanted
    assert reading.total == len(wanted)
    assert reading.unreadable is None


def test_of_many_columns_only_the_first_documents_are_made() -> None:
    """The total is known all the same."""
    reading = read_documents({"ids": list(range(100_000)), "documents": ["Ice"] * 100_000}, at_most=3)
    assert [passage.id for passage in reading.passages] == ["0", "1", "2"]
    assert reading.total == 100_000


def test_an_empty_result_is_no_documents_and_none_is_unreadable() -> None:
    """Empty retrieval is a finding of its own, so it must not be guessed."""
    assert read_documents([], at_most=10).unreadable is None
    assert read_documents(None, at_most=10).unreadable == "NoneType"


CHOICE = {"message": {"role": "assistant", "content": "100 °C"}, "finish_reason": "stop"}


@pytest.mark.parametrize(
    "result",
    [
        "100 °C",
        {"answer": "100 °C"},
        {"output": {"text": "100 °C"}},
        ("100 °C", ["p1"]),
        SimpleNamespace(content="100 °C"),
        {"content": [{"type": "text", "text": "100 "}, {"type": "text", "text": "°C"}]},
        {"choices": [CHOICE]},
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="100 °C"))]),
        {"choices": [{"delta": {"content": "100 °C"}}]},
        {"choices": [{"text": "100 °C"}]},
    ],
)
def test_an_answer_is_read_in_its_usual_shapes(result: object) -> None:
    """Texts, mappings, objects, message parts, choices."""
    answer = read_answer(result)
    assert (answer.text, answer.unreadable) == ("100 °C", None)


def test_an_answer_that_looks_like_json_stays_a_text() -> None:
    """Never decode an answer."""
    assert read_answer('{"answer": 42}').text == '{"answer": 42}'
    assert read_answer(json.dumps(["a"])).text == '["a"]'


@pytest.mark.parametrize("result", [None, 7, {}, {"answer": None}, object(), [], (), ["a", "b"]])
def test_no_answer_is_none_and_never_empty(result: object) -> None:
    """Unknown is None, with the type of what was there."""
    answer = read_answer(result)
    assert answer.text is None
    assert answer.unreadable == type(result).__name__


def test_usage_is_read_under_both_generations_of_names() -> None:
    """prompt and completion tokens of old, input and output tokens of now."""
    old = read_answer({"answer": "a", "usage": {"prompt_tokens": 87, "completion_tokens": 14}})
    new = read_answer({"answer": "a", "input_tokens": 87, "output_tokens": 14})
    assert (old.input_tokens, old.output_tokens) == (new.input_tokens, new.output_tokens) == (87, 14)


@pytest.mark.parametrize(
    "result",
    [
        [("faq-12", 0.9), ("faq-3", 0.4)],
        [(0.9, "faq-12"), (0.4, "faq-3")],
        (["faq-12", "faq-3"], [0.9, 0.4]),
        [["faq-12", Decimal("0.9")], ["faq-3", np.float32(0.4)]],
    ],
)
def test_pairs_of_ids_and_scores_are_ids(result: object) -> None:
    """As a search without its texts returns them; an id is a short word with a digit or a mark inside."""
    passages = read_documents(result, at_most=10).passages
    assert [passage.id for passage in passages] == ["faq-12", "faq-3"]
    assert [passage.score for passage in passages] == pytest.approx([0.9, 0.4])
    assert [passage.text for passage in passages] == [None, None]


@pytest.mark.parametrize(
    "result",
    [
        [("faq-12", 0.9), ("Ice melts at 0 °C.", 0.4)],
        [("Ice", 0.9), ("Water.", 0.4)],
        [("水在100度沸腾", 0.9)],
        [("Water boils at 100", 0.9)],
        ["faq-12", "faq-3"],
        [{"text": "faq-12", "score": 0.9, "metadata": {"page": 1}}],
        [("", 0.9)],
    ],
)
def test_what_may_be_a_passage_is_a_passage(result: object) -> None:
    """Words with spaces or of another script, plain words, and texts that came as such."""
    passages = read_documents(result, at_most=10).passages
    assert [passage.id for passage in passages] == [None] * len(passages)
    assert all(passage.text is not None for passage in passages)


def test_a_uuid_before_a_score_is_an_id() -> None:
    """As some stores return them."""
    (passage,) = read_documents([(UUID(int=1), 0.5)], at_most=10).passages
    assert (passage.id, passage.score) == ("00000000-0000-0000-0000-000000000001", 0.5)


@pytest.mark.parametrize(
    ("given", "tokens", "odd"),
    [
        (7, 7, None),
        ("7", 7, None),
        (3.0, 3, None),
        (-1, None, ["usage: int"]),
        ("many", None, ["usage: str"]),
        (2.5, None, ["usage: float"]),
        (None, None, None),
    ],
)
def test_tokens_are_whole_numbers_in_any_form(
    given: object, tokens: int | None, odd: list[str] | None
) -> None:
    """What is none is named."""
    answer = read_answer({"answer": "a", "usage": {"output_tokens": given}})
    assert (answer.text, answer.output_tokens, answer.odd) == ("a", tokens, odd)


class Event:
    """A piece of a stream that says what it is."""

    type = "message_stop"


STREAMS: list[tuple[list[object], list[str] | None]] = [
    (["a", object(), "b"], ["answer: object"]),
    (["a", 5, object(), 7, "b"], ["answer: int", "answer: object"]),
    (["a", ["x", "y"], "b"], ["answer: list"]),
    (["a", None, {"usage": {"output_tokens": 1}}, {"choices": [{"delta": {}}]}, Event(), "b"], None),
    (["a", "b", {"usage": {"output_tokens": -1}}, {"usage": {"output_tokens": -1}}], ["usage: int"]),
]


@pytest.mark.parametrize(("pieces", "odd"), STREAMS)
def test_a_piece_that_may_have_been_text_is_named(pieces: list[object], odd: list[str] | None) -> None:
    """Beside those that were; pieces that tell something else are none of them."""
    collected = AnswerPieces(at_most=100)
    for piece in pieces:
        collected.add(piece)
    answer = collected.result()
    assert (answer.text, answer.unreadable, answer.odd) == ("ab", None, odd)
