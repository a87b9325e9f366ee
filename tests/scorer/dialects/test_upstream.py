"""What the sender's sampler left out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from opentelemetry import trace as otel
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, TraceState

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.upstream import threshold_probability
from ragvigil.scorer.span import Span, spans_of
from ragvigil.tracer import configure, trace_generator, trace_rag

from .conftest import only, trace


def sampled(trace_state: str, scope: str = "app") -> list[Span]:
    """The hand-made trace as a sampler with that `tracestate` kept it."""
    return [replace(span, trace_state=trace_state, scope=scope) for span in trace()]


@pytest.mark.parametrize(
    ("trace_state", "probability"),
    [
        ("ot=th:0", 1.0),
        ("ot=th:8", 0.5),
        ("ot=th:c", 0.25),
        ("ot=th:ffffffffffffff", 2.0**-56),
        ("vendor=x, ot=rv:0123456789abcd;th:8 ", 0.5),
        ("", None),
        ("ot=rv:0123456789abcd", None),
        ("ot=th:", None),
        ("ot=th:G", None),
        ("ot=th:8;th:c", None),
        ("ot=th:000000000000000", None),
        ("not=th:8", None),
        ("=,;:,ot", None),
    ],
)
def test_a_threshold_is_a_probability_and_anything_else_is_unknown(
    trace_state: str, probability: float | None
) -> None:
    """Never guessed."""
    assert threshold_probability(trace_state) == probability
    assert only(sampled(trace_state)).upstream_probability == probability


def test_the_span_that_is_kept_most_often_counts() -> None:
    """A question is counted when its chain comes, though the service's sampler drops half of the rest."""
    request, chain, retrieval, generation = sampled("ot=th:8")
    chain = replace(chain, trace_state="ot=th:0")
    assert only([request, chain, retrieval, generation]).upstream_probability == 1.0
    assert only([replace(request, trace_state="ot=th:0"), retrieval, generation]).upstream_probability == 0.5


def test_our_tracer_exports_all_under_a_sampled_parent_and_says_so() -> None:
    """For real: the service's sampler drops half of such parents, and no span of ours."""
    exporter = InMemorySpanExporter()
    tracing = configure(service_name="docs", exporter=exporter)

    @trace_generator(model="tiny")
    def generate(question: str) -> str:
        return f"About {question}"

    @trace_rag
    def ask(question: str) -> str:
        return generate(question)

    parent = SpanContext(1, 2, True, TraceFlags(0), TraceState([("ot", "th:8")]))
    with otel.use_span(NonRecordingSpan(parent)):
        ask("tides")
    tracing.shutdown()
    spans = spans_of(encode_spans(exporter.get_finished_spans()).SerializeToString())
    (record,) = read_records(spans)
    assert record.answer == "About tides"
    assert record.upstream_probability == 1.0


def test_our_tracer_through_the_services_provider_has_the_rate_of_its_sampler() -> None:
    """Its spans are kept with the service's others."""
    spans = [replace(span, scope="ragvigil") for span in sampled("ot=th:c")]
    ours = [replace(span, attributes={"gen_ai.operation.name": "chat"}) for span in spans[-1:]]
    assert only(ours).upstream_probability == 0.25


@pytest.mark.parametrize(
    ("trace_state", "said", "probability"),
    [
        ("", 1.0, 1.0),
        ("", 0.5, 0.5),
        ("ot=th:c", 1.0, 0.25),
        ("ot=th:c", 0.5, 0.125),
        ("ot=th:c", 0.25, 0.0625),
        ("ot=th:0", 1.0, 1.0),
        ("ot=th:0", None, 1.0),
        ("ot=th:c", None, 0.25),
    ],
)
def test_a_collectors_sampler_behind_that_of_the_service_counts_once_and_so_does_that(
    trace_state: str, said: float | None, probability: float
) -> None:
    """Our tracer tells of a sampler that leaves no threshold, and the Collector writes one of its own on every span."""
    told = {} if said is None else {"ragvigil.sampling.probability": said}
    operations = ("invoke_workflow", "retrieval", "chat")
    spans = [
        replace(
            span, attributes={"gen_ai.operation.name": operation, **(told if span.parent_id is None else {})}
        )
        for operation, span in zip(operations, sampled(trace_state, "ragvigil"), strict=False)
    ]
    assert only(spans).upstream_probability == probability


