"""Shapes of libraries' results without the libraries: tests/libraries has the real ones."""

from __future__ import annotations

import copy
import logging
import pickle
import sqlite3
import sys
from collections.abc import AsyncIterator, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from ragvigil.tracer import trace_generator, trace_retriever
from ragvigil.tracer._answers import Answer, read_answer
from ragvigil.tracer._documents import Passage, read_documents
from ragvigil.tracer._notices import notices
from ragvigil.tracer._pieces import AnswerPieces
from ragvigil.tracer._reading import field

from .conftest import Recording, documents

ICE, FOG = {"id": "a", "text": "Ice melts."}, {"id": "b", "text": "Fog is water."}


@pytest.mark.parametrize(
    ("result", "texts", "ids"),
    [
        (["d1", "d2"], ["d1", "d2"], [None, None]),
        ([["d1", "d2"], ["d3"]], ["d1", "d2", "d3"], [None] * 3),
        ([["Ice", "Fog"]], ["Ice", "Fog"], [None, None]),
        ([["p-1", "Ice melts."]], ["Ice melts."], ["p-1"]),
        ([("d1", "d2")], ["d2"], ["d1"]),
        (("d1", "d2"), ["d2"], ["d1"]),
        (("p1", "Ice melts."), ["Ice melts."], ["p1"]),
        (("Ice melts.", "Fog is water."), ["Ice melts.", "Fog is water."], [None, None]),
    ],
)
def test_a_list_of_texts_is_passages_and_a_tuple_of_two_is_an_id_and_its_text(
    result: object, texts: list[str], ids: list[str | None]
) -> None:
    """A list is a row only where an id with a digit or a mark stands before a sentence, as in rows that were JSON."""
    passages = read_documents(result, at_most=10).passages
    assert [passage.text for passage in passages] == texts
    assert [passage.id for passage in passages] == ids


@pytest.mark.parametrize(
    "result",
    [
        {"hits": {"total": {"value": 2}, "hits": [ICE, FOG]}},
        SimpleNamespace(body={"hits": {"hits": [ICE, FOG]}}),
        {"result": {"hits": [ICE, FOG]}},
        {"retriever": {"documents": [ICE, FOG]}, "llm": {"replies": ["So."]}},
        {"dense": {"documents": [ICE]}, "sparse": {"documents": [FOG]}},
        {"groups": [{"id": "x", "hits": [ICE]}, {"id": "y", "hits": [FOG]}]},
        [SimpleNamespace(points=[ICE]), SimpleNamespace(points=[FOG])],
    ],
)
def test_documents_are_found_in_what_clients_put_around_them(result: object) -> None:
    """Envelopes, pipelines, groups, answers to several queries."""
    reading = read_documents(result, at_most=10)
    assert [passage.id for passage in reading.passages] == ["a", "b"]
    assert reading.unreadable is None


def test_a_document_that_has_a_body_stays_a_document() -> None:
    """Its text is no envelope."""
    assert read_documents({"id": "a", "body": "Ice"}, at_most=10).passages == [Passage("a", None, "Ice")]


def test_rows_that_are_no_mappings_are_read_by_their_keys() -> None:
    """As those of SQLite."""
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("SELECT 'a' AS id, 'Ice' AS content, 0.5 AS score").fetchall()
    connection.close()
    assert read_documents(rows, at_most=10).passages == [Passage("a", 0.5, "Ice")]


class Strict(BaseModel, extra="allow"):
    """A model that knows a name in each of the ways that pydantic has."""

    given: str = "given"

    @property
    def computed(self) -> str:
        return "computed"


def test_names_of_pydantic_models_are_found_wherever_they_are() -> None:
    """Fields, properties, extra values; what there is not is told without asking the model."""
    model = Strict.model_validate({"more": "more"})
    for name in ("given", "computed", "more"):
        assert field(model, ("nothing", name)) == name
    assert field(model, ("nothing",)) is None


def pieces(*given: object) -> Answer:
    """The answer of a stream of these."""
    collected = AnswerPieces(at_most=1000)
    for piece in given:
        collected.add(piece)
    return collected.result()


