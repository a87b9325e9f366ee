"""Questions that stand side by side: retrieve, chat, retrieve, chat under one span that says nothing.

Agents look alike: they search several times for one answer. So only rounds that each end in an answer, follow
one another in time and ask different questions are questions of their own; everything else stays one.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.prompt import question_in
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step

_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_MOST = 100
"""Questions compared with each other."""

_Round = tuple[Step, ...]


def rounds_of(top: Step | None, level: Sequence[Step]) -> list[_Round]:
    """The rounds among the steps below `top`, ordered by start; none when they are one question."""
    if top is not None and (top.reading.query or top.reading.answer or top.reading.redacted):
        return []
    rounds = _split(level)
    if not 1 < len(rounds) <= _MOST or not all(map(_is_answered, rounds)):
        return []
    in_turn = all(_end(one) <= _search_start(other) for one, other in itertools.pairwise(rounds))
    return rounds if in_turn and _differ(rounds) else []


def _split(level: Sequence[Step]) -> list[_Round]:
    """A search after an answer begins a round, with what came between them and was no generation."""
    rounds: list[_Round] = []
    current: list[Step] = []
    answered, searched = 0, False
    for step in level:
        if _searches(step):
            if searched and answered:
                rounds.append(tuple(current[:answered]))
                current, answered = current[answered:], 0
            searched = True
        current.append(step)
        if searched and _generates(step):
            answered = len(current)
    return [*rounds, tuple(current)] if current else rounds


def _searches(step: Step) -> bool:
    return step.role != "evaluator" and not step.roles_within.isdisjoint(_SEARCHING)


def _generates(step: Step) -> bool:
    return step.role != "evaluator" and "generator" in step.roles_within


def _generations(steps: _Round) -> list[Step]:
    return [
        below
        for step in steps
        if _generates(step)
        for below in step.subtree()
        if below.role == "generator" and below.reading.answer is not None
    ]


def _is_answered(steps: _Round) -> bool:
    return any(map(_searches, steps)) and bool(_generations(steps))


def _end(steps: _Round) -> int:
    return max(step.span.end for step in _generations(steps))


def _search_start(steps: _Round) -> int:
    return min(step.span.start for step in steps if _searches(step))


def _differ(rounds: Sequence[_Round]) -> bool:
    """Whether each asks a question that no other prompt repeats: an agent's notes repeat the one it has."""
    prompts = [_prompt(each) for each in rounds]
    asked = [question_in(prompt).strip() if prompt else None for prompt in prompts]
    return all(
        one is not None and prompt is not None and one not in prompt
        for place, one in enumerate(asked)
        for other, prompt in enumerate(prompts)
        if other != place
    )


def _prompt(steps: _Round) -> str | None:
    """The last user message of the last generation; what was searched for when no message tells."""
    told = (last_of(step.reading.messages, "user") for step in reversed(_generations(steps)))
    prompt = next((text for text in told if text), None)
    if prompt is not None:
        return prompt
    queries = (below.reading.query for step in steps if _searches(step) for below in step.subtree())
    return next((query for query in queries if query), None)
