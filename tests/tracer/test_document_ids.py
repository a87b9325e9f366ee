"""What is a document's id and what its text: without content only ids leave, so a text must never pass for one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util._once import Once

from ragvigil.tracer import trace_reranker, trace_retriever
from ragvigil.tracer._documents import Passage, read_documents

PASSAGE = "Our patient Ana Souza has diabetes."
DOUBTFUL = ["id: str"]


class Printed:
    """Prints the text that it holds, as many documents do."""

    def __str__(self) -> str:
        return PASSAGE


@pytest.mark.parametrize(
    ("document", "passage", "odd"),
    [
        ((PASSAGE, "chart.pdf"), Passage("chart.pdf", None, PASSAGE), []),
        ([PASSAGE, "chart.pdf", 0.5], Passage("chart.pdf", 0.5, PASSAGE), []),
        ((PASSAGE, "Chart of the second floor."), Passage(None, None, PASSAGE), DOUBTFUL),
        (("Chart", PASSAGE), Passage("Chart", None, PASSAGE), []),
        (("Refund policy", PASSAGE), Passage(None, None, PASSAGE), DOUBTFUL),
        (("患者有糖尿病", "chart-7"), Passage("chart-7", None, "患者有糖尿病"), []),
        (("prontuário", PASSAGE), Passage("prontuário", None, PASSAGE), []),
        (("d-1", {"text": PASSAGE}, 0.5), Passage("d-1", 0.5, PASSAGE), []),
        ((PASSAGE, SimpleNamespace(text="Ice")), Passage(None, None, "Ice"), DOUBTFUL),
        ({"key": PASSAGE, "score": 0.5, "text": "Ice"}, Passage(None, 0.5, "Ice"), DOUBTFUL),
        ({"key": "d-1", "text": "Ice"}, Passage("d-1", None, "Ice"), []),
        ({"id": PASSAGE, "text": PASSAGE}, Passage(None, None, PASSAGE), DOUBTFUL),
        ({"id": "Ana Souza has diabetes", "text": "Ice"}, Passage(None, None, "Ice"), DOUBTFUL),
        ({"id": "line\nline", "text": PASSAGE}, Passage(None, None, PASSAGE), DOUBTFUL),
        ({"id": "Refund policy", "text": PASSAGE}, Passage("Refund policy", None, PASSAGE), []),
        ({"id": Printed(), "text": "Ice"}, Passage(None, None, "Ice"), ["id: Printed"]),
        (
            {"text": PASSAGE, "metadata": {"id": PASSAGE}},
            Passage(None, None, PASSAGE, {"id": PASSAGE}),
            DOUBTFUL,
        ),
    ],
)
def test_the_id_is_what_looks_like_one(document: object, passage: Passage, odd: list[str]) -> None:
    """Where neither of a pair does, there is none, and the span says so."""
    for _ in range(2):  # mappings with the same keys as an earlier one are read in a shorter way
        reading = read_documents([document, document], at_most=10)
        assert reading.passages == [passage, passage]
        assert list(reading.odd) == odd


@pytest.mark.parametrize(
    "result",
    [
        [(PASSAGE, "chart.pdf")],
        [(PASSAGE, "The chart of the second floor.")],
        [{"key": PASSAGE}],
        [{"id": Printed()}],
        [{"id": PASSAGE}],
        [[PASSAGE, PASSAGE]],
        [{"id": 1, "text": [PASSAGE], "metadata": PASSAGE, "score": PASSAGE}],
    ],
)
def test_without_configure_no_passage_leaves_as_an_id(
    monkeypatch: pytest.MonkeyPatch, result: list[object]
) -> None:
    """The service's own provider, which may send anywhere, gets ids."""
    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    trace.set_tracer_provider(provider)

    @trace_retriever
    def search(query: str) -> list[object]:
        return result

    @trace_reranker
    def rerank(query: str, documents: list[object]) -> list[object]:
        return documents

    rerank("q", search("q"))
    spans = memory.get_finished_spans()
    assert len(spans) == 2
    assert not any(part in span.to_json() for span in spans for part in ("Souza", "diabetes", "second floor"))
