"""How often the service keeps a request reaches the scorer, by whichever sampler."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_ON,
    Decision,
    ParentBased,
    Sampler,
    SamplingResult,
    TraceIdRatioBased,
)
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, TraceState

from ragvigil.tracer import trace_rag
from ragvigil.tracer._sampling import threshold_probability

from .conftest import Recording

SERVICE = "ragvigil.service.sampling_probability"
OURS = "ragvigil.sampling.probability"


@trace_rag
def ask(question: str) -> str:
    """A request."""
    return "so"


class Custom(Sampler):
    """A sampler of the service's own, with the SDK's words inside of its description."""

    sampling_probability: object = 0.25

    def should_sample(
        self, parent_context: Context | None, trace_id: int, name: str, *args: Any, **kwargs: Any
    ) -> SamplingResult:
        """Keep all."""
        return SamplingResult(Decision.RECORD_AND_SAMPLE)

    def get_description(self) -> str:
        """Two ratios, of which none is the probability."""
        return "ByPath{/a:TraceIdRatioBased{0.5},/b:TraceIdRatioBased{0.1}}"


class Silent(Custom):
    """One that tells nothing."""

    sampling_probability = None


class Asked(Custom):
    """One that changes its mind."""

    def __init__(self) -> None:
        self.sampling_probability = lambda: 0.125


def remote(state: str = "") -> NonRecordingSpan:
    """The span of the service that called."""
    entries = [("ot", state)] if state else []
    return NonRecordingSpan(SpanContext(1, 2, True, TraceFlags(1), TraceState(entries)))


def consistent(ratio: float) -> Sampler:
    """A consistent probability sampler, which newer SDKs have."""
    experimental = pytest.importorskip("opentelemetry.sdk.trace._sampling_experimental")
    made: Sampler = experimental.composite_sampler(experimental.composable_traceid_ratio_based(ratio))
    return made


@pytest.mark.parametrize(
    ("sampler", "probability"),
    [
        (TraceIdRatioBased(0.01), 0.01),
        (ParentBased(TraceIdRatioBased(0.01)), 0.01),
        (ParentBased(ALWAYS_ON), None),
        (TraceIdRatioBased(1.0), None),
        (Custom(), 0.25),
        (Asked(), 0.125),
        (Silent(), None),
    ],
)
def test_the_samplers_probability_is_passed_on(
    record: Callable[..., Recording],
    service: Callable[[Sampler], InMemorySpanExporter],
    sampler: Sampler,
    probability: float | None,
) -> None:
    """As it describes itself, or as the service's own sampler tells; of several ratios none is guessed."""
    service(sampler)
    recording = record()
    ask("why")
    assert recording.attributes().get(SERVICE) == probability


def test_a_consistent_samplers_probability_is_passed_on(
    record: Callable[..., Recording], service: Callable[[Sampler], InMemorySpanExporter]
) -> None:
    """By its description where it kept nothing, by its threshold where it kept the span around."""
    service(consistent(0.25))
    recording = record()
    ask("why")
    tracer = trace.get_tracer("service")
    for _ in range(40):
        with tracer.start_as_current_span("POST /ask"):
            ask("why")
    assert {span["attributes"].get(SERVICE) for span in recording.spans()} == {0.25}


@pytest.mark.parametrize(
    ("state", "probability"), [("th:c", 0.25), ("rv:1;th:8", 0.5), ("th:0", None), ("", None)]
)
def test_a_request_from_elsewhere_was_sampled_there(
    record: Callable[..., Recording],
    service: Callable[[Sampler], InMemorySpanExporter],
    state: str,
    probability: float | None,
) -> None:
    """Our own ratio says nothing about it: what the sender says is true, and nothing is better than a guess."""
    service(ParentBased(TraceIdRatioBased(0.01)))
    recording = record()
    with trace.use_span(remote(state)):
        ask("why")
        with trace.get_tracer("service").start_as_current_span("POST /ask"):
            ask("why")
    assert [span["attributes"].get(SERVICE) for span in recording.spans()] == [probability] * 2


