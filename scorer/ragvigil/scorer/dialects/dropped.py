"""Spans that lost what they were: SDKs throw the oldest attributes away first, and the kind is often the oldest."""

from __future__ import annotations

from functools import lru_cache

from ragvigil.scorer.dialects.flattened import numbers_of
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import HIDDEN

_KNOWN = (
    *("retrieval.documents.", "reranker.", "llm.", "input.value", "output.value", "openinference."),
    *("gen_ai.", "ai.", "langfuse.", "mlflow.", "langsmith.", "traceloop.", "haystack.", "pydantic_ai."),
)
"""How the attributes begin that dialects read: a span with one of them was theirs."""
_MOST_NAMES = 500
"""Attributes of a span whose numbers are looked at."""


def lost_content(step: Step) -> bool:
    """Whether the sender dropped attributes of a step that some dialect reads, or would have read, or whoever passed
    them on took out some of its passages.

    What an HTTP client or a database dropped is nobody's question.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> left = {"retrieval.documents.8.document.content": "Snow."}
    >>> step = Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, left, dropped_attributes=34), Reading(), None)
    >>> lost_content(step)
    True
    """
    if not step.span.dropped_attributes:
        names = step.span.attributes if step.role == "retriever" else ()
        return 0 < len(names) <= _MOST_NAMES and _has_gap(tuple(names))
    return step.dialect is not None or any(name.startswith(_KNOWN) for name in step.span.attributes)


@lru_cache(maxsize=512)
def _has_gap(names: tuple[str, ...]) -> bool:
    """Whether a passage is missing between others, by their numbers; kept, for spans of one kind are named alike."""
    told = numbers_of(names, "retrieval.documents.")
    return bool(told) and told[-1] - told[0] >= len(told)


def hides(step: Step) -> bool:
    """Whether a text of the step was taken out whole, and a mark stands in its place.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> said = {"gen_ai.output.messages": '[{"role": "assistant", "content": "[REDACTED]"}]'}
    >>> hides(Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, said), Reading(), None))
    True
    """
    texts = [value for value in step.span.attributes.values() if isinstance(value, str)]
    return any(text in HIDDEN or any(f'"{mark}"' in text for mark in HIDDEN) for text in texts)
