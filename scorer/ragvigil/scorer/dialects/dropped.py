"""Spans that lost what they were: SDKs throw the oldest attributes away first, and the kind is often the oldest."""

from __future__ import annotations

from ragvigil.scorer.dialects.step import Step

_KNOWN = (
    *("retrieval.documents.", "reranker.", "llm.", "input.value", "output.value", "openinference."),
    *("gen_ai.", "ai.", "langfuse.", "mlflow.", "langsmith.", "traceloop.", "haystack.", "pydantic_ai."),
)
"""How the attributes begin that dialects read: a span with one of them was theirs."""


def lost_content(step: Step) -> bool:
    """Whether the sender dropped attributes of a step that some dialect reads, or would have read.

    What an HTTP client or a database dropped is nobody's question.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> left = {"retrieval.documents.8.document.content": "Snow."}
    >>> step = Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, left, dropped_attributes=34), Reading(), None)
    >>> lost_content(step)
    True
    """
    if not step.span.dropped_attributes:
        return False
    return step.dialect is not None or any(name.startswith(_KNOWN) for name in step.span.attributes)