def test_through_the_services_provider_the_threshold_of_the_span_counts(
    service: Callable[[Sampler], InMemorySpanExporter],
) -> None:
    """Without configure(): who counts these spans must weigh them; by what a Collector may lower, and by that alone."""
    theirs = service(consistent(0.5))
    for _ in range(64):
        ask("why")
    spans = theirs.get_finished_spans()
    assert 0 < len(spans) < 64
    assert {threshold_probability(span.context.trace_state) for span in spans if span.context} == {0.5}
    assert [span.name for span in spans if OURS in (span.attributes or {})] == []


@pytest.mark.parametrize(("told", "attribute"), [(0.5, None), (0.25, 0.25)])
def test_what_the_service_tells_is_not_said_beside_a_threshold_that_says_it(
    record: Callable[..., Recording],
    service: Callable[[Sampler], InMemorySpanExporter],
    told: float,
    attribute: float | None,
) -> None:
    """It would count twice: behind a Collector that keeps as much, the scorer takes both for two samplers."""
    theirs = service(consistent(0.5))
    record(content_to="all", sampling_probability=told)
    for _ in range(64):
        ask("why")
    roots = [span for span in theirs.get_finished_spans() if span.name.startswith("invoke_workflow")]
    assert roots
    assert all(dict(span.attributes or {}).get(OURS) == attribute for span in roots)


@pytest.mark.parametrize(
    ("sampler", "parent", "probability"),
    [
        (ALWAYS_ON, None, 1.0),
        (ParentBased(ALWAYS_ON), None, 1.0),
        (ParentBased(ALWAYS_ON), "", None),
        (ParentBased(ALWAYS_ON), "th:8", None),
        (TraceIdRatioBased(1.0), None, 1.0),
        (Silent(), None, None),
    ],
)
def test_through_the_services_provider_a_sampler_that_keeps_all_is_known(
    service: Callable[[Sampler], InMemorySpanExporter],
    sampler: Sampler,
    parent: str | None,
    probability: float | None,
) -> None:
    """Each page beside it told of unknown upstream sampling; what began elsewhere may have been sampled there."""
    theirs = service(sampler)
    with trace.use_span(remote(parent)) if parent is not None else nullcontext():
        ask("why")
    (span,) = (each for each in theirs.get_finished_spans() if each.name.startswith("invoke_workflow"))
    assert dict(span.attributes or {}).get(OURS) == probability


def unknown() -> float:
    """A hook that fails."""
    raise LookupError("no such rule")


@pytest.mark.parametrize(
    ("told", "probability"),
    [
        (0.2, 0.2),
        (lambda: 0.3, 0.3),
        (lambda: None, None),
        (unknown, None),
        (1.0, None),
        (7.0, None),
        ("x", None),
    ],
)
def test_the_service_can_tell_the_probability_itself(
    record: Callable[..., Recording],
    service: Callable[[Sampler], InMemorySpanExporter],
    told: Any,
    probability: float | None,
) -> None:
    """A number, or a function that is asked for each request; it never breaks one."""
    service(TraceIdRatioBased(0.01))
    recording = record(sampling_probability=told)
    assert ask("why") == "so"
    assert recording.attributes().get(SERVICE) == probability


def test_our_spans_say_that_all_are_kept(
    record: Callable[..., Recording], service: Callable[[Sampler], InMemorySpanExporter]
) -> None:
    """Every page about a service with our own tracer said that upstream sampling is unknown."""
    service(TraceIdRatioBased(0.01))
    recording = record()
    ask("why")
    with trace.use_span(remote("rv:1;th:8")):
        ask("why")
    with trace.use_span(remote()):
        ask("why")
    states = [span.context.trace_state.get("ot") for span in recording.raw() if span.context]
    assert states == ["th:0", "th:0;rv:1", "th:0"]
