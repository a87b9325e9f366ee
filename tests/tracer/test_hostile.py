"""Objects that bite: the service sees exactly what it would without us."""

from __future__ import annotations

import logging
from collections import UserList
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NoReturn

import pytest

from ragvigil.tracer import context, trace_generator, trace_rag, trace_reranker, trace_retriever

from .conftest import Recording, documents


class Unprintable:
    """Fails whenever it is looked at."""

    def __str__(self) -> str:
        raise RuntimeError("no str")

    __repr__ = __str__

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError("no attributes")

    def __bool__(self) -> bool:
        raise RuntimeError("no truth")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equality")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")


class Endless:
    """Every attribute is another one of the same."""

    def __getattr__(self, name: str) -> Endless:
        return Endless()


class UnprintableError(Exception):
    """An exception whose message cannot be made."""

    def __str__(self) -> str:
        raise RuntimeError("no message")


def cyclic() -> dict[str, object]:
    """A document that contains itself."""
    document: dict[str, object] = {"id": "c", "text": "round"}
    document["metadata"] = document
    document["document"] = document
    return document


@dataclass
class Chunk:
    """A document as a dataclass."""

    chunk_id: int
    content: str
    metadata: dict[object, object] = field(default_factory=dict[object, object])


ODD_RESULTS: list[Callable[[], object]] = [
    lambda: None,
    lambda: 7,
    lambda: float("nan"),
    lambda: b"\xff\xfe",
    lambda: "lone \ud800 surrogate",
    lambda: "nul \0 and \x1b[31m",
    lambda: [None, 1, Unprintable(), object()],
    Unprintable,
    Endless,
    cyclic,
    lambda: [cyclic()],
    lambda: {"answer": cyclic()},
    lambda: [("a", "b", float("nan")), ("a", "b", float("inf")), ((), ()), [[[[1]]]]],
    lambda: [
        {"id": "\ud800", "text": "\udfff", "score": "high", "metadata": {"\ud800": "\ud801", 3: {4: [5]}}}
    ],
    lambda: [Chunk(1, "x", {("tuple", "key"): Unprintable(), "long": "y" * 100_000, "n": 10**400})],
    lambda: {Unprintable, Endless},
    lambda: UserList([Unprintable()]),
    lambda: ([1, 2], [Unprintable()]),
    lambda: {1: 2, None: 3},
    lambda: lambda: "called?",
    lambda: 10**5000,
]


@pytest.mark.parametrize("make", ODD_RESULTS)
@pytest.mark.parametrize("decorate", [trace_rag, trace_retriever, trace_reranker, trace_generator])
def test_an_odd_argument_and_an_odd_result_pass_through_untouched(
    recording: Recording,
    decorate: Callable[[Callable[..., object]], Callable[..., object]],
    make: Callable[[], object],
) -> None:
    """As the only argument, by name, and as the result; the span still arrives, in valid UTF-8."""
    value = make()

    @decorate
    def echo(*args: object, **kwargs: object) -> object:
        return value

    assert echo(value) is value
    assert echo(query=value, documents=value, model=value, top_k=value) is value
    spans = recording.spans()
    assert len(spans) == 2
    for span in spans:
        span["name"].encode()
        for name, written in span["attributes"].items():
            str(written).encode()
            if name == "gen_ai.retrieval.documents":
                documents(span["attributes"])


def test_what_could_not_be_read_is_named_on_the_span(recording: Recording) -> None:
    """A half-read list keeps what was read."""

    @trace_retriever
    def search(query: str) -> list[object]:
        return [("p1", "Ice", 0.5), Unprintable()]

    search("why")
    attributes = recording.attributes()
    assert documents(attributes) == [{"id": "p1", "score": 0.5, "content": "Ice"}, {}]
    assert attributes["ragvigil.unreadable"] == ["documents: Unprintable"]


@pytest.mark.parametrize("question", [5, 2.5, ["a", "b"], {"n": 1}, object()])
def test_a_question_that_cannot_be_read_is_named_on_the_span(recording: Recording, question: object) -> None:
    """The span says why it has none."""

    @trace_rag
    def ask(question: object) -> str:
        return f"about {type(question).__name__}"

    assert ask(question) == f"about {type(question).__name__}"
    attributes = recording.attributes()
    assert attributes["ragvigil.unreadable"] == [f"query: {type(question).__name__}"]
    assert "input.value" not in attributes


