"""Which texts leave the service, and how much of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragvigil.tracer import (
    Limits,
    context,
    generator_span,
    rag_span,
    record_feedback,
    record_generation,
    record_request,
    record_retrieval,
    record_retry,
    trace_generator,
    trace_rag,
    trace_reranker,
    trace_retriever,
)
from ragvigil.tracer._documents import Passage
from ragvigil.tracer._metadata import Copy
from ragvigil.tracer._passages import write_documents
from ragvigil.tracer._runtime import destination
from ragvigil.tracer._sizes import encoded_attributes

from .conftest import Recording, documents
from .test_exit_and_fork import run

SWITCH = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
SECRET = "the patient's name"


def run_request() -> None:
    """One request whose every text is the secret."""

    @trace_retriever
    def search(query: str) -> list[tuple[str, str, float]]:
        return [("p1", SECRET, 0.9)]

    @trace_reranker
    def rerank(query: str, documents: list[tuple[str, str, float]]) -> list[dict[str, object]]:
        return [{"id": "p1", "text": SECRET, "score": 0.5, "metadata": {"title": SECRET}}]

    @trace_generator
    def write(question: str, passages: object) -> str:
        return SECRET

    @trace_rag
    def ask(question: str) -> str:
        return write(question, rerank(question, search(question)))

    @trace_rag
    def fail(question: str) -> str:
        raise ValueError(question)

    ask(SECRET)
    with pytest.raises(ValueError, match="patient"):
        fail(SECRET)


@pytest.mark.parametrize(
    ("word", "capture", "recorded"),
    [
        (None, True, True),
        (None, False, False),
        ("true", True, True),
        ("SPAN_ONLY", True, True),
        ("SPAN_AND_EVENT", True, True),
        ("NO_CONTENT", True, False),
        ("false", True, False),
        ("EVENT_ONLY", True, False),
        ("maybe", True, False),
        ("true", False, False),
    ],
)
def test_texts_are_recorded_by_default_and_kept_in_when_told(
    record: Callable[..., Recording],
    monkeypatch: pytest.MonkeyPatch,
    word: str | None,
    capture: bool,
    recorded: bool,
) -> None:
    """The stricter of the argument and the convention's variable wins; ids and scores always leave."""
    if word is not None:
        monkeypatch.setenv(SWITCH, word)
    recording = record(content="full" if capture else "ids_only")
    run_request()
    spans = recording.spans()
    assert (SECRET in json.dumps(spans)) is recorded
    assert [documents(span["attributes"])[0]["id"] for span in spans[:2]] == ["p1", "p1"]
    assert documents(spans[0]["attributes"])[0]["score"] == 0.9
    assert [span["attributes"].get("ragvigil.content") for span in spans] == [None if recorded else "off"] * 5
    assert spans[4]["attributes"]["error.type"] == "ValueError"


@pytest.fixture
def global_spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """The service's own global provider, and nothing configured by us."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.setattr(destination, "_borrowed", None)
    yield exporter
    provider.shutdown()


@pytest.mark.parametrize(
    ("word", "recorded"), [(None, False), ("", False), ("true", True), ("SPAN_ONLY", True)]
)
def test_the_global_provider_gets_texts_only_when_the_variable_says_so(
    global_spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch, word: str | None, recorded: bool
) -> None:
    """That provider may lead anywhere."""
    if word is not None:
        monkeypatch.setenv(SWITCH, word)
    run_request()
    written = [span.to_json() for span in global_spans.get_finished_spans()]
    assert len(written) == 5
    assert any(SECRET in text for text in written) is recorded
    assert all("p1" in text for text in written[:2])


def test_the_sdks_value_limit_does_not_break_the_documents(
    global_spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK would cut the JSON in the middle."""
    monkeypatch.setenv(SWITCH, "true")
    monkeypatch.setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "200")

    @trace_retriever
    def search(query: str) -> list[str]:
        return ["x" * 300, "y" * 300]

    search("why")
    (span,) = global_spans.get_finished_spans()
    found = documents(dict(span.attributes or {}))
    assert [document["truncated"] for document in found] == [True, True]


