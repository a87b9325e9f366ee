"""Which argument is the question: never another one, because a wrong question is worse than none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragvigil.tracer import record_feedback, trace_generator, trace_rag, trace_reranker, trace_retriever

from .conftest import Recording

PARTS = [
    {"type": "text", "text": "When does "},
    {"type": "image_url"},
    {"type": "text", "text": "water boil?"},
]


class Odd:
    """Has nothing that we know."""


@pytest.mark.parametrize("question", [5, ["a", "b"], Odd(), {"a": 1}, "", b""])
@pytest.mark.parametrize("decorate", [trace_rag, trace_retriever, trace_generator])
def test_no_other_argument_stands_in_for_the_question(
    recording: Recording, decorate: Callable[..., Any], question: object
) -> None:
    """The parameter is there; what it holds cannot be read, and the span says so."""

    @decorate
    def call(query: object, index: str) -> str:
        return "ok"

    call(question, "index-name")
    attributes = recording.attributes()
    assert "index-name" not in str(attributes)
    assert attributes["ragvigil.unreadable"] == [f"query: {type(question).__name__}"]


@pytest.mark.parametrize("decorate", [trace_rag, trace_retriever, trace_generator])
def test_a_question_that_is_not_given_is_not_another_argument(
    recording: Recording, decorate: Callable[..., Any]
) -> None:
    """Whether its name was told or found."""

    def answer(tenant: str, q: str | None) -> str:
        return "ok"

    @decorate
    def found(tenant: str, q: str | None = None) -> str:
        return "ok"

    decorate(query="q")(answer)("acme-secret", None)
    found("acme-secret")
    assert "acme-secret" not in str(recording.spans())


def test_a_search_without_a_readable_query_has_that_of_the_request(recording: Recording) -> None:
    """As one by vector."""

    @trace_retriever
    def search(query: list[float], index: str) -> list[str]:
        return []

    @trace_rag
    def ask(question: str) -> str:
        search([0.1], "index-name")
        return "ok"

    ask("When does water boil?")
    assert recording.spans()[0]["attributes"]["gen_ai.retrieval.query.text"] == "When does water boil?"


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": PARTS}],
        [{"role": "user", "parts": [{"text": "When does "}, "water boil?"]}, {"role": "model", "parts": []}],
        PARTS,
    ],
)
def test_a_question_in_parts_is_read(recording: Recording, messages: object) -> None:
    """As vision models take them: the texts, one after the other."""

    @trace_rag
    def chat(messages: object) -> str:
        return "ok"

    chat(messages)
    assert recording.attributes()["input.value"] == "When does water boil?"


def test_only_a_number_is_a_number_of_documents(record: Callable[..., Recording]) -> None:
    """A text there would leave with the ids."""
    recording = record(content="ids_only")

    @trace_retriever
    def search(query: str, top_k: object) -> list[str]:
        return []

    for top_k in ("secret text", 3.0, "7", True, -1, [5]):
        search("q", top_k)
    told = [span["attributes"].get("gen_ai.retrieval.top_k") for span in recording.spans()]
    assert told == [None, 3, 7, None, None, None]


class Client:
    """Prints its settings."""

    def __str__(self) -> str:
        return "client=https://example.org api_key=secret"


def test_what_an_object_prints_of_itself_is_no_name(record: Callable[..., Recording]) -> None:
    """A parameter called model may be the client itself."""
    recording = record(content="ids_only")

    @trace_generator
    def generate(question: str, model: object) -> str:
        return "ok"

    generate("q", Client())
    assert "secret" not in str(recording.spans())
    assert recording.span()["name"] == "chat"
    assert "ragvigil.unreadable" not in recording.attributes()


def test_no_other_argument_stands_in_for_the_documents(recording: Recording) -> None:
    """Of a reranker that was given none."""

    @trace_reranker
    def rerank(query: str, documents: list[str] | None, stop_words: list[str]) -> list[str]:
        return []

    rerank("q", None, ["the", "a"])
    assert "ragvigil.rerank.input_ids" not in recording.attributes()


def test_a_comment_is_a_text(recording: Recording) -> None:
    """Bytes are read as one."""
    comment: Any = b"caf\xc3\xa9"
    assert record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", comment=comment)
    assert recording.attributes()["annotations.0.annotation.explanation"] == "café"