def test_an_unprintable_error_reaches_the_service(recording: Recording) -> None:
    """Its class is all that is known."""

    @trace_rag
    def ask(question: str) -> str:
        raise UnprintableError

    with pytest.raises(UnprintableError):
        ask("why")
    assert recording.span()["status"] == ("ERROR", "UnprintableError (its message cannot be printed)")
    assert str(recording.attributes()["error.type"]).endswith("test_hostile.UnprintableError")


@pytest.mark.parametrize("leaving", [KeyboardInterrupt, SystemExit, StopIteration, RecursionError])
def test_every_exception_leaves_as_it_is(recording: Recording, leaving: type[BaseException]) -> None:
    """Also those that are no errors."""

    @trace_rag
    def ask(question: str) -> str:
        raise leaving("now")

    with pytest.raises(leaving):
        ask("why")
    assert recording.attributes()["error.type"] == leaving.__name__


def test_a_failing_extract_is_said_once_and_changes_nothing(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """One line per cause per minute, however many calls."""

    def broken(result: object) -> NoReturn:
        raise KeyError("documents")

    @trace_retriever(extract=broken)
    def search(query: str) -> list[str]:
        return ["Ice"]

    with caplog.at_level(logging.WARNING):
        assert [search("why") for _ in range(50)] == [["Ice"]] * 50
    assert [record.getMessage() for record in caplog.records] == [
        "ragvigil: a retrieval could not be read: KeyError: 'documents'"
    ]
    assert recording.spans()[0]["attributes"]["ragvigil.unreadable"] == ["retrieval: KeyError"]


def test_recursion_to_the_limit_fails_in_the_service_and_not_in_us(recording: Recording) -> None:
    """With the stack full, even our guards have no room."""

    @trace_rag
    def ask(question: str) -> str:
        return ask(question)

    with pytest.raises(RecursionError):
        ask("why")


def test_hostile_facts_are_left_out(recording: Recording) -> None:
    """context() never raises, and a segment has at most sixteen dimensions."""

    @trace_rag
    def ask(question: str) -> str:
        context(user_id=Unprintable(), conversation_id=7, segment={"ok": "yes", "bad": Unprintable()})
        context(segment={f"d{index}": index for index in range(100)})
        return "so"

    assert ask("why") == "so"
    attributes = recording.attributes()
    assert attributes["output.value"] == "so"
    assert len([name for name in attributes if name.startswith("ragvigil.segment.")]) <= 17


def test_arguments_changed_by_the_function_are_recorded_as_they_came(recording: Recording) -> None:
    """Many rerankers sort in place."""

    @trace_reranker
    def rerank(query: str, documents: list[dict[str, object]]) -> list[dict[str, object]]:
        documents.reverse()
        return documents

    rerank("why", [{"id": "a"}, {"id": "b"}])
    attributes = recording.attributes()
    assert attributes["ragvigil.rerank.input_ids"] == ["a", "b"]
    assert documents(attributes) == [{"id": "b"}, {"id": "a"}]


def test_a_decorator_used_wrongly_leaves_the_function_as_it_was(caplog: pytest.LogCaptureFixture) -> None:
    """A positional option or a decorated class must not break the service's import."""
    misused: Any = trace_rag

    class Engine:
        pass

    assert misused("name")(str.upper)("why?") == "WHY?"
    assert misused(Engine) is Engine
    assert "takes its options by name" in caplog.text
    assert "a class cannot be traced" in caplog.text


def test_metadata_that_is_no_json_is_named_and_the_rest_kept(recording: Recording) -> None:
    """Types by name, each once, and what lies too deep; dates and the like as texts are no news."""

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        odd: dict[str, object] = {
            "handle": Endless(),
            "file": b"\x00",
            "deep": {"x": float("inf"), "y": [Endless()]},
        }
        fine: dict[str, object] = {"day": date(2024, 5, 1), "price": Decimal("1.5"), "n": None, "tags": ["a"]}
        return [{"id": "a", "text": "Ice", "metadata": odd}, {"id": "b", "text": "Ice", "metadata": fine}]

    search("why")
    assert recording.attributes()["ragvigil.unreadable"] == [
        "metadata: Endless",
        "metadata: bytes",
        "metadata: float",
        "metadata: list",
    ]
    odd, fine = documents(recording.attributes())
    assert odd["metadata"] == {"handle": "<Endless>", "file": "<bytes>", "deep": {"x": None, "y": "<list>"}}
    assert fine["metadata"] == {"day": "2024-05-01", "price": "1.5", "n": None, "tags": ["a"]}
