"""What a service sets so that its spans carry questions, passages and answers."""

from __future__ import annotations

from collections.abc import Iterable

from ragvigil.scorer.dialects import anthropic_client
from ragvigil.scorer.dialects.step import Step

_SETTINGS = {
    "ragvigil": 'content="full" or "redacted" in ragvigil.tracer.configure',
    "openinference": "OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and the like unset, hide_* of TraceConfig",
    "langfuse": "capture_input and capture_output of @observe",
    "mlflow": "MLFLOW_ENABLE_OTEL_GENAI_SEMCONV unset, for its translation drops what searches and streams returned",
    "langsmith": "LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS unset",
    "openllmetry": "TRACELOOP_TRACE_CONTENT=true",
    "haystack": "HAYSTACK_CONTENT_TRACING_ENABLED=true",
    "vercel_ai": "recordInputs and recordOutputs of the call's telemetry",
    "mastra": "hideInput and hideOutput of tracingOptions unset",
    "pydantic_ai": "include_content=True in InstrumentationSettings",
    "otel_genai": "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY, or true for older instrumentations",
    "anthropic": "ANTHROPIC_OPEN_TELEMETRY_TRACES_CONTENT_MODE=content, or ANTHROPIC_OPEN_TELEMETRY=false where another"
    " library traces this client",
}
_BESIDE = "otel_genai"
_AI_SDK_7 = "gen_ai"
"""The scope of version 7 of the AI SDK, which writes GenAI conventions and is switched by its own options."""


def content_settings(steps: Iterable[Step]) -> tuple[str, ...]:
    """What switches content on for whoever made these steps; GenAI conventions only where nobody else made any.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> made = Span("0" * 32, "1" * 16, None, "ask", 1, 1, 9, {})
    >>> content_settings([Step(made, Reading(), "openllmetry"), Step(made, Reading(), "otel_genai")])
    ('TRACELOOP_TRACE_CONTENT=true',)
    """
    makers = dict.fromkeys(_maker(step) for step in steps)
    known = [name for name in makers if name in _SETTINGS]
    told = [name for name in known if name != _BESIDE] or known
    return tuple(_SETTINGS[name] for name in told)


def _maker(step: Step) -> str | None:
    if step.dialect != _BESIDE:
        return step.dialect
    if step.span.scope.startswith(anthropic_client.SCOPE):
        return "anthropic"
    return "vercel_ai" if step.span.scope == _AI_SDK_7 else step.dialect
