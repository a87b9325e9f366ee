"""Several judges on the same answers: the first one's verdict counts; where they do not agree people should look."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from ragvigil.prompts import Prompt
from ragvigil.scorer.judge.families import judges_itself
from ragvigil.scorer.judge.port import Judge
from ragvigil.scorer.judge.presence import Presence
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CLAIM_BEARING, Verdict

_log = logging.getLogger(__name__)

_POINTS = 1
"""Rubric points by which judges may differ (S4 of the evaluation methods)."""
_SUMMED = ("calls", "input_tokens", "output_tokens", "cost_usd", "remembered")


class Member(NamedTuple):
    """Another judge of the same answers."""

    name: str
    """In the settings."""
    judge: Judge
    rubric: Prompt
    """What it judges by."""
    presence: Presence
    """How long it is waited for."""


class Panel:
    """Asks `first` and every member; what members say is in the verdict's details.

    A member that fails costs its opinion and nothing else: while it is away one record at a time waits for it, and
    the others have no opinion of it. The judge's version is that of `first`: members may come
    and go without a new series.
    """

    def __init__(self, first: Judge, members: Sequence[Member] = ()) -> None:
        self._first = first
        self._members = tuple(members)

    @property
    def name(self) -> str:
        """That of the first."""
        return self._first.name

    @property
    def version(self) -> str:
        """That of the first."""
        return self._first.version

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The first one's verdict, with what the others say beside it."""
        asked = [asyncio.create_task(_opinion(member, record)) for member in self._members]
        try:
            verdict = await self._first.judge(record, rubric)
            others = await asyncio.gather(*asked)
        finally:
            for one in asked:
                one.cancel()
        flags = [
            *(["self_judging"] if _of_one_family(verdict, record) else []),
            *(["panel_disagrees"] if any(_differ(verdict, other) for other in others if other) else []),
        ]
        if not flags and not others:
            return verdict
        details = dict(verdict.details)
        details["flags"] = [*cast("Sequence[str]", details.get("flags", ())), *flags]
        if others:
            details["panel"] = [
                _told(one.name, other) for one, other in zip(self._members, others, strict=True)
            ]
            details["usage"] = _usage([verdict, *(other for other in others if other is not None)])
        said = "; ".join(one for one in (verdict.reason, *flags) if one) or None
        return replace(verdict, details=details, reason=said)

    async def close(self) -> None:
        """Let go of all of them."""
        for judge in (self._first, *(member.judge for member in self._members)):
            await judge.close()


async def _opinion(member: Member, record: RagTrace) -> Verdict | None:
    try:
        return await member.presence.ask(lambda: member.judge.judge(record, member.rubric))
    except Exception as error:  # an endpoint that is away says it for every record
        _log.info("judge.panel.%s has no opinion on a record: %s", member.name, error)
        return None


def _differ(one: Verdict, other: Verdict) -> bool:
    """Whether any rubric score differs by more than a point, or one passes what the other fails."""
    if not {one.state, other.state} <= CLAIM_BEARING:
        return False
    mine, theirs = _scores(one), _scores(other)
    return one.passed != other.passed or any(
        abs(mine[name] - theirs[name]) > _POINTS for name in mine.keys() & theirs.keys()
    )


def _scores(verdict: Verdict) -> Mapping[str, int]:
    found = verdict.details.get("scores")
    return cast("Mapping[str, int]", found) if isinstance(found, Mapping) else {}


def _of_one_family(verdict: Verdict, record: RagTrace) -> bool:
    model = _model_of(verdict)
    return (
        model is not None
        and verdict.state in CLAIM_BEARING
        and any(judges_itself(model, generator) for generator in (record.response_model, record.model))
    )


def _model_of(verdict: Verdict) -> str | None:
    """The model that judged; None where the tie-breaker asked none."""
    if "asked" in verdict.details:
        return cast("str | None", verdict.details.get("answered_as"))
    return verdict.judge_version.partition("+")[2]


def _told(name: str, verdict: Verdict | None) -> dict[str, object]:
    if verdict is None:
        return {"name": name, "state": "failed"}
    return {
        "name": name,
        "judge_version": f"{verdict.judge} {verdict.judge_version}",
        "prompt_digest": verdict.prompt_digest,
        "state": verdict.state,
        "faithfulness": verdict.faithfulness,
        "scores": dict(_scores(verdict)),
    }


def _usage(verdicts: Sequence[Verdict]) -> dict[str, object]:
    """What all of them cost; of one without a price the money is not known, and neither is the sum."""
    told = [
        cast("Mapping[str, float | None]", one.details["usage"])
        for one in verdicts
        if isinstance(one.details.get("usage"), Mapping)
    ]
    sums: dict[str, object] = {}
    for name in _SUMMED:
        figures = [one[name] for one in told if name in one]
        known = [figure for figure in figures if figure is not None]
        if figures:
            sums[name] = sum(known) if len(known) == len(figures) else None
    return sums
