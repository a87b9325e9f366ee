"""Keeps every RAG span, whatever the service's own sampling, and says so to whom weighs by probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState, get_current_span
from opentelemetry.util.types import Attributes


class EverySpan(Sampler):
    """Samples everything, and says so by ``ot=th:0`` in ``tracestate``, the threshold of a sampler that keeps all.

    https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
    """

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,  # noqa: ARG002 - the SDK's signature
        name: str,  # noqa: ARG002 - the SDK's signature
        kind: SpanKind | None = None,  # noqa: ARG002 - the SDK's signature
        attributes: Attributes = None,
        links: Sequence[Link] | None = None,  # noqa: ARG002 - the SDK's signature
        trace_state: TraceState | None = None,  # noqa: ARG002 - the SDK's signature
    ) -> SamplingResult:
        """The decision to record and export."""
        state = get_current_span(parent_context).get_span_context().trace_state
        if state:
            fields = [
                field for field in (state.get("ot") or "").split(";") if field and not field.startswith("th:")
            ]
            state = state.update("ot", ";".join([_ALL, *fields]))
        elif not attributes:
            return _KEPT
        return SamplingResult(Decision.RECORD_AND_SAMPLE, attributes, state or _KEPT.trace_state)

    def get_description(self) -> str:
        """The name under which a provider shows it."""
        return "RagvigilEverySpan"


_ALL = "th:0"
_KEPT = SamplingResult(Decision.RECORD_AND_SAMPLE, trace_state=TraceState([("ot", _ALL)]))
"""The result for nearly every span: nothing of it changes."""

EVERY_SPAN = EverySpan()
"""The one sampler that our own provider needs."""