@pytest.mark.parametrize("longest", [1, 40, 60, 97, 120])
def test_the_sdks_value_limit_leaves_json_whole_or_out_and_cuts_no_id_silently(
    global_spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch, longest: int
) -> None:
    """However low it is, what is cut is named, as far as a name fits."""
    monkeypatch.setenv(SWITCH, "true")
    monkeypatch.setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", str(longest))
    ids = {"gen_ai.conversation.id": "c", "gen_ai.response.id": "r", "gen_ai.request.model": "m"}

    @trace_generator(model="m" * 130)
    def write(question: str) -> dict[str, str]:
        context(conversation_id="c" * 130)
        return {"answer": "Because. " * 20, "id": "r" * 130}

    write("why " * 50)
    (span,) = global_spans.get_finished_spans()
    attributes = dict(span.attributes or {})
    named = cast("tuple[str, ...]", attributes["ragvigil.content.truncated"])
    for name, least in {"gen_ai.input.messages": 60, "gen_ai.output.messages": 97}.items():
        assert name[:longest] in named
        if (message := attributes.get(name)) is not None:
            assert json.loads(str(message))[0]["parts"][0]["type"] == "text"
        assert (message is not None) == (longest >= least)
    for name, letter in ids.items():
        assert attributes[name] == letter * longest
        assert name[:longest] in named