def test_tokens_that_come_at_the_end_do_not_undo_those_of_the_start() -> None:
    """Where the end says that no input came with it; sums are for those that say so."""
    usage = [
        {"usage": {"input_tokens": 61, "output_tokens": 1}},
        {"usage": {"input_tokens": 0, "output_tokens": 17}},
    ]
    answer = pieces("So.", *usage)
    assert (answer.input_tokens, answer.output_tokens) == (61, 17)
    added = [{"usage_metadata": {"input_tokens": 61, "output_tokens": 1}}] * 2
    assert pieces("So.", *added).output_tokens == 2


def test_an_event_of_an_unknown_kind_that_may_have_been_text_is_named() -> None:
    """A later version may call it otherwise; thoughts and calls are no text of the answer."""
    answer = pieces(
        {"type": "response.reasoning_text.delta", "delta": "Hm."},
        {"type": "response.function_call_arguments.delta", "delta": "{}"},
        {"type": "response.output_prose.text.delta", "delta": "So."},
    )
    assert answer.text is None
    assert answer.odd == ["answer: event response.output_prose.text.delta"]


def test_a_service_s_own_events_are_read_by_the_usual_names() -> None:
    """Their types are nobody's."""
    assert pieces({"type": "token", "text": "At "}, {"type": "text", "text": "100 °C"}).text == "At 100 °C"


def test_what_a_tool_gave_is_no_part_of_the_answer() -> None:
    """Nor is a thought, in a list of message parts."""
    parts = [
        {"type": "thinking", "text": "Hm."},
        {"type": "mcp_call", "output": "secret"},
        {"type": "web_search_tool_result", "content": [{"text": "secret"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "At 100 °C"}]},
    ]
    assert read_answer({"output": parts}).text == "At 100 °C"
    assert read_answer({"object": "response", "output": parts[:2]}).text is None


class Opened:
    """Hands a stream out at the begin of a block, as vendors' helpers do."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> Any:
        if isinstance(self.stream, Exception):
            raise self.stream
        return self.stream

    def __exit__(self, *error: object) -> None:
        """Nothing to close."""


class Asked:
    """Makes a stream when it is asked for."""

    @property
    def response_gen(self) -> Iterator[str]:
        yield "At "
        yield "100 °C"

    async def async_response_gen(self) -> AsyncIterator[str]:
        yield "At "
        yield "100 °C"


@trace_generator
def write(question: str, answer: Any) -> Any:
    """What it was given."""
    return answer


def answer_in(recording: Recording) -> object:
    """The answer on the one span."""
    return recording.attributes().get("gen_ai.output.messages")


def test_a_block_that_hands_out_a_stream_is_one_span_with_it(recording: Recording) -> None:
    """The same object, of its own class again once the stream is there."""
    holder = Opened(piece for piece in ("At ", "100 °C"))
    given = write("why", holder)
    assert given is holder
    assert isinstance(given, Opened)
    with given as stream:
        assert type(given) is Opened
        assert "".join(stream) == "At 100 °C"
    assert "At 100 °C" in str(answer_in(recording))


class Session:
    """Hands itself out at the begin of a block, and has the answer at its end."""

    answer: str | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *error: object) -> None:
        self.answer = "At 100 °C"

    async def __aenter__(self) -> Session:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.answer = "At 100 °C"


@pytest.mark.parametrize("later", [False, True])
async def test_a_block_that_hands_itself_out_ends_its_span_at_its_end(
    recording: Recording, later: bool
) -> None:
    """With what it has then; copies and pickles made before are of its own class, and so is it afterwards."""
    session = Session()
    given = write("why", session)
    copies = [copy.copy(given), copy.deepcopy(given), pickle.loads(pickle.dumps(given))]
    assert [type(each) for each in copies] == [Session] * 3
    if later:
        async with given as entered:
            assert entered is session
    else:
        with given as entered:
            assert entered is session
            assert type(pickle.loads(pickle.dumps(given))) is Session
    assert type(session) is Session
    assert "At 100 °C" in str(answer_in(recording))


def test_a_block_that_fails_to_begin_ends_its_span_with_the_error(recording: Recording) -> None:
    """As the call of the vendor may."""
    with pytest.raises(ConnectionError), write("why", Opened(ConnectionError("no"))):
        pass
    assert recording.attributes()["error.type"] == "ConnectionError"


def test_a_block_that_nobody_enters_is_named(recording: Recording) -> None:
    """When it is collected."""
    write("why", Opened(iter(())))
    assert recording.attributes()["ragvigil.unreadable"] == ["stream: Opened"]


async def test_a_stream_that_is_made_when_it_is_asked_for_is_traced(recording: Recording) -> None:
    """By its property, or by its method."""
    assert "".join(write("why", Asked()).response_gen) == "At 100 °C"
    assert "".join([piece async for piece in write("why", Asked()).async_response_gen()]) == "At 100 °C"
    assert [
        "At 100 °C" in str(span["attributes"]["gen_ai.output.messages"]) for span in recording.spans()
    ] == [True] * 2


class Slotted:
    """A stream that no weak reference can follow, as some databases' results are."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = [FOG, ICE]

    def __iter__(self) -> Iterator[dict[str, str]]:
        return self

    def __next__(self) -> dict[str, str]:
        if not self.left:
            raise StopIteration
        return self.left.pop()


