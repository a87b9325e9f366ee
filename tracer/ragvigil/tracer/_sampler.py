"""Keeps every RAG span, whatever the service's own sampling, and says so to whom weighs by probabilities."""

from __future__ import annotations

from collections.abc import Sequence

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState, get_current_span
from opentelemetry.util.types import Attributes


class EverySpan(Sampler):
    """Samples everything; an inherited ``ot=th:…`` becomes ``th:0``, the threshold of a sampler that keeps all."""

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
        if state and "th:" in (ours := state.get("ot") or ""):
            fields = [field for field in ours.split(";") if not field.startswith("th:")]
            state = state.update("ot", ";".join(["th:0", *fields]))
        return SamplingResult(Decision.RECORD_AND_SAMPLE, attributes, state) if state or attributes else _KEPT

    def get_description(self) -> str:
        """The name under which a provider shows it."""
        return "RagvigilEverySpan"


_KEPT = SamplingResult(Decision.RECORD_AND_SAMPLE)
"""The result for nearly every span: nothing of it changes."""

EVERY_SPAN = EverySpan()
"""The one sampler that our own provider needs."""
