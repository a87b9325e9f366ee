"""Agents that are a model's tool: what one of them said is no answer to the user where that model then replied."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step

TOOLS = frozenset[Role]({"tool", "retriever", "reranker"})


def of_callers(answering: list[Step], every: Sequence[Step]) -> list[Step]:
    """Those of the model calls that answered, without what agents said to the model whose tool they are.

    That model called something before the tool ran, and was told last what a tool found when it replied. An agent whose
    words end the trace, as those of a tool that returns directly, may have answered the user. `every`: all model calls.
    """
    inner = [step for step in answering if not TOOLS.isdisjoint(step.roles_above)]
    if not inner:
        return answering  # as nearly always
    outer = [step for step in every if TOOLS.isdisjoint(step.roles_above)]
    called = min((step.span.end for step in outer if step.reading.answer is None), default=None)
    told = max(
        (step.span.start for step in outer if step.reading.answer is not None and _was_told(step)),
        default=None,
    )
    if called is None or told is None:
        return answering
    part = {step for step in inner if _ran_between(step, called, told)}
    return [step for step in answering if step not in part]


def _ran_between(step: Step, called: int, told: int) -> bool:
    """Whether the outermost tool around a call ran from the one moment to the other, at most."""
    tool = [above for above in step.ancestors() if above.role in TOOLS][-1]
    return called <= tool.span.start and tool.span.end <= told


def _was_told(step: Step) -> bool:
    """Whether what a tool found is the last that the model was sent."""
    messages = step.reading.messages
    return len(messages) > 1 and (messages[-1].role == "tool" or messages[-1].text is None)
