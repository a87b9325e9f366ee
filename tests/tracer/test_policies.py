"""Content policies per service, call and request; attribute limits; OpenInference."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from ragvigil.tracer import configure, context, trace_generator, trace_rag, trace_retriever
from ragvigil.tracer._runtime import destination

from .conftest import Recording, documents

SECRET = "Write to ana@example.org"


@trace_retriever
def search(query: str) -> list[dict[str, object]]:
    """Three passages with a secret."""
    return [
        {"id": f"p{index}", "text": f"{SECRET} {index}", "score": 0.5, "metadata": {"by": SECRET}}
        for index in (1, 2, 3)
    ]


@trace_generator(model="m")
def write(question: str) -> str:
    """An answer that cites two retrieved passages and two that were not."""
    return f"{SECRET} [p1][2] [p9] [7]"


@trace_rag
def ask(question: str) -> str:
    """A request."""
    search(question)
    return write(question)


def test_ids_only_leaves_ids_scores_and_what_is_cited(record: Callable[..., Recording]) -> None:
    """The citation check works without a text."""
    recording = record(content="ids_only")
    ask(SECRET)
    retrieval, generation, root = (span["attributes"] for span in recording.spans())
    assert "ana" not in json.dumps(recording.spans())
    assert documents(retrieval) == [{"id": f"p{index}", "score": 0.5} for index in (1, 2, 3)]
    for answered in (generation, root):
        assert answered["ragvigil.citations.ids"] == ["p1", "p2"]
        assert answered["ragvigil.citations.unknown"] == ["p9", "7"]
    assert {span["ragvigil.content"] for span in (retrieval, generation, root)} == {"off"}


def test_ids_only_counts_unknown_words_and_sends_none(record: Callable[..., Recording]) -> None:
    """Such a word may be any word of the answer."""

    @trace_retriever
    def look_up(question: str) -> list[tuple[str, str]]:
        return [("annual-leave", "28 days."), ("parental-leave", "14 months.")]

    @trace_rag
    def answer(question: str) -> str:
        look_up(question)
        return "You have 28 days [annual-leave] [sick-pay]; overtime is paid [merger-of-ana]."

    recording = record(content="ids_only")
    answer("How many?")
    root = recording.spans()[-1]["attributes"]
    assert root["ragvigil.citations.ids"] == ["annual-leave"]
    assert root["ragvigil.citations.unknown"] == ["(unnamed 1)", "(unnamed 2)"]
    assert "sick-pay" not in json.dumps(recording.spans())
    assert "merger" not in json.dumps(recording.spans())


def test_redacted_content_is_clean_everywhere_and_says_so(record: Callable[..., Recording]) -> None:
    """Questions, passages, metadata and answers; the service's own rule comes after the built-in ones."""

    def own_rule(text: str) -> str:
        return text.replace("Write", "Speak")

    recording = record(content="redacted", redact=own_rule)
    ask(SECRET)
    retrieval, generation, root = (span["attributes"] for span in recording.spans())
    assert "ana@" not in json.dumps(recording.spans())
    assert documents(retrieval)[0]["content"] == "Speak to <EMAIL> 1"
    assert documents(retrieval)[0]["metadata"] == {"by": "Speak to <EMAIL>"}
    assert root["input.value"] == "Speak to <EMAIL>"
    assert "Speak to <EMAIL> [p1]" in str(generation["gen_ai.output.messages"])
    assert {span["ragvigil.content"] for span in (retrieval, generation, root)} == {"redacted"}


@pytest.mark.parametrize("failure", [LookupError, SystemExit])
def test_a_failing_redactor_lets_no_text_out(
    record: Callable[..., Recording], caplog: pytest.LogCaptureFixture, failure: type[BaseException]
) -> None:
    """Closed, not open; one log line; the span says it. A model's loader may want to exit: the sender lives on."""

    def broken(text: str) -> str:
        raise failure("no model")

    recording = record(content="redacted", redact=broken)
    ask(SECRET)
    spans = recording.spans()
    assert "ana" not in json.dumps(spans)
    assert all(
        span["attributes"]["ragvigil.unreadable"] == [f"redaction: {failure.__name__}"] for span in spans
    )
    assert len(caplog.records) == 1


def test_an_error_says_its_words_only_where_content_is_full(record: Callable[..., Recording]) -> None:
    """A message may quote the user."""
    recording = record(content="redacted")

    @trace_rag
    def fail(question: str) -> str:
        raise ValueError(question)

    with pytest.raises(ValueError, match="ana"):
        fail(SECRET)
    assert recording.span()["status"] == ("ERROR", None)


def test_the_strictest_of_service_call_and_request_wins(record: Callable[..., Recording]) -> None:
    """A call may ask for less, never for more."""
    recording = record(content="redacted")

    @trace_retriever(content="ids_only")
    def private(query: str) -> list[str]:
        return [SECRET]

    @trace_retriever(content="full")
    def open_(query: str) -> list[str]:
        return [SECRET]

    @trace_rag(content="ids_only")
    def quiet(question: str) -> str:
        open_(question)
        return SECRET

    private("q")
    open_("q")
    quiet("q")
    with context(content="ids_only"):
        open_("q")
    marks = [span["attributes"]["ragvigil.content"] for span in recording.spans()]
    assert marks == ["off", "redacted", "off", "off", "off"]


def test_an_unknown_policy_turns_tracing_off_and_names_the_choices(caplog: pytest.LogCaptureFixture) -> None:
    """A typo must not send texts, and must not stop the service."""
    assert configure(content="ids").provider is None  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType] - the typo under test
    assert "content='ids' is none of full, redacted, ids_only" in caplog.text


