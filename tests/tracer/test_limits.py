"""How much is kept and sent, in bytes; what is cut is named on the span, whatever the content policy."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from sys import getsizeof
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry import baggage, trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan

from ragvigil.tracer import (
    Limits,
    configure,
    context,
    trace_generator,
    trace_rag,
    trace_reranker,
    trace_retriever,
)
from ragvigil.tracer import _queue as queue
from ragvigil.tracer._citing import Markers, markers_in
from ragvigil.tracer._sizes import bound, cut
from ragvigil.tracer._writing import Queued, Written, shortened

from .conftest import Receiver, Recording

LETTERS = ["a", "é", "水", "🌊", "\0"]


@given(st.text(max_size=300), st.integers(0, 400))
def test_texts_are_cut_between_characters_and_never_weigh_less_than_they_do(text: str, most: int) -> None:
    """In UTF-8 and in memory."""
    encoded = text.encode("utf-8", "replace")
    assert bound(text) >= len(encoded)
    assert bound(text) >= getsizeof(text) - getsizeof("水" if not text.isascii() else "")
    kept = cut(text, most)
    assert text.startswith(kept)
    assert len(kept.encode("utf-8", "replace")) <= most
    assert kept == text or len(text[: len(kept) + 1].encode("utf-8", "replace")) > most


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("openinference", [False, True])
def test_no_span_is_larger_than_its_limit_as_encoded(
    record: Callable[..., Recording], letter: str, openinference: bool
) -> None:
    """Its copies for OpenInference are counted in."""
    recording = record(
        limits=Limits(attribute_bytes=30_000, document_bytes=20_000, span_bytes=40_000),
        openinference=openinference,
    )

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        metadata = {"title": letter * 1_000}
        return [{"id": str(index), "text": letter * 9_000, "metadata": metadata} for index in range(20)]

    @trace_generator
    def write(question: str) -> str:
        return letter * 50_000

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        return write(question)

    ask(letter * 50_000)
    for span in recording.raw():
        assert encode_spans([span]).ByteSize() <= 40_000 + 1_000, span.name
        assert encode_spans([span]).ByteSize() >= 9_000, span.name
        assert (span.attributes or {})["ragvigil.content.truncated"]


@pytest.mark.parametrize("letter", LETTERS)
def test_every_request_has_at_most_two_mebibytes(receiver: Receiver, letter: str) -> None:
    """Also where the limits are the widest, and the service sets attributes of its own on our spans."""
    limits = Limits(attribute_bytes=4_000_000, document_bytes=4_000_000, span_bytes=1_966_080)
    tracing = configure(
        service_name=letter.replace("\0", "n") * 500,
        endpoint=receiver.endpoint,
        limits=limits,
        openinference=True,
    )

    @trace_generator
    def write(question: str) -> str:
        return letter * 1_500_000

    @trace_rag
    def ask(question: str) -> str:
        trace.get_current_span().set_attribute("huge", letter * 2_000_000)
        trace.get_current_span().add_event("huge", {"text": letter * 700_000})
        return write(question)

    for _ in range(2):
        ask("why")
    assert tracing.flush(timeout_seconds=30)
    tracing.shutdown()
    assert len(receiver.spans()) == 4
    assert max(request.ByteSize() for request in receiver.requests) <= 2 * 2**20
    root = next(span for span in receiver.spans() if span.name == "invoke_workflow ask")
    marks = next(entry for entry in root.attributes if entry.key == "ragvigil.content.truncated")
    assert {"huge", "events"} <= {mark.string_value for mark in marks.value.array_value.values}


def test_a_span_is_shortened_by_its_largest_attributes() -> None:
    """The others stay."""
    span = ReadableSpan("s")
    whole = Written(span, {"a": "x" * 90_000, "b": "y" * 5_000, "c": 7}, span.status)
    less = shortened(whole, 80_000)
    assert len(less.encoded()) <= 80_000
    assert less.attributes == {"b": "y" * 5_000, "c": 7, "ragvigil.content.truncated": ["a"]}


@pytest.mark.parametrize("letter", LETTERS)
def test_the_queue_counts_the_bytes_of_all_that_it_holds(
    monkeypatch: pytest.MonkeyPatch, recording: Recording, letter: str
) -> None:
    """Questions, answers, passages, metadata, ids, facts, and what the service sets on the span."""
    weights: dict[str, int] = {}
    genuine = queue.Queue.append

    def append(itself: queue.Queue, queued: Queued) -> bool:
        weights[queued.span.name] = queued.weight
        return genuine(itself, queued)

    monkeypatch.setattr(queue.Queue, "append", append)

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        metadata = {"title": letter * 250, "tags": [letter * 60] * 3}
        return [
            {"id": letter * 100 + str(index), "text": letter * 1_000, "metadata": metadata}
            for index in range(9)
        ]

    @trace_rag
    def ask(question: str) -> str:
        context(segment={"team": letter * 200})
        trace.get_current_span().set_attribute("own", letter * 3_000)
        search(question)
        return letter * 2_000

    ask(letter * 400)
    recording.tracing.flush()
    size = len(letter.encode())
    assert weights["retrieval"] >= size * (9 * (1_000 + 250 + 180 + 100) + 400 + 200)
    assert weights["invoke_workflow ask"] >= size * (3_000 + 2_000 + 400 + 200 + 9 * 100)
    assert weights["retrieval"] <= 5 * size * 9 * 2_000, "and not without measure"


def truncated(recording: Recording) -> dict[str, object]:
    """What each span says was cut, by its name."""
    return {span["name"]: span["attributes"].get("ragvigil.content.truncated") for span in recording.spans()}


@pytest.mark.parametrize(
    "metadata",
    [
        {str(index): index for index in range(33)},
        {"text": "x" * 257},
        {"list": list(range(17))},
        {"deep": {"deeper": {"deepest": 1}}},
        {"number": 2**64},
        {"inner": {"text": "x" * 65}},
    ],
    ids=["entries", "letters", "list", "levels", "number", "inner letters"],
)
def test_metadata_that_is_cut_is_named(recording: Recording, metadata: dict[str, object]) -> None:
    """By a mark of its own: the evidence is whole."""

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        return [{"id": "a", "text": "Water boils.", "metadata": metadata}]

    search("why")
    assert truncated(recording) == {"retrieval": ["gen_ai.retrieval.documents.metadata"]}


def test_metadata_that_is_whole_is_not_named(recording: Recording) -> None:
    """As much as is kept."""

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        return [{"id": "a" * 256, "text": "b", "metadata": {"text": "x" * 256, "list": list(range(16))}}]

    search("why")
    assert truncated(recording) == {"retrieval": None}


@pytest.mark.parametrize("content", ["full", "redacted", "ids_only"])
def test_every_id_that_is_cut_is_named_whatever_the_policy(
    record: Callable[..., Recording], content: str
) -> None:
    """Of documents, model, response, conversation, user and segment; also the dimensions that are left out."""
    recording = record(content=content, limits=Limits(documents=2))
    long = "i" * 257

    @trace_retriever
    def search(query: str) -> list[tuple[str, str]]:
        return [(long, "Water boils."), ("b", "Ice melts."), ("c", "Steam rises.")]

    @trace_reranker
    def rerank(query: str, documents: list[str]) -> list[tuple[str, str]]:
        return [("a", "Water boils.")]

    @trace_generator
    def write(question: str, model: str) -> dict[str, str]:
        return {"answer": "so", "model": long, "id": long, "finish_reason": long}

    @trace_rag(conversation_id="talk", segment={f"s{index}": "x" for index in range(17)})
    def ask(question: str, talk: str) -> None:
        context(user_id=long, segment={"team": long, "n" * 200: "x"})
        search(question)
        rerank(question, ["a", "b", "c"])
        write(question, long)

    ask("why", long)
    cut_everywhere = {
        "gen_ai.conversation.id",
        "session.id",
        "user.id",
        "ragvigil.segment.*",
        "ragvigil.segment.team",
        "ragvigil.segment." + "n" * 83,
    }
    own: dict[str, set[str]] = {
        "retrieval": {"gen_ai.retrieval.documents", "gen_ai.retrieval.documents.id"},
        "rerank": {"ragvigil.rerank.input_ids"},
        "chat " + long[:256]: {
            "gen_ai.request.model",
            "gen_ai.response.model",
            "gen_ai.response.id",
            "gen_ai.response.finish_reasons",
            "name",
        },
        "invoke_workflow ask": set(),
    }
    for name, marks in truncated(recording).items():
        assert isinstance(marks, list)
        assert set(cast("list[str]", marks)) == cut_everywhere | own[name], name


def test_facts_that_baggage_cuts_are_named_behind_it(recording: Recording) -> None:
    """More than are read, longer than are kept, and what was cut before it was sent."""
    here = Context()
    for index in range(30):
        here = baggage.set_baggage(f"ragvigil.segment.s{index}", "x", here)
    token = attach(baggage.set_baggage("ragvigil.content.truncated", "user.id,session.id", here))

    @trace_rag
    def ask(question: str) -> None:
        """Answer nothing."""

    ask("why")
    detach(token)
    marks = truncated(recording)["invoke_workflow ask"]
    assert isinstance(marks, list)
    assert set(cast("list[str]", marks)) == {"user.id", "session.id", "baggage"}


def test_a_long_text_is_named_with_content_off_too(record: Callable[..., Recording]) -> None:
    """That there was more says nothing of it."""
    recording = record(content="ids_only", limits=Limits(attribute_bytes=100))

    @trace_rag
    def ask(question: str) -> str:
        return "x" * 101

    ask("y" * 101)
    assert truncated(recording) == {"invoke_workflow ask": ["input.value", "output.value"]}


def test_an_answer_in_too_many_parts_is_named(recording: Recording) -> None:
    """Only the first 256 are read."""

    @trace_generator
    def write(question: str) -> dict[str, list[str]]:
        return {"content": ["x"] * 257}

    write("why")
    assert truncated(recording) == {"chat": ["gen_ai.output.messages"]}


@pytest.mark.parametrize("content", ["full", "ids_only"])
@pytest.mark.parametrize("streamed", [False, True])
def test_citations_are_read_to_the_end_of_a_long_answer(
    record: Callable[..., Recording], content: str, streamed: bool
) -> None:
    """Far behind what is kept of its text, and behind more than five hundred others."""
    recording = record(content=content, limits=Limits(attribute_bytes=1_000))
    whole = "Yes [a]. " * 900 + "x" * 300_000 + " No [doc-9], [b]."

    @trace_retriever
    def search(query: str) -> list[tuple[str, str]]:
        return [("a", "A"), ("b", "B"), ("doc-1", "C")]

    @trace_generator
    def write(question: str) -> Iterator[str] | str:
        return (whole[at : at + 7] for at in range(0, len(whole), 7)) if streamed else whole

    @trace_rag
    def ask(question: str) -> None:
        search(question)
        assert "".join(write(question)) == whole

    ask("why")
    (chat,) = [span["attributes"] for span in recording.spans() if span["name"] == "chat"]
    assert chat["ragvigil.citations.ids"] == ["a", "b"]
    assert chat["ragvigil.citations.unknown"] == ["doc-9"]
    assert "ragvigil.citations.read_characters" not in chat


def test_an_answer_with_too_many_markers_says_how_much_of_it_was_read(
    record: Callable[..., Recording],
) -> None:
    """A thousand different ones; whoever reads the span knows that there may be others."""
    for limit in (1_000_000, 100):
        recording = record(content="ids_only", limits=Limits(attribute_bytes=limit))

        @trace_retriever
        def search(query: str) -> list[tuple[str, str]]:
            return [("a", "A"), ("b", "B")]

        @trace_rag
        def ask(question: str) -> str:
            search(question)
            return "[a]" + "".join(f"[w{index}]" for index in range(2_000)) + "[b]"

        ask("why")
        attributes = recording.spans()[-1]["attributes"]
        assert attributes["ragvigil.citations.ids"] == ["a"]
        assert attributes["ragvigil.citations.read_characters"] == 3 + sum(
            len(f"[w{index}]") for index in range(999)
        )


@given(
    st.lists(
        st.sampled_from(
            [
                *"[]【】\uff3b\uff3d()\uff08\uff09^a1=,¹²⁻`~\n ",
                "```",
                "~~~",
                "<sup>",
                "</sup>",
                "x" * 199,
                "x" * 200,
                "y" * 4_000,
            ]
        )
    ),
    st.randoms(use_true_random=False),
)
def test_markers_are_found_however_an_answer_is_split(parts: list[str], chance: random.Random) -> None:
    """Those that lie across pieces, and those that only seemed to begin."""
    text, markers = "".join(parts), Markers()
    at = 0
    while at < len(text):
        step = chance.randint(1, 70)
        markers.feed(text[at : at + step])
        at += step
    assert markers.result() == markers_in(text)
