"""Which steps of a trace belong to one question.

A chain with a query is one question with all that happens below it. Spans above it (an HTTP request, a batch)
may hold several: every subtree that retrieves and generates on its own is then a question of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragvigil.scorer.dialects.batches import LEAST_ANSWER, Asked, says_same, shows, with_others
from ragvigil.scorer.dialects.called_agents import TOOLS
from ragvigil.scorer.dialects.crossed import Crossed, crossed_of
from ragvigil.scorer.dialects.plans import plan_of
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.rounds import rounds_of
from ragvigil.scorer.dialects.step import Step

_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_TELLING = frozenset[Role]({"retriever", "reranker", "generator"})
_MOST = 30
"""Questions behind an answer that are compared with each other."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question answered once."""

    top: Step | None
    """The span above all others; None when several spans without a common parent are left."""
    steps: tuple[Step, ...]
    """All its steps, by start."""
    plan: Step | None = None
    """The model call that split it into parts; None where nothing did."""
    mixed: bool = False
    """Whether a search beside it may be its own, or that of a question that was asked at the same time."""


def questions(roots: Sequence[Step]) -> list[Question]:
    """The questions in a forest, by start; a forest without a question has none."""
    found: list[Question] = []
    waiting: list[tuple[Step, ...]] = [tuple(roots)]
    while waiting:
        path, level = _descend(waiting.pop())
        top = path[-1] if path else None
        if not _asks(top) and (plan := plan_of(top, level)):
            found.append(_question(path, level, plan))
            continue
        if strays := _strays(top, level) or _later(top, level):
            waiting += [(step,) for step in strays]
            level = [step for step in level if step not in strays]
        units = [] if _asks(top) else with_others(top, level, _complete(level))
        if _are_called(units) and _concludes(top, level, units):
            found.append(_question(path, level))
            continue
        crossed = _crossed(top, level, units)
        if crossed is not None and not crossed.mixed:
            found += [_question((), each) for each in crossed.questions]
        elif len(units) < 2 and (rounds := rounds_of(top, level)):
            found += [_question((), each) for each in rounds]
        elif crossed is not None:
            found += [replace(_question((), each), mixed=True) for each in crossed.questions]
        elif len(units) < 2 or _concludes(top, level, units):
            found.append(_question(path, level))
        else:
            waiting += _groups(level, units)
    asked = [question for question in found if any(_tells(step) for step in question.steps)]
    return sorted(asked, key=lambda question: _order(question.steps[0]))


def _descend(level: Sequence[Step]) -> tuple[list[Step], Sequence[Step]]:
    """The spans that stand alone above what branches, and what branches; nobody looks below a question."""
    path: list[Step] = []
    while len(level) == 1 and not _asks(path[-1] if path else None):
        path.append(level[0])
        level = level[0].children
    return path, level


def _asks(step: Step | None) -> bool:
    return step is not None and step.role == "chain" and step.reading.query is not None


def _tells(step: Step) -> bool:
    if step.reading.piecemeal and step.span.parent_id is None and not step.failed and not step.children:
        return False  # a part of a question: the model's call is another trace, and tells all of it
    return step.role in _TELLING or _asks(step) or (step.role == "chain" and step.reading.redacted)


def _complete(level: Sequence[Step]) -> list[Step]:
    """Those that search and generate; where no model has a span, chains that search and answer different questions."""
    searching = [step for step in level if not step.roles_within.isdisjoint(_SEARCHING)]
    if any("generator" in step.roles_within for step in level):
        return [step for step in searching if "generator" in step.roles_within]
    saying = [step for step in searching if _asks(step) and step.reading.answer is not None]
    return saying if len({step.reading.query for step in saying}) == len(saying) else []


def _strays(top: Step | None, level: Sequence[Step]) -> list[Step]:
    """Questions that only hang below another one: theirs is different, and their answer came too late for its own.

    OpenLLMetry puts what LangChain runs side by side below the first of a batch.
    """
    if top is None or not _asks(top) or not any(map(_asks, level)):
        return []
    whole = [step for step in _complete(level) if _asks(step) and step.reading.query != top.reading.query]
    own = [below for step in level if step not in whole for below in step.subtree()]
    answered = max((step.span.start for step in own if step.role == "generator"), default=None)
    if answered is None or not any(step.role in _SEARCHING for step in own):
        return []
    late = [step for step in whole if step.reading.answer is not None and step.span.end > answered]
    said = _saying(top) if late else []
    return [step for step in late if not _checks(step, top, said)]