def test_an_unknown_policy_of_a_call_lets_no_text_out(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """The call is still recorded, the result is the same, and the log names the choices."""
    misspelt: Any = "redact"

    @trace_rag(content=misspelt)
    def answer(question: str) -> str:
        return SECRET

    assert answer(SECRET) == SECRET
    with context(content=misspelt):
        assert ask(SECRET)
    spans = recording.spans()
    assert [span["attributes"]["ragvigil.content"] for span in spans] == ["off"] * 4
    assert SECRET not in str(spans)
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == "ragvigil: only ids are recorded: content='redact' is none of full, redacted, ids_only"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., InMemorySpanExporter]]:
    """Sets a global provider of the service's own."""
    providers: list[TracerProvider] = []

    def start(limits: SpanLimits | None = None, *, probability: float = 1.0) -> InMemorySpanExporter:
        exporter = InMemorySpanExporter()
        sampler = ParentBased(TraceIdRatioBased(probability))
        provider = TracerProvider(span_limits=limits, sampler=sampler, shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        providers.append(provider)
        monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
        monkeypatch.setattr(destination, "_borrowed", None)
        return exporter

    yield start
    for provider in providers:
        provider.shutdown()


def test_content_goes_to_ragvigil_alone_unless_told_otherwise(
    record: Callable[..., Recording], service: Callable[..., InMemorySpanExporter]
) -> None:
    """The service's own backend must not get passages by our decorators."""
    theirs = service()
    recording = record()
    ask(SECRET)
    assert len(recording.spans()) == 3
    assert theirs.get_finished_spans() == ()


def test_content_to_all_sends_the_same_spans_to_the_services_own_backend(
    record: Callable[..., Recording], service: Callable[..., InMemorySpanExporter]
) -> None:
    """Ours gets them from its provider, and nothing that is not ours."""
    theirs = service()
    recording = record(content_to="all")
    with trace.get_tracer_provider().get_tracer("service").start_as_current_span("POST /ask"):
        ask(SECRET)
    assert [span["name"] for span in recording.spans()] == ["retrieval", "chat m", "invoke_workflow ask"]
    assert [span.name for span in theirs.get_finished_spans()][-1] == "POST /ask"
    assert SECRET in str(theirs.get_finished_spans()[0].attributes)


def test_who_was_shut_down_loses_nothing_that_others_deliver(
    record: Callable[..., Recording],
    service: Callable[..., InMemorySpanExporter],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The service's provider goes on telling the old delivery of spans, which the new one sends."""
    service()
    earlier = record(content_to="all").tracing
    recording = record(content_to="all", hash_user_id=True)
    ask(SECRET)
    assert len(recording.spans()) == 3
    assert earlier.dropped_spans == 0
    assert caplog.records == []


def test_what_matters_is_never_evicted_and_nothing_is_logged(
    service: Callable[..., InMemorySpanExporter], caplog: pytest.LogCaptureFixture
) -> None:
    """With room for six attributes the segment goes first, counted."""
    theirs = service(SpanLimits(max_span_attributes=6))
    with context(segment={f"d{index}": "x" for index in range(10)}):
        search("why")
    (span,) = theirs.get_finished_spans()
    kept = dict(span.attributes or {})
    assert {"gen_ai.operation.name", "openinference.span.kind", "gen_ai.retrieval.documents"} <= set(kept)
    assert kept["ragvigil.attributes.dropped"] == 10  # the segment's, and that all requests are recorded
    assert len(kept) == 6
    assert caplog.records == []


def test_a_value_limit_given_in_code_does_not_break_the_documents(
    service: Callable[..., InMemorySpanExporter], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK would cut the JSON in the middle."""
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")
    theirs = service(SpanLimits(max_span_attribute_length=150))
    search("why")
    (span,) = theirs.get_finished_spans()
    assert all(document["truncated"] for document in documents(dict(span.attributes or {})))


def test_the_services_sampling_probability_is_passed_on(
    record: Callable[..., Recording], service: Callable[..., InMemorySpanExporter]
) -> None:
    """All our spans are kept, and their root says how often the service keeps its own."""
    service(probability=0.01)
    recording = record()
    for _ in range(20):
        ask("why")
    roots = [span["attributes"] for span in recording.spans() if span["parent"] is None]
    assert [root["ragvigil.service.sampling_probability"] for root in roots] == [0.01] * 20


def test_on_a_sampled_provider_the_root_says_its_probability(
    service: Callable[..., InMemorySpanExporter],
) -> None:
    """Whoever counts these spans must weigh them."""
    theirs = service(probability=0.5)
    for _ in range(64):
        ask("why")
    roots = [span for span in theirs.get_finished_spans() if span.parent is None]
    assert 0 < len(roots) < 64
    told = [dict(span.attributes or {})["ragvigil.sampling.probability"] for span in roots]
    assert told == [0.5] * len(roots)


def test_openinference_spreads_documents_and_messages(record: Callable[..., Recording]) -> None:
    """For viewers that know nothing else; the JSON then has ids and scores alone."""
    recording = record(openinference=True)
    ask("why")
    retrieval, generation, _ = (span["attributes"] for span in recording.spans())
    assert documents(retrieval)[0] == {"id": "p1", "score": 0.5}
    assert retrieval["retrieval.documents.0.document.content"] == f"{SECRET} 1"
    assert retrieval["retrieval.documents.2.document.id"] == "p3"
    assert generation["llm.output_messages.0.message.content"] == write("why")
    assert generation["llm.input_messages.0.message.role"] == "user"
