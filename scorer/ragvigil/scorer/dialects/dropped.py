"""Spans that lost what they were: SDKs throw the oldest attributes away first, and the kind is often the oldest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.dialects.searches import is_cut
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import ANSWER_KEYS, HIDDEN, is_placeholder, kind_of

_KNOWN = (
    *("retrieval.documents.", "reranker.", "llm.", "input.value", "output.value", "openinference."),
    *("gen_ai.", "ai.", "langfuse.", "mlflow.", "langsmith.", "traceloop.", "haystack.", "pydantic_ai."),
    *("langwatch.", "genkit:", "mirascope.", "honeyhive", "judgment.", "netra.", "agentops.", "fi."),
)
"""How the attributes begin that dialects read: a span with one of them was theirs."""
_TELLING = ("gen_ai.", "db.query.result")
"""How events begin that hold what was said or found; those of a stream's pieces and of exceptions do not."""
_JUDGING = "gen_ai.evaluation."
"""How events begin that say nothing of what was said or found."""
_WHOLE = (
    ("gen_ai.input.messages", "gen_ai.output.messages"),
    ("llm.input_messages.0.message.role", "llm.output_messages.0.message.role"),
)
"""Attributes that tell both sides of a model's call: what events repeat beside them is not missed."""
_OUT_OF_TOKENS = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
)
"""Why a model stops in the midst of JSON."""
_WIDEST_GAP = 50
_SAYING = re.compile(
    r"(?!.*(?:arguments|variables|parameters))"
    r".*(?:message|input|output|completion|answer|events|response\.(?:text|object)|prompt\.\d)",
    re.IGNORECASE,
)
"""Names of attributes in which a conversation stands, or what a step was given or returned."""
_REPLYING = re.compile(
    r"(?!.*(?:(?:response|reply)[._](?:model|id)|mime_type)\Z).*(?:output|completion|response|result|choice|answer|repl(?:y|ies))",
    re.IGNORECASE,
)
"""Names of attributes and events that tell something of what came back, if only that a tool is called."""
_MARK = longest_first(HIDDEN)
_SAID = "|".join((*ANSWER_KEYS, "message", "contents", "parts", "thinking"))
_HIDDEN_WITHIN = re.compile(rf'(?:"(?:{_SAID})"\s*:\s*(?:\[\s*)?|\A\s*(?:\[\s*)?)"(?:{_MARK})"')
"""A mark under a key of a text, or alone: that of a setting, such as a key of an interface, hides nothing said."""


def lost_content(step: Step) -> bool:
    """Whether the sender dropped attributes or events of a step that some dialect reads, or would have read, or whoever
    passed them on took out some of its passages.

    What an HTTP client or a database dropped is nobody's question.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> left = {"retrieval.documents.8.document.content": "Snow."}
    >>> step = Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, left, dropped_attributes=34), Reading(), None)
    >>> lost_content(step)
    True
    """
    span = step.span
    if (span.events or span.dropped_events) and _lost_events(step):
        return True
    if not span.dropped_attributes:
        return step.role == "retriever" and _has_gap(step)
    return step.dialect is not None or any(name.startswith(_KNOWN) for name in span.attributes)


def broken_off(steps: Sequence[Step]) -> Step | None:
    """The step with JSON that breaks off, where no step has a longer text: SDKs cut at a limit, and do not say so.

    A model may end in the midst of JSON itself, and of a tool's words its reader says whether they are missed.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> def step(**told: object) -> Step:
    ...     return Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, told), Reading(), "otel_genai")
    >>> broken_off([step(sent='[{"role": "user", "co')]) is None, broken_off([step(sent='[{"role": "user"}]')])
    (False, None)
    """
    longest, found = 0, list[tuple[str, Step]]()
    for step in steps:
        if step.dialect is None:
            continue
        for told in (step.span.attributes, *(event.attributes for event in step.span.events)):
            for value in told.values():
                if isinstance(value, str) and len(value) >= longest:
                    found = found if len(value) == longest else []
                    longest = len(value)
                    found.append((value, step))
    broken = next((step for text, step in found if step.role != "tool" and is_cut(text)), None)
    if broken is None or any(kind_of(step.reading.finish_reason) in _OUT_OF_TOKENS for step in steps):
        return None
    return broken


def _lost_events(step: Step) -> bool:
    """Whether one of its events that tell something was dropped, or a part of one; where none is left, of a model's
    call whose attributes do not tell what it was sent, or of a tool's that tell no result.
    """
    told, events = step.span.attributes, step.span.events
    if any(all(name in told for name in both) for both in _WHOLE):
        return False
    telling = [
        each for each in events if each.name.startswith(_TELLING) and not each.name.startswith(_JUDGING)
    ]
    if any(event.dropped_attributes for event in telling):
        return True
    silent = (step.role == "generator" and not step.reading.messages) or (
        step.role == "tool" and "gen_ai.operation.name" in told and "gen_ai.tool.call.result" not in told
    )
    return step.span.dropped_events > 0 and (bool(telling) or (silent and not events))


def _has_gap(step: Step) -> bool:
    """Whether a passage is missing between others, by the numbers in the names of their attributes."""
    count = len(step.reading.documents or ())
    if count < 1 or _is_told(step, count - 1) or not _is_told(step, 0):
        return False  # as nearly always; those that stand in the output alone are no gap
    return any(_is_told(step, number) for number in range(count, count + _WIDEST_GAP))


def _is_told(step: Step, number: int) -> bool:
    prefix = f"retrieval.documents.{number}.document."
    return any(f"{prefix}{field}" in step.span.attributes for field in ("content", "id", "score", "metadata"))


def hides(step: Step) -> bool:
    """Whether a text that the step was given or returned was taken out whole, and a mark stands in its place.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> said = {"gen_ai.output.messages": '[{"role": "assistant", "content": "[REDACTED]"}]'}
    >>> hides(Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, said), Reading(), None))
    True
    >>> kept = {"llm.invocation_parameters": '{"api_key": "[REDACTED]"}'}
    >>> hides(Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, kept), Reading(), None))
    False
    """
    said = (
        value
        for name, value in step.span.attributes.items()
        if isinstance(value, str) and _SAYING.match(name) is not None
    )
    return any(text in HIDDEN or _HIDDEN_WITHIN.search(text) is not None for text in said)


def tells_no_reply(step: Step) -> bool:
    """Whether a model call that did not fail says nothing at all of what came back.

    It had an answer or called a tool, or was cancelled; of a stream, some tracers print nothing but the object.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> said = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": "[]"}
    >>> tells_no_reply(Step(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, said), Reading(), None))
    True
    """
    if step.failed or step.reading.tokens.output is not None:
        return False
    told = (name for name, value in step.span.attributes.items() if not is_placeholder(value))
    return not any(map(_REPLYING.match, (*told, *(event.name for event in step.span.events))))
