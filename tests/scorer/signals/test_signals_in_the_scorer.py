"""Signals as strata of a running scorer's sample."""

from __future__ import annotations

from contextlib import closing

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.conftest import Serve
from tests.scorer.test_serve import export, settled

from ragvigil.scorer.store.reading import open_for_reading

FIRST = "How do I reset the boiler after a power cut?"
AGAIN = "After a power cut, how does one reset the boiler?"
OTHER = "Which filter fits the kitchen hood?"


def asked(conversation: str, question: str) -> list[ReadableSpan]:
    """One question of a conversation, answered without retrieval."""
    memory = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "shop"}))
    provider.add_span_processor(SimpleSpanProcessor(memory))
    with provider.get_tracer("their-app").start_as_current_span("rag") as root:
        root.set_attributes(
            {
                "openinference.span.kind": "CHAIN",
                "session.id": conversation,
                "input.value": question,
                "output.value": "Hold the red button for five seconds.",
            }
        )
    provider.shutdown()
    return list(memory.get_finished_spans())


def test_a_question_that_is_asked_again_is_in_a_stratum_of_its_own(serve: Serve) -> None:
    """A follow-up is not: only what was wanted makes strata."""
    scorer = serve(environment={"RAGVIGIL_SAMPLE__SIGNALS": '["rephrasing"]'})
    address = f"http://{scorer.http}/v1/traces"
    for number in range(6):
        export(OTLPSpanExporter(address), asked(f"c{number}", FIRST))
    settled(scorer, 6)
    second = {number: asked(f"c{number}", AGAIN if number < 4 else OTHER) for number in range(6)}
    for spans in second.values():
        export(OTLPSpanExporter(address), spans)
    settled(scorer, 12)
    with closing(open_for_reading(scorer.store)) as connection:
        strata = {row[0]: row[1] for row in connection.execute("SELECT trace_id, stratum FROM ledger")}
    context = {number: spans[0].context for number, spans in second.items()}
    again = {f"{one.trace_id:032x}" for number, one in context.items() if one is not None and number < 4}
    assert {trace for trace, stratum in strata.items() if "rephrasing" in stratum} == again
    assert scorer.stop() == 0