def _saying(top: Step) -> list[Step]:
    """The models that said its answer, where that stands in another prompt by no chance, nor in theirs.

    An order may say how to refuse, to all models alike.
    """
    answer = (top.reading.answer or "").strip()
    if len(answer) < LEAST_ANSWER:
        return []
    models = (step for step in top.subtree() if step.role == "generator")
    said = [step for step in models if says_same(step.reading.answer, answer)]
    return [] if any(Asked(step, bare=False).saw(answer) for step in said) else said


def _checks(step: Step, top: Step, said: Sequence[Step]) -> bool:
    """Whether it was given the answer of the one above, which still ran: a guard that searches what is allowed."""
    if step.span.start > top.span.end or all(each.span.end > step.span.start for each in said):
        return False
    return Asked(step, bare=False).saw((top.reading.answer or "").strip())


def _later(top: Step | None, level: Sequence[Step]) -> list[Step]:
    """Questions of the same library that were asked when the one above them was answered, and its span had ended.

    Agno's instrumentation never leaves the context of a team, nor do tasks that a service leaves behind: these name an
    answer, judge it or go on with it. Another host may have another clock, and what it did was told above.
    """
    if top is None or not _asks(top) or top.reading.answer is None:
        return []
    behind = [step for step in level if step.span.start > top.span.end > 0 and _is_whole(step, top)]
    if not behind or len(behind) > _MOST:
        return []
    before = Step(top.span, top.reading, top.dialect)
    before.children = [step for step in level if step.span.start <= top.span.end]
    if not _had_answered(before):
        return []
    apart = {before: Asked(before, bare=False, whole=True)}
    for step in behind:
        asked = Asked(step, bare=False, whole=True)
        if all(asked.follows(other) for other in apart.values()):
            apart[step] = asked
    return [step for step in behind if step in apart]


def _is_whole(step: Step, top: Step) -> bool:
    """Whether a chain below another one, and of its process and library, asks, has passages and answers by itself."""
    one, other = step.span, top.span
    answered = _asks(step) and step.reading.answer is not None and "generator" in step.roles_within
    if not answered or one.scope != other.scope or one.resource != other.resource:
        return False
    return not step.roles_within.isdisjoint(_SEARCHING) or shows(step)


def _had_answered(top: Step) -> bool:
    """Whether a model said its answer before its span ended: a stream's, or one with a job behind it, ends before that.

    Where it was not told what tools answered to its models, these may have been whatever seems to have run later.
    """
    models = [step for step in top.subtree() if step.role == "generator" and step.span.start < top.span.end]
    sent = (message for step in models if not step.reading.exchange for message in step.reading.messages)
    if any(message.role == "tool" and not message.text for message in sent):
        return False
    return any(says_same(step.reading.answer, top.reading.answer) for step in models)


def _concludes(top: Step | None, level: Sequence[Step], units: Sequence[Step]) -> bool:
    """Whether a chain draws one answer from several complete parts: it generates after the last of them."""
    if top is None or top.role != "chain":
        return False
    end, parts = max(unit.span.end for unit in units), set(units)
    others = [below for step in level if step not in parts for below in step.subtree()]
    return any(step.role == "generator" and step.span.start >= end for step in others)


def _are_called(units: Sequence[Step]) -> bool:
    """Whether all of them are a model's tools with agents in them: what these were asked, no user did."""
    return bool(units) and all(unit.role in TOOLS and "generator" in unit.roles_within for unit in units)


def _crossed(top: Step | None, level: Sequence[Step], units: Sequence[Step]) -> Crossed | None:
    """The questions asked at the same time; beside complete parts only where each search is of one for certain."""
    if len(units) < 2:
        return crossed_of(top, level)
    found = crossed_of(top, level) if len(units) < len(level) else None
    return found if found and not found.mixed and len(found.questions) >= len(units) else None


def _groups(level: Sequence[Step], units: Sequence[Step]) -> list[tuple[Step, ...]]:
    """Each complete part with what happened since the part before it; what comes last goes to the last."""
    parts = set(units[:-1])
    edges = [0, *(place for place, step in enumerate(level, 1) if step in parts), len(level)]
    return [tuple(level[start:end]) for start, end in itertools.pairwise(edges)]


def _question(path: Sequence[Step], level: Sequence[Step], plan: Step | None = None) -> Question:
    steps = [*path, *(below for step in level for below in step.subtree())]
    return Question(path[-1] if path else None, tuple(sorted(steps, key=_order)), plan)


def _order(step: Step) -> tuple[int, str]:
    return step.span.start, step.span.span_id
