"""What a request says of itself after its first spans were sent."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import spans_of
from ragvigil.tracer import configure, context, trace_generator, trace_rag, trace_retriever


def test_facts_on_the_root_alone_are_those_of_the_record() -> None:
    """The retrieval and the generation were on their way before anybody knew who asked."""
    exporter = InMemorySpanExporter()
    tracing = configure(service_name="docs", exporter=exporter)

    @trace_retriever
    def search(query: str) -> list[tuple[str, str]]:
        return [("p1", "Tides follow the moon.")]

    @trace_generator
    def write(question: str) -> str:
        return "They follow the moon [p1]."

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        answer = write(question)
        assert tracing.flush()
        context(
            conversation_id="c-1",
            user_id="ana",
            prompt_version="v3",
            language="pt",
            experiment="B",
            segment={"tenant": "acme"},
            cached=True,
        )
        return answer

    ask("tides?")
    tracing.shutdown()
    (record,) = read_records(spans_of(encode_spans(exporter.get_finished_spans()).SerializeToString()))
    assert (record.conversation_id, record.user_id, record.prompt_version) == ("c-1", "ana", "v3")
    assert dict(record.segment) == {"language": "pt", "experiment": "B", "tenant": "acme", "cached": "true"}


def test_odd_metadata_is_no_missing_evidence() -> None:
    """Nobody judges by it: the texts are all there."""
    exporter = InMemorySpanExporter()
    tracing = configure(service_name="docs", exporter=exporter)

    @trace_retriever
    def search(query: str) -> list[dict[str, object]]:
        return [{"id": "p1", "text": "Tides follow the moon.", "metadata": {"handle": object()}}]

    @trace_generator
    def write(question: str) -> str:
        return "They follow the moon [p1]."

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        return write(question)

    ask("tides?")
    tracing.shutdown()
    spans = spans_of(encode_spans(exporter.get_finished_spans()).SerializeToString())
    assert any("ragvigil.unreadable" in span.attributes for span in spans)
    (record,) = read_records(spans)
    assert record.completeness == "complete"
