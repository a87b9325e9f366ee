"""From all spans of a trace to records: one span per role, tokens at the leaves, and nothing guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.step import Step

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Roles:
    """Which step was taken for which role."""

    question: Question
    root: Step | None
    """The topmost chain that knows the question or the answer; else the topmost chain."""
    generation: Step | None
    """The generation that gave the answer; the last one when none did."""

    def known(self, fact: Callable[[Step], _Value | None]) -> _Value | None:
        """The fact as the generation tells it, else the root, else the first step that does."""
        for step in (self.generation, self.root, *self.question.steps):
            if step is not None and (value := fact(step)) is not None:
                return value
        return None


def roles_of(question: Question) -> Roles:
    """One step per role."""
    root = _root(question.steps)
    return Roles(question, root, _generation(question.steps, root.reading.answer if root else None))


def query_of(roles: Roles) -> str | None:
    """The question: as the root had it, else the retriever, else the last user message, else a tool."""
    searches = [step for step in roles.question.steps if step.role in ("retriever", "reranker")]
    if roles.root is not None and roles.root.reading.query is not None:
        return roles.root.reading.query
    for step in searches:
        if step.reading.query is not None and step.reading.tool is None:
            return step.reading.query
    asking = [step for step in (roles.generation, *generations(roles)) if step is not None]
    prompt = next((text for step in asking if (text := last_of(step.reading.messages, "user"))), None)
    if prompt is not None:
        return question_in(prompt)
    return next((step.reading.query for step in searches if step.reading.query is not None), None)


def answer_of(roles: Roles) -> str | None:
    """The answer as the generator gave it, else as the root returned it."""
    if roles.generation is not None and roles.generation.reading.answer is not None:
        return roles.generation.reading.answer
    return roles.root.reading.answer if roles.root else None


def generations(roles: Roles) -> list[Step]:
    """Every generation of the question, evaluators' left out."""
    return _generators(roles.question.steps)


def leaf_sum(steps: Sequence[Step], amount: Callable[[Step], float | None]) -> float | None:
    """The sum over generations that contain no other counted one; None when none tells.

    Frameworks trace one call two or three times, one inside the other, and repeat its tokens.
    """
    telling = [step for step in _generators(steps) if amount(step) is not None]
    inner = {id(above) for step in telling for above in step.ancestors()}
    amounts = [amount(step) or 0 for step in telling if id(step) not in inner]
    return sum(amounts) if amounts else None


def _root(steps: Iterable[Step]) -> Step | None:
    """A silent chain above several that tell stands for itself: none of its parts is the whole."""
    chains = sorted((step for step in steps if step.role == "chain"), key=_place)
    telling = [step for step in chains if step.reading.query is not None or step.reading.answer is not None]
    if not telling:
        return chains[0] if chains else None
    rivals = [step for step in telling if step.depth == telling[0].depth]
    above = chains[0] in telling[0].ancestors()
    return chains[0] if above and len(rivals) > 1 else telling[0]


def _generation(steps: Sequence[Step], returned: str | None) -> Step | None:
    """Of the generations that answered, the last whose answer the root returned, else the last."""
    every = sorted(_generators(steps), key=lambda step: (step.span.end, step.span.start, step.span.span_id))
    answering = _innermost([step for step in every if step.reading.answer is not None])
    expected = (returned or "").strip()
    agreeing = [step for step in answering if (step.reading.answer or "").strip() == expected]
    return next(reversed(agreeing or answering or _innermost(every)), None)


def _generators(steps: Iterable[Step]) -> list[Step]:
    return [
        step
        for step in steps
        if step.role == "generator" and not any(above.role == "evaluator" for above in step.ancestors())
    ]


def _innermost(steps: Sequence[Step]) -> list[Step]:
    outer = {id(above) for step in steps for above in step.ancestors()}
    return [step for step in steps if id(step) not in outer]


def _place(step: Step) -> tuple[int, int, str]:
    return step.depth, step.span.start, step.span.span_id