@pytest.mark.parametrize(
    ("attributes", "probability"),
    [
        ({"logfire.sample_rate": 0.5}, 0.5),
        ({"jaeger.sampler.type": "probabilistic", "jaeger.sampler.param": 0.5}, 0.5),
        ({"_MS.sampleRate": 50}, 0.5),
        ({"SampleRate": 2}, None),
        ({"sampling.probability": 0.5}, None),
        ({"SampleRate": 4}, 0.125),
    ],
)
def test_an_attribute_that_says_the_same_as_our_tracer_may_be_of_the_same_sampler(
    attributes: dict[str, object], probability: float | None
) -> None:
    """It is where only the service's SDK writes it; else it is said that there was one, and the rate is unknown."""
    told = {"gen_ai.operation.name": "chat", "ragvigil.sampling.probability": 0.5, **attributes}
    record = only([replace(trace()[-1], attributes=told, scope="ragvigil")])
    assert record.upstream_probability == probability
    assert record.upstream_sampler == (None if probability else "one that keeps 0.5, or two that do")


@pytest.mark.parametrize(
    ("attributes", "probability"),
    [
        ({"SampleRate": 20}, 0.05),
        ({"sampleRate": 4.0}, 0.25),
        ({"sampler.type": "probabilistic", "sampler.param": 0.1}, 0.1),
        ({"jaeger.sampler.type": "const", "jaeger.sampler.param": True}, 1.0),
        ({"sampling.probability": 0.5}, 0.5),
        ({"logfire.sample_rate": 0.2}, 0.2),
        ({"microsoft.sample_rate": 12.5}, 0.125),
        ({"_MS.sampleRate": 50}, 0.5),
        ({"SampleRate": 0}, None),
        ({"SampleRate": "20"}, None),
        ({"sampling.probability": 1.5}, None),
        ({"sampler.type": "ratelimiting", "sampler.param": 2.0}, None),
    ],
)
def test_vendors_rates_are_read_wherever_they_stand(
    attributes: dict[str, object], probability: float | None
) -> None:
    """On the request above the question, as Jaeger writes them, or on its spans, as Honeycomb does."""
    request, *others = trace()
    above = replace(request, attributes={**request.attributes, **attributes})
    assert only([above, *others]).upstream_probability == probability
    spans = [replace(span, attributes={**span.attributes, **attributes}) for span in trace()]
    assert only(spans).upstream_probability == probability


def test_of_two_rates_on_one_span_the_smaller_counts() -> None:
    """A sampler behind another one knows of it, and writes the product."""
    spans = [replace(span, attributes={**span.attributes, "SampleRate": 8}) for span in sampled("ot=th:8")]
    assert only(spans).upstream_probability == 0.125


def test_a_sampler_without_a_rate_is_named() -> None:
    """The Collector's tail sampler writes its policy on the scope; some write it on the span."""
    wire = TracesData()
    scope = wire.resource_spans.add().scope_spans.add()
    scope.scope.attributes.add(key="tailsampling.policy").value.string_value = "keep-errors"
    span = scope.spans.add(trace_id=b"a" * 16, span_id=b"b" * 8, trace_state="ot=th:8", name="ask")
    span.attributes.add(key="openinference.span.kind").value.string_value = "CHAIN"
    span.attributes.add(key="input.value").value.string_value = "Why?"
    record = only(spans_of(wire.SerializeToString()))
    assert (record.upstream_probability, record.upstream_sampler) == (0.5, "tail sampling policy keep-errors")
    limited = {"sampler.type": "ratelimiting", "sampler.param": 2.0}
    record = only([replace(span, attributes={**span.attributes, **limited}) for span in trace()])
    assert (record.upstream_probability, record.upstream_sampler) == (None, "Jaeger's ratelimiting sampler")
    assert only(trace()).upstream_sampler is None
