"""Agents that are a model's tool: what one of them said is no answer to the user where that model then replied."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step

TOOLS = frozenset[Role]({"tool", "retriever", "reranker"})
_MOST = 100
"""Calls of tools whose prompts are compared: those of one conversation all begin as its first does."""


def of_callers(answering: list[Step], every: Sequence[Step]) -> tuple[list[Step], frozenset[Step]]:
    """Those of the model calls that answered, without what agents said to the model whose tool they are.

    And those outside of tools that were told last what a tool found, none where nothing is left out. That model called
    something before the tool ran, and was told last what a tool found when it went on and replied. An agent whose words
    end the trace, as those of a tool that returns directly, may have answered the user. `every`: all model calls.
    """
    inner = [step for step in answering if not TOOLS.isdisjoint(step.roles_above)]
    if not inner:
        return answering, frozenset()  # as nearly always
    outer = [step for step in every if TOOLS.isdisjoint(step.roles_above)]
    calling = [step for step in outer if step.reading.answer is None]
    told = [step for step in outer if step.reading.answer is not None and _was_told(step)]
    called = min((step.span.end for step in calling), default=None)
    by_start = sorted(told, key=lambda step: -step.span.start)
    last = next((step.span.start for step in by_start if _goes_on(step, calling[:_MOST])), None)
    if called is None or last is None:
        return answering, frozenset()
    part = {step for step in inner if _ran_between(step, called, last)}
    return [step for step in answering if step not in part], frozenset(told if part else ())


def _goes_on(step: Step, calling: Sequence[Step]) -> bool:
    """Whether it was told all that one of the calling ones was, and more: others may be told what a tool found, too."""
    told = step.reading.messages
    return any(told[: len(each.reading.messages)] == each.reading.messages for each in calling)


def _ran_between(step: Step, called: int, told: int) -> bool:
    """Whether the outermost tool around a call ran from the one moment to the other, at most."""
    tool = [above for above in step.ancestors() if above.role in TOOLS][-1]
    return called <= tool.span.start and tool.span.end <= told


def _was_told(step: Step) -> bool:
    """Whether what a tool found is the last that the model was sent."""
    messages = step.reading.messages
    return len(messages) > 1 and messages[-1].role == "tool"