@pytest.mark.parametrize("read", [2, 1, 0])
def test_a_stream_without_weak_references_is_watched_and_ends(recording: Recording, read: int) -> None:
    """Whether it is read to its end, half, or never."""

    @trace_retriever
    def search(query: str) -> Any:
        return Slotted()

    found = search("why")
    for _ in range(read):
        next(found)
    del found
    if read:
        assert [one["id"] for one in documents(recording.attributes())] == ["a", "b"][:read]
    else:
        assert recording.attributes()["ragvigil.unreadable"] == ["stream: Slotted"]


def test_what_cannot_be_read_is_said_once_with_the_way_out(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Not once a minute: it does not change until the service does. Without a text of it."""

    @trace_retriever
    def search(query: str) -> object:
        return SimpleNamespace(secret="Confidential.")

    with caplog.at_level(logging.WARNING):
        search("why")
        search("why")
    (line,) = caplog.messages
    assert line == (
        "ragvigil: retrieval: not all of a types.SimpleNamespace was read: documents: SimpleNamespace; "
        "extract= can say where it is"
    )


def test_each_odd_type_in_metadata_is_said_of_the_documents_that_carry_it(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Not of the list around them, and the second type is not silent because the first was said."""

    @trace_retriever
    def search(query: str, value: object) -> object:
        return [SimpleNamespace(id="a", text="It boils.", metadata={"handle": value})]

    with caplog.at_level(logging.WARNING):
        for value in (object(), {1}, object()):
            search("why", value)
    said = [line.rpartition("; ")[0] for line in caplog.messages if "metadata" in line]
    assert said == [
        f"ragvigil: retrieval: not all of a types.SimpleNamespace was read: metadata: {kind}"
        for kind in ("object", "set")
    ]


def test_each_type_that_cannot_be_read_is_said_with_the_version_of_its_library(
    recording: Recording, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a list, in a stream, and after ``extract=``: not the list's own type, and not the first one alone."""
    module = ModuleType("finder")
    module.__dict__["__version__"] = "2.1"
    monkeypatch.setitem(sys.modules, "finder", module)
    hit: Any = type("Hit", (), {"__module__": "finder"})
    row: Any = type("Row", (), {"__module__": "finder"})

    @trace_retriever
    def search(query: str, found: object) -> object:
        return found

    @trace_retriever
    def stream(query: str, found: object) -> Iterator[object]:
        yield found

    @trace_retriever(extract=lambda result: result.hits)
    def extracted(query: str) -> object:
        return SimpleNamespace(hits=[hit()])

    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            search("why", [hit()])
            search("why", [row()])
        hint = "extract= can say where it is"
        assert caplog.messages == [
            f"ragvigil: retrieval: not all of a finder.Hit (finder 2.1) was read: documents: Hit; {hint}",
            f"ragvigil: retrieval: not all of a finder.Row (finder 2.1) was read: documents: Row; {hint}",
        ]
        notices.forget()
        assert len(list(stream("why", row()))) == 1
        assert "finder.Row (finder 2.1) was read" in caplog.messages[-1]
        notices.forget()
        extracted("why")
        assert "finder.Hit (finder 2.1) was read" in caplog.messages[-1]
    assert caplog.messages[-1].endswith("extract= gave this")
