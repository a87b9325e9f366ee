"""Which answers of two versions are to one question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.gate.answers import Answers, same_question
from ragvigil.scorer.gate.figures import Judged
from ragvigil.scorer.offline.rows import NAMELESS


def same_questions(
    now: Sequence[Judged], before: Sequence[Judged], path: Path
) -> list[tuple[Judged, Judged]]:
    """(before, now) of each question that both answer. InputError names `path`, the file of `before`, and the fix."""
    known = {one.answered.id: one for one in before}
    pairs = [(known[one.answered.id], one) for one in now if one.answered.id in known]
    if not pairs:
        raise InputError(str(path), "answers no question of --answers; rows are matched by id")
    for first, second in pairs:
        if first.answered.record.query is None and first.answered.id.startswith(NAMELESS):
            raise InputError(
                f"{path}, {first.answered.id.replace('-', ' ')}",
                "has neither id nor question, so that it cannot be compared; give the row of either file an id",
            )
        if not same_question(first.answered.record.query, second.answered.record.query):
            raise InputError(str(path), f"has another question under id {first.answered.id[:60]!r}")
    return pairs


def unpaired(answers: Answers, baseline: Answers) -> tuple[str, ...]:
    """Questions with an answer in one of both alone; those without one in `answers` fail already."""
    now, before = (
        {one.id: None for one in each.all if one.id not in each.unanswered} for each in (answers, baseline)
    )
    known = {*answers.unanswered}
    return tuple(
        name for name in {**now, **before} if (name in now) != (name in before) and name not in known
    )