@pytest.mark.parametrize("way", ["set later", "named in the environment"])
def test_a_provider_is_found_whenever_it_comes(way: str) -> None:
    """Without one a call costs a microsecond, because nothing is asked that reads the environment each time."""
    named = {"OTEL_PYTHON_TRACER_PROVIDER": "sdk_tracer_provider"} if way != "set later" else {}
    done = run(
        """
        import os
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from ragvigil.tracer import trace_rag

        @trace_rag
        def ask(question):
            return trace.get_current_span().get_span_context().is_valid

        early = ask("why")
        if "OTEL_PYTHON_TRACER_PROVIDER" not in os.environ:
            trace.set_tracer_provider(TracerProvider())
        print(early, ask("why"))
        """,
        **named,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("True True\n" if named else "False True\n")


def test_without_any_provider_nothing_is_recorded_and_results_are_the_same() -> None:
    """The state of most test suites and scripts."""

    @trace_rag
    def ask(question: str) -> str:
        return question.upper()

    assert ask("why") == "WHY"


def test_long_texts_are_cut_and_marked(record: Callable[..., Recording]) -> None:
    """Each limit, and each mark."""
    recording = record(limits=Limits(attribute_bytes=500, document_bytes=50, documents=3))

    @trace_retriever
    def search(query: str) -> list[str]:
        return [f"{index} " + "é" * 100 for index in range(10)]

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        return "a" * 501

    ask("q" * 501)
    retrieval, root = recording.spans()
    found = documents(retrieval["attributes"])
    assert [len(str(document["content"]).encode()) for document in found] == [50, 50, 50]
    assert all(document["truncated"] is True for document in found)
    assert retrieval["attributes"]["ragvigil.documents.total"] == 10
    assert retrieval["attributes"]["ragvigil.content.truncated"] == [
        "gen_ai.retrieval.query.text",
        "gen_ai.retrieval.documents",
    ]
    assert len(str(root["attributes"]["input.value"])) == len(str(root["attributes"]["output.value"])) == 500
    assert root["attributes"]["ragvigil.content.truncated"] == ["input.value", "output.value"]


def test_a_hundred_thousand_documents_cost_one_bounded_attribute(recording: Recording) -> None:
    """Only the first hundred are looked at."""
    many: list[dict[str, object]] = [{"id": index, "text": "passage " * 1000} for index in range(100_000)]

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        return many

    assert search("why") is many
    attributes = recording.attributes()
    assert len(str(attributes["gen_ai.retrieval.documents"])) <= 262_144
    assert len(documents(attributes)) == 100
    assert attributes["ragvigil.documents.total"] == 100_000


def test_a_long_stream_is_kept_up_to_the_limit(record: Callable[..., Recording]) -> None:
    """The consumer gets all of it; the span says that it has less."""
    recording = record(limits=Limits(attribute_bytes=1_000))

    @trace_generator
    def write(question: str) -> Iterator[str]:
        for _ in range(100):
            yield '"' * 100

    assert sum(map(len, write("why"))) == 10_000
    attributes = recording.attributes()
    message = str(attributes["gen_ai.output.messages"])
    assert len(message) <= 1_000
    assert len(json.loads(message)[0]["parts"][0]["content"]) > 400
    assert attributes["ragvigil.content.truncated"] == ["gen_ai.output.messages"]


def test_a_limit_below_one_is_refused_by_name() -> None:
    """A limit of nothing would look like content switched off."""
    with pytest.raises(ValueError, match=r"limits\.documents must be at least 1"):
        Limits(documents=0)


NOWHERE = trace.SpanContext(1, 1, is_remote=False)

passages = st.builds(
    Passage,
    id=st.none() | st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace").decode()),
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    text=st.none() | st.text(max_size=200),
    metadata=st.none()
    | st.dictionaries(st.text(max_size=5), st.text(max_size=50) | st.floats(), max_size=3).map(
        lambda given: Copy().of(given)
    ),
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(passages, max_size=12), st.integers(2, 600), st.integers(1, 100), st.booleans(), st.booleans()
)
def test_documents_are_valid_json_within_the_limit_whatever_they_hold(
    found: list[Passage], attribute: int, document: int, content: bool, spread: bool
) -> None:
    """Every combination of texts, quotes, control characters and limits; as OTLP they are no larger than said."""
    limits = Limits(attribute_bytes=attribute, document_bytes=document)
    room = 4 * attribute
    attributes, kept, cut, _ = write_documents(
        found, content=content, spread=content and spread, limits=limits, room=room
    )
    text = str(attributes["gen_ai.retrieval.documents"])
    rows = json.loads(text)
    assert all(len(value.encode()) <= attribute for value in attributes.values() if isinstance(value, str))
    (resource,) = encode_spans([ReadableSpan("", NOWHERE, attributes=attributes)]).resource_spans
    span = resource.scope_spans[0].spans[0]
    assert sum(1 + len(entry.SerializeToString()) for entry in span.attributes) <= encoded_attributes(
        attributes
    )
    assert not kept or encoded_attributes(attributes) <= room
    assert len(rows) == kept <= len(found)
    assert kept == len(found) or cut
    assert all(set(row) <= {"id", "score"} for row in rows) or (content and not spread)


@pytest.mark.parametrize("name", ["RAGVIGIL_DISABLED", "OTEL_SDK_DISABLED"])
def test_switched_off_the_global_provider_gets_nothing(
    global_spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Not from blocks and records either, nor from what was decorated before; the environment is read once."""
    monkeypatch.setattr(destination, "_refused", None)

    @trace_rag
    def ask(question: str) -> None:
        record_retry(TimeoutError())

    monkeypatch.setenv(name, "1")
    for _ in range(2):
        with rag_span("q") as request, generator_span("q") as written:
            written.piece("a")
            request.result("a")
        ask("q")
        assert request.trace_id is None
        assert record_request("q", "a", documents=["d"]) is None
        assert record_retrieval("q", ["d"]) is None
        assert record_generation("q", "a") is None
        assert not record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", thumbs_up=True)
        monkeypatch.delenv(name, raising=False)
    assert global_spans.get_finished_spans() == ()
    destination.use(None)
    assert record_generation("q", "a") is not None
