"""Lists of passages that a call returned, of which only their shape says that it searched: some are an answer in JSON.

A list is an answer where a model of the trace gave it as one, save where it holds nothing but passages that the call
was given; and where the call that stands above all others found something else in a search of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.arguments import settle_questions
from ragvigil.scorer.dialects.documents import same
from ragvigil.scorer.dialects.openai_agents import hang_agents
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.step import Step, gather, link
from ragvigil.scorer.dialects.twins import united
from ragvigil.scorer.dialects.values import structure_of
from ragvigil.scorer.trace import Document

_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_FENCED = re.compile(r"\s*```[a-z]{0,10}\s*\n(?P<inside>.*)\n\s*```\s*", re.DOTALL)
_MOST = 50
"""Passages of a call, and of the searches in it, that are compared with each other."""


def forest_of(steps: Sequence[Step]) -> list[Step]:
    """The steps, ordered by start, as a forest; its roots. Each call in it searched or answered, and is told once."""
    roots = link(steps)
    hang_agents(steps, roots)
    _hand_down(steps)
    _settle(steps, roots)
    settle_questions(steps)
    return united(steps, roots)


def _hand_down(steps: Sequence[Step]) -> None:
    """A model call that does not say what it was sent was sent what the step around it says, as Mastra's."""
    for step in [step for step in steps if step.role == "generator" and not step.reading.messages]:
        around = step.parent
        if around is not None and around.role == "other" and around.reading.messages:
            step.reading = replace(step.reading, messages=around.reading.messages)


def _settle(steps: Sequence[Step], roots: Sequence[Step]) -> None:
    """Say of each call that returned passages whether it searched or answered; `roots` are those of the steps."""
    open_ = [step for step in steps if step.reading.otherwise is not None]
    if not open_:
        return  # as nearly always
    telling = sum(step.role != "other" for step in steps)
    silent = all(step.role != "generator" for step in steps)
    said = {_plain(step.reading.answer) for step in steps if step.role == "generator" and step.reading.answer}
    tops = [step for step in open_ if "chain" not in step.roles_above and not step.reading.declared]
    said |= {_returned(step) for step in tops if _found_else(step)}
    for step in open_:
        if step.reading.declared:
            answered = _is_pipeline(step, telling, silent=silent)
        else:
            answered = _returned(step) in said and not _chose(step)
        if answered and step.reading.otherwise is not None:
            step.reading = step.reading.otherwise
            step.role = step.reading.role or "other"
    for root in roots:
        gather(root)


def _is_pipeline(step: Step, telling: int, *, silent: bool) -> bool:
    """Whether what is declared a search answered in words: a model in it said them, or it is all that tells anything.

    Where no model is told, what is around it may have said them, too; else that may repeat an extract.
    """
    returned, found = _returned(step), step.reading.documents or ()
    within = list(step.subtree())
    if any(each.role == "generator" and _plain(each.reading.answer or "") == returned for each in within):
        return True
    otherwise = step.reading.otherwise
    beside = otherwise is not None and otherwise.documents is not None
    if not beside and [_plain(each.text or "") for each in found] != [returned]:
        return False
    alone = sum(each.role != "other" for each in within) == telling
    return alone or (
        silent and any(_plain(each.reading.answer or "") == returned for each in step.ancestors())
    )


def _returned(step: Step) -> str:
    otherwise = step.reading.otherwise or Reading()
    return _plain(otherwise.answer or "")


def _plain(answer: str) -> str:
    """An answer without the fence around it, and its JSON written in one way."""
    fenced = _FENCED.fullmatch(answer)
    text = fenced["inside"] if fenced else answer
    structure = structure_of(text)
    return text.strip() if structure is None else json.dumps(structure, sort_keys=True)


def _chose(step: Step) -> bool:
    """Whether all that it returned are passages that it was given: a model may say which of them are left."""
    taken = (step.reading.input_documents or ())[:_MOST]
    own = (step.reading.documents or ())[:_MOST]
    return bool(taken) and all(any(same(one, other) for other in taken) for one in own)


def _found_else(step: Step) -> bool:
    """Whether searches in it found passages, of which it returned none."""
    returned = _returned(step)
    searches = (below for below in step.subtree() if below is not step and below.role in _SEARCHING)
    found = [
        each for below in searches if _returned(below) != returned for each in below.reading.documents or ()
    ]
    own = (step.reading.documents or ())[:_MOST]
    return bool(found) and not _shares(own, found[:_MOST])


def _shares(some: Iterable[Document], others: Sequence[Document]) -> bool:
    """Whether one of some is, or holds, one of the others: what was found may be a part of what is shown for it."""
    return any(
        same(one, other) or (other.text or "\n") in (one.text or "") for one in some for other in others
    )
