"""Why the model stopped, wherever the conventions and vendors put it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from ragvigil.scorer.dialects.flattened import indexed
from ragvigil.scorer.dialects.genai_messages import told_in
from ragvigil.scorer.dialects.values import first_text, mapping_of, sequence_of, text_of
from ragvigil.scorer.span import SpanEvent

_LISTS = ("gen_ai.response.finish_reasons", "llm.response.finish_reasons")
_TEXTS = (
    "ai.response.finishReason",
    "llm.finish_reason",
    "llm.response.finish_reason",
    "llm.response.stop_reason",
)

_NOT_TOLD = "unknown"
"""What our tracer writes where it was not told: the convention demands a reason in every answer."""


def finish_reason_in(attributes: Mapping[str, object], events: Sequence[SpanEvent] = ()) -> str | None:
    """The reason as the sender writes it; of several choices the last.

    >>> finish_reason_in({"gen_ai.response.finish_reasons": ["length"]})
    'length'
    >>> finish_reason_in({"gen_ai.output.messages": '[{"role": "assistant", "finish_reason": "stop"}]'})
    'stop'
    """
    for key in _LISTS:
        told = _last(attributes.get(key))
        if told is not None:
            return told
    told = first_text(attributes, *_TEXTS)
    if told is not None:
        return told
    messages: list[object] = sequence_of(attributes.get("gen_ai.output.messages"))
    messages += [told_in(event) for event in events if event.name == "gen_ai.choice"]
    messages += indexed(attributes, "gen_ai.completion.")
    reasons = (text_of(mapping_of(message).get("finish_reason")) for message in reversed(messages))
    return next((reason for reason in reasons if reason and reason != _NOT_TOLD), None)


def _last(value: object) -> str | None:
    """Of a list, in memory or as JSON, the last text; else the text itself."""
    several: list[object] = sequence_of(value)
    if isinstance(value, (list, tuple)):
        several = list(cast("Sequence[object]", value))
    elif not several:
        return text_of(value)
    return next((text for one in reversed(several) if (text := text_of(one))), None)
