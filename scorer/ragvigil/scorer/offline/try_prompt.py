"""`ragvigil try-prompt`: what a criterion or a rubric of one's own says of recorded answers, before it goes live."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from ragvigil import prompts
from ragvigil.prompts import PromptError
from ragvigil.scorer import config
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.judge import model_at_a_terminal
from ragvigil.scorer.judge.criteria import load_criterion
from ragvigil.scorer.judge.digest import FIELDS
from ragvigil.scorer.judge.fill import check
from ragvigil.scorer.judge.measures import Measuring
from ragvigil.scorer.judge.measures.criterion import CriterionMeasure
from ragvigil.scorer.judge.replies import check_reply
from ragvigil.scorer.judge.rubric import RubricJudge
from ragvigil.scorer.judge.terminal import told_when_away
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Measured, Verdict


@dataclass(frozen=True, slots=True)
class Said:
    """What the prompt says of one record."""

    id: str
    verdict: str
    """pass, fail, not_applicable; for a rubric the verdict's state."""
    reason: str | None
    details: Mapping[str, object]
    usage: Mapping[str, object]

    def as_json(self) -> dict[str, object]:
        """For programs."""
        return asdict(self)


def try_prompt(path: Path, records: Sequence[tuple[str, RagTrace]], settings: config.Settings) -> list[Said]:
    """What the prompt in a file says of each record, in their order, against the budget of the scorer.

    Raises InputError for a file that cannot be used and for an endpoint that does not answer, ConfigError where no
    language model is configured.
    """
    try:
        front = prompts.load_file(path)
        if front.reply is None:
            judge: _Criterion | _Rubric = _Criterion(settings, path)
        else:
            check(front, FIELDS)
            check_reply(front, "rubric")
            judge = _Rubric(settings, front)
    except PromptError as error:
        raise InputError(str(path), str(error).removeprefix(f"prompt {path}: ")) from None
    with told_when_away():
        return asyncio.run(_all(judge, records))


class _Criterion:
    def __init__(self, settings: config.Settings, path: Path) -> None:
        criterion = load_criterion(path)
        self._name = criterion.name
        measure = CriterionMeasure(criterion)
        measure.share = 1.0
        self._measuring = Measuring(model_at_a_terminal(settings), [measure])

    async def said(self, name: str, record: RagTrace) -> Said:
        nothing = Verdict("none", "", "", "not_scoreable", None, None)
        verdict = await self._measuring.added(nothing, record)
        usage = cast("Mapping[str, object]", verdict.details.get("usage", {}))
        if not verdict.measured:
            return Said(name, "not_asked", "there is no answer, or it is about other services", {}, usage)
        found: Measured = verdict.measured[0]
        return Said(name, str(found.details.get("state")), found.reason, found.details, usage)

    async def close(self) -> None:
        await self._measuring.close()


class _Rubric:
    def __init__(self, settings: config.Settings, prompt: prompts.Prompt) -> None:
        self._judge = RubricJudge(model_at_a_terminal(settings))
        self._prompt = prompt

    async def said(self, name: str, record: RagTrace) -> Said:
        verdict = await self._judge.judge(record, self._prompt)
        details = {key: value for key, value in verdict.details.items() if key != "usage"}
        details["claims"] = [asdict(claim) for claim in verdict.claims]
        usage = cast("Mapping[str, object]", verdict.details.get("usage", {}))
        return Said(name, verdict.state, verdict.reason, details, usage)

    async def close(self) -> None:
        await self._judge.close()


async def _all(judge: _Criterion | _Rubric, records: Sequence[tuple[str, RagTrace]]) -> list[Said]:
    try:
        return list(await asyncio.gather(*(judge.said(name, record) for name, record in records)))
    finally:
        await judge.close()
