"""One question that a model split: it plans, workers search and answer a part each, and a model concludes.

Questions of a batch look alike: only where the plan says what each worker asks, and what they answered is shown to
a later model, or the span above returns an answer, are they parts of one question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step

_ASKING = frozenset[Role]({"chain", "retriever", "reranker"})
_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_WORKING = _SEARCHING | {"generator"}
_MOST = 100
"""Steps side by side that are compared with each other."""
_LEAST_QUESTION = 4
"""Characters of a question that stands in a plan by no chance."""


def plan_of(top: Step | None, level: Sequence[Step]) -> Step | None:
    """The model call that planned what the steps below `top` did; None where they are no parts of one question."""
    if not 3 <= len(level) <= _MOST:
        return None
    models = sorted(_answering(level), key=lambda step: (step.span.start, step.span.span_id))
    if not 3 <= len(models) <= _MOST:
        return None
    plan = models[0]
    workers = _workers(plan, level)
    if len({question for _, question in workers}) < 2 or not _is_planned(plan, workers):
        return None
    if top is not None and top.role == "chain" and top.reading.answer is not None:
        return plan
    return plan if _concludes(models, [step for step, _ in workers]) else None


def question_of(plan: Step, top: Step | None) -> str | None:
    """What the plan is for: what a chain around the call asks, else the last user message of its prompt."""
    for above in plan.ancestors():
        if above is top:
            break
        if above.role == "chain" and above.reading.query is not None:
            return above.reading.query
    prompt = last_of(plan.reading.messages, "user")
    return question_in(prompt) if prompt else None


def _answering(level: Sequence[Step]) -> Iterator[Step]:
    for step in level:
        for below in step.subtree():
            if below.role == "generator" and below.reading.answer and "evaluator" not in below.roles_above:
                yield below


def _workers(plan: Step, level: Sequence[Step]) -> list[tuple[Step, str]]:
    """The steps behind the plan that search, or ask and answer, each with its question; "" where it tells none."""
    behind = [step for step in level if step.span.start >= plan.span.end]
    asked = [(step, _question(step)) for step in behind if not step.roles_within.isdisjoint(_WORKING)]
    return [
        (step, question)
        for step, question in asked
        if question or not step.roles_within.isdisjoint(_SEARCHING)
    ]


def _question(step: Step) -> str:
    queries = (below.reading.query for below in step.subtree() if below.role in _ASKING)
    return next((query.strip() for query in queries if query), "")


def _is_planned(plan: Step, workers: Sequence[tuple[Step, str]]) -> bool:
    """Whether the plan says what each of those that search asks."""
    said = (plan.reading.answer or "").casefold()
    asked = [question for step, question in workers if not step.roles_within.isdisjoint(_SEARCHING)]
    asked = asked or [question for _, question in workers]
    return all(
        len(question) >= _LEAST_QUESTION and question.casefold().rstrip("?. ") in said for question in asked
    )


def _concludes(models: Sequence[Step], workers: Sequence[Step]) -> bool:
    """Whether a model behind all workers was shown what two of those between it and the plan answered."""
    for place, model in enumerate(models):
        answers = {(each.reading.answer or "").strip() for each in models[1:place]}
        ended = max(step.span.end for step in workers)
        if (
            len(answers) > 1
            and model.span.start >= ended
            and not any(_holds(step, model) for step in workers)
        ):
            shown = "\n".join(message.text or "" for message in model.reading.messages)
            if sum(bool(answer) and answer in shown for answer in answers) > 1:
                return True
    return False


def _holds(step: Step, below: Step) -> bool:
    return step is below or step in below.ancestors()
