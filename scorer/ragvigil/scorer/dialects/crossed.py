"""Questions asked at the same time below one span that says nothing: whose a search is, only its words tell.

Steps of one question look alike: a model rewrites it, sums passages up, or judges the answer. So questions are crossed
only where no model saw what another was asked or answered, and each was searched for, was shown passages, or failed.
A search is of the question that it looked for, else of the one whose model was shown all that it found; one of which
neither is known, or that tells another question's passages, makes every record of them incomplete.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ragvigil.scorer.dialects.batches import Asked, shows
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step

_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_ASKING = frozenset[Role]({"chain", "retriever", "reranker", "tool"})
_MOST = 30
"""Questions compared with each other."""
_MOST_STEPS = 2_000


class Crossed(NamedTuple):
    """Steps side by side, by the question that they are of."""

    questions: list[list[Step]]
    mixed: bool
    """Whether one of their searches may be of any of them: it is in none then."""


def crossed_of(top: Step | None, level: Sequence[Step]) -> Crossed | None:
    """The questions that were asked at the same time among the steps below `top`; None where there are not several."""
    models = [step for step in level if "generator" in step.roles_within and step.role != "evaluator"]
    if len(models) < 2 and not (models and any(map(_is_failed_question, level))):
        return None  # as nearly always
    if top is not None and (top.reading.query or top.reading.answer or top.reading.redacted):
        return None
    found = _apart(level) if len(level) <= _MOST_STEPS else {}
    if len(found) < 2:
        return None
    held = {step for steps, _ in found.values() for step in steps}
    loose = False
    for step in level:
        if step in held:
            continue
        if (owner := _owner(step, found)) is not None:
            found[owner][0].append(step)
        elif not step.roles_within.isdisjoint(_SEARCHING) or any(_texts(step)):
            loose = True
    groups = [steps for steps, _ in found.values()]
    asked = [steps for steps in groups if _is_evidenced(steps)]
    if len(asked) < 2:
        return None
    for steps in groups:
        if steps not in asked:
            _add(steps, asked)
    return Crossed([sorted(steps, key=_order) for steps in asked], loose)


_Groups = dict[str, tuple[list[Step], list[Asked]]]
"""By question, the steps that asked a model or failed before they did, and what they say."""


def _apart(level: Sequence[Step]) -> _Groups:
    """The questions of models that know nothing of each other; {} where one does."""
    groups: _Groups = {}
    for step in level:
        if step.role == "evaluator":
            continue
        answered = any(
            each.role == "generator" and each.reading.answer is not None for each in step.subtree()
        )
        if not answered and not _is_failed_question(step):
            continue
        asked = Asked(step, bare=True)
        if asked.question is None:
            return {}
        steps, said = groups.setdefault(asked.question, ([], []))
        steps.append(step)
        said.append(asked)
        if len(groups) > _MOST:
            return {}
    sides = [said for _, said in groups.values()]
    pairs = (
        pair for one, other in itertools.combinations(sides, 2) for pair in itertools.product(one, other)
    )
    return groups if all(one.is_apart_from(other) for one, other in pairs) else {}


def _is_failed_question(step: Step) -> bool:
    return step.role == "chain" and step.failed and step.reading.query is not None and not step.reading.answer


def _owner(step: Step, groups: _Groups) -> str | None:
    """The question that the step is of; None where nothing tells, or two things tell different ones."""
    asked = {
        each.reading.query.strip() for each in step.subtree() if each.role in _ASKING and each.reading.query
    }
    looked = [question for question in groups if question in asked]
    texts = [*_texts(step)]
    shown = [
        question
        for question, (_, said) in groups.items()
        if texts and all(any(text in prompt for one in said for prompt in one.shown) for text in texts)
    ]
    if looked:
        return looked[0] if len(looked) == 1 and (not shown or looked[0] in shown) else None
    if texts:
        return shown[0] if len(shown) == 1 else None
    answer = (step.reading.answer or "").strip()
    given = [question for question, (_, said) in groups.items() if any(answer in one.said for one in said)]
    return given[0] if answer and len(given) == 1 else None


def _add(steps: Sequence[Step], groups: Sequence[list[Step]]) -> None:
    """Add what was asked without passages, as a greeting, to the first question that was answered behind it, if any."""
    end = max(step.span.end for step in steps)
    later = [(ended, place) for place, each in enumerate(groups) if (ended := _answered_at(each)) > end]
    if later:
        groups[min(later)[1]].extend(steps)


def _answered_at(steps: Iterable[Step]) -> int:
    return max((step.span.end for step in steps if "generator" in step.roles_within), default=0)


def _texts(step: Step) -> Iterable[str]:
    found = (document.text for each in step.subtree() for document in each.reading.documents or ())
    return (text.strip() for text in found if text and text.strip())


def _is_evidenced(steps: Sequence[Step]) -> bool:
    """Whether a question was searched for, failed before its answer, or showed passages to a model."""
    return any(
        not step.roles_within.isdisjoint(_SEARCHING) or _is_failed_question(step) or shows(step, bare=True)
        for step in steps
    )


def _order(step: Step) -> tuple[int, str]:
    return step.span.start, step.span.span_id
