"""What a model called in its reply; searches called at the end, of which nothing tells what came of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tool_turns import turns_of
from ragvigil.scorer.dialects.tools import is_search
from ragvigil.scorer.dialects.values import mapping_of, sequence_of, text_of

_ENDING = re.compile(r"(?:finishreason\.)?(?:tool_?(?:calls?|use)|function_?calls?)", re.IGNORECASE)
"""Why a model stopped that called a tool, as providers say it."""
_NAME = re.compile(r".*(?:output|completion).*call.*\bname")
"""Attributes that name what a reply calls."""
_ACTING = frozenset[Role]({"tool", "retriever", "reranker", "generator"})


def called_in_vain(model: Step, steps: Iterable[Step]) -> bool:
    """Whether the last reply of all called a search, and no step tells that it ran.

    A call of anything else may be what an application asked for, and so may one with which a model says it is done.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> said = '[{"role": "assistant", "parts": [{"type": "tool_call", "name": "find_docs", "arguments": {}}]}]'
    >>> reading = Reading(role="generator", finish_reason="tool_calls", exchange=(None, said))
    >>> model = Step(Span("0" * 32, "1" * 16, None, "chat", 1, 0, 1, {}), reading, None)
    >>> called_in_vain(model, [model])
    True
    """
    reading = model.reading
    if reading.finish_reason is not None and not _ENDING.fullmatch(reading.finish_reason):
        return False
    if any(step.role in _ACTING and step.span.start >= model.span.end for step in steps if step is not model):
        return False
    return any(map(is_search, _names(model)))


def calls(model: Step) -> bool:
    """Whether the reply of the model calls anything."""
    return any(True for _ in _names(model))


def _names(model: Step) -> Iterable[str]:
    return (*_names_in(model), *_names_told(model))


def _names_in(model: Step) -> Iterable[str]:
    reply = model.reading.exchange[1] if len(model.reading.exchange) > 1 else None
    return (turn.name for turn in turns_of(_said_in(reply)) if turn.kind == "called" and turn.name)


def _said_in(reply: object) -> object:
    """The messages or parts within what a provider sent back.

    >>> _said_in({"choices": [{"message": {"role": "assistant"}}]}), _said_in({"output": [{"type": "function_call"}]})
    ([{'role': 'assistant'}], [{'type': 'function_call'}])
    """
    fields = mapping_of(reply)
    said = [mapping_of(choice).get("message") for choice in sequence_of(fields.get("choices"))]
    said += [mapping_of(candidate).get("content") for candidate in sequence_of(fields.get("candidates"))]
    return said or sequence_of(fields.get("output")) or reply


def _names_told(model: Step) -> Iterable[str]:
    named = (value for key, value in model.span.attributes.items() if _NAME.fullmatch(key))
    return (name for value in named if (name := text_of(value)))
