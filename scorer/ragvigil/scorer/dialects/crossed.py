"""Questions asked at the same time below one span that says nothing: whose a search is, only its words tell.

Steps of one question look alike: a model rewrites it, sums passages up, or judges the answer. So questions are crossed
only where no model saw what another was asked or answered, none goes on with another's conversation, and each was
searched for, was shown passages, or failed. A call that was shown nothing but what another question's search found is
that one's helper. A search is of the question that it looked for, else of the one whose model was shown all that it
found; one of which neither is known, or that tells another question's passages, makes every record of them incomplete.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragvigil.scorer.dialects.batches import Asked, alike, shows
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import structure_of

_SEARCHING = frozenset[Role]({"retriever", "reranker"})
_ASKING = frozenset[Role]({"chain", "retriever", "reranker", "tool"})
_MOST = 30
"""Questions compared with each other."""
_MOST_STEPS = 2_000
_MOST_READ = 3_000_000_000
"""Characters of prompts that are looked through, each as often as there are texts to find: a second or two."""


class Crossed(NamedTuple):
    """Steps side by side, by the question that they are of."""

    questions: list[list[Step]]
    mixed: bool
    """Whether one of their searches may be of any of them: it is in none then."""


@dataclass(slots=True, eq=False)
class _Group:
    """What is of one question: the steps that asked a model or failed before they did, and what these say."""

    steps: list[Step]
    said: list[Asked]

    def asks(self, question: str) -> bool:
        return any(one.question == question for one in self.said)

    def shows(self, text: str) -> bool:
        return any(one.saw(text) for one in self.said)


def crossed_of(top: Step | None, level: Sequence[Step]) -> Crossed | None:
    """The questions that were asked at the same time among the steps below `top`; None where there are not several."""
    models = [step for step in level if "generator" in step.roles_within and step.role != "evaluator"]
    if len(models) < 2 and not (models and any(map(_is_failed_question, level))):
        return None  # as nearly always
    if top is not None and (top.reading.query or top.reading.answer or top.reading.redacted):
        return None
    found = _united(_asked(level)) if len(level) <= _MOST_STEPS else []
    if len(found) < 2 or _is_long(level, found):
        return None
    loose, aside = _give(level, found)
    _add_helpers(found)
    asked = [group.steps for group in found if _is_evidenced(group.steps)]
    if len(asked) < 2:
        return None
    for steps in (*(group.steps for group in found), *([step] for step in aside)):
        if steps not in asked:
            _add(steps, asked)
    return Crossed([sorted(steps, key=_order) for steps in asked], loose)


def _asked(level: Sequence[Step]) -> list[_Group]:
    """By question, and by what was said before it, the steps that tell one; [] where there are too many."""
    groups: dict[tuple[str, ...], _Group] = {}
    for step in level:
        if step.role == "evaluator" or not (_is_answered(step) or _is_failed_question(step)):
            continue
        asked = Asked(step, bare=True)
        if asked.question is None:
            continue
        group = groups.setdefault((asked.question, *asked.earlier), _Group([], []))
        group.steps.append(step)
        group.said.append(asked)
        if len(groups) > _MOST:
            return []
    return [*groups.values()]


def _united(groups: Iterable[_Group]) -> list[_Group]:
    """Those that know of each other together: a model that rewrites a question, guards it, or judges its answer."""
    united: list[_Group] = []
    for group in groups:
        near = [other for other in united if not _are_apart(group, other)]
        steps = [step for each in (*near, group) for step in each.steps]
        said = [one for each in (*near, group) for one in each.said]
        united = [*(other for other in united if other not in near), _Group(steps, said)]
    return united


def _are_apart(group: _Group, other: _Group) -> bool:
    return not any(
        one.goes_on_from(then) or then.goes_on_from(one) or not one.is_apart_from(then)
        for one, then in itertools.product(group.said, other.said)
    )


def _is_long(level: Sequence[Step], groups: Sequence[_Group]) -> bool:
    """Whether it would take long to look for each passage in each prompt."""
    prompts = sum(one.length for group in groups for one in group.said)
    return prompts * sum(len([*_texts(step)]) for step in level) > _MOST_READ


def _give(level: Sequence[Step], groups: Sequence[_Group]) -> tuple[bool, list[Step]]:
    """Give each question the other steps that are its own; whether a search is left, and the models that are."""
    held = {step for group in groups for step in group.steps}
    loose, aside = False, list[Step]()
    for step in level:
        if step in held:
            continue
        if (owner := _owner(step, groups)) is not None:
            owner.steps.append(step)
        elif not step.roles_within.isdisjoint(_SEARCHING) or any(_texts(step)):
            loose = True
        elif step.role != "evaluator" and _is_answered(step):
            aside.append(step)
    return loose, aside


def _add_helpers(groups: list[_Group]) -> None:
    """Add to a question the calls that searched nothing and were shown only what it found: its titles and grades."""
    found = {group: {alike(text) for step in group.steps for text in _texts(step)} for group in groups}
    for group in [*groups]:
        shown = {alike(text) for one in group.said for text in one.passages if text}
        if found[group] or not shown:
            continue
        if owner := next((other for other in groups if shown <= found[other]), None):
            owner.steps += group.steps
            owner.said += group.said
            groups.remove(group)


def _is_answered(step: Step) -> bool:
    return any(each.role == "generator" and each.reading.answer is not None for each in step.subtree())


def _is_failed_question(step: Step) -> bool:
    """Whether it was asked something in words, no function's arguments, and failed."""
    asked = step.reading.query
    if asked is None or structure_of(asked) is not None:
        return False
    return step.role == "chain" and step.failed and not step.reading.answer


def _owner(step: Step, groups: Sequence[_Group]) -> _Group | None:
    """The question that the step is of; None where nothing tells, or two things tell different ones."""
    asked = {
        each.reading.query.strip() for each in step.subtree() if each.role in _ASKING and each.reading.query
    }
    looked = [group for group in groups if any(map(group.asks, asked))]
    texts = [*_texts(step)]
    shown = [group for group in groups if texts and all(map(group.shows, texts))]
    if looked:
        return looked[0] if len(looked) == 1 and (not shown or looked[0] in shown) else None
    if texts:
        return shown[0] if len(shown) == 1 else None
    answer = (step.reading.answer or "").strip()
    given = [group for group in groups if any(answer in one.said for one in group.said)]
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
