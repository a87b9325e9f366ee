"""The six-axis judge: the Grounded Answer Score with the model's points where no check can tell.

Points from 0 to 4 on factuality, attribution, coverage, calibration, conciseness and format, weighted to [0, 1] as in
`grounded_answer`. What can be decided is: a statement called unsupported must stand in the answer and then costs
factuality, and an answer that cites nothing has no attribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import cast

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks import citation_correctness, citations_present
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.grounded_answer import WEIGHTS, AxisName
from ragvigil.scorer.judge.asker import Asker, language_of
from ragvigil.scorer.judge.digest import FIELDS
from ragvigil.scorer.judge.measures.measure import Finding
from ragvigil.scorer.judge.obstacles import without_evidence
from ragvigil.scorer.judge.quoting import found_in
from ragvigil.scorer.judge.replies import AxisPoints, SixAxesReply, usable
from ragvigil.scorer.trace import Document, RagTrace

NAME = "judge.six_axes"
_MOST = 4
_ONE_UNSUPPORTED, _SEVERAL_UNSUPPORTED = 3, 1
"""Most points of factuality with one unsupported statement, which may be a minor one, and with several."""
_WRONG_CITATION = 2


class SixAxes:
    """Asks for the points, and holds them against what the checks know."""

    version = "2"
    names: tuple[str, ...] = (NAME,)

    def __init__(self, *, share: float = 1.0, sources: Mapping[str, Sequence[str]] | None = None) -> None:
        """`sources` are texts that count as evidence beside what was retrieved, by trace: a test set lists them."""
        self.prompt: Prompt = usable("six_axes", "six_axes", FIELDS)
        self.share = share
        self._sources = sources or {}

    def concerns(self, service: str) -> bool:
        """All answers."""
        del service
        return True

    async def close(self) -> None:
        """It holds nothing of its own."""

    async def take(self, prepared: Prepared, asker: Asker) -> Finding:
        """The score with points and reasons of each axis."""
        obstacle = without_evidence(prepared)
        if obstacle is not None:
            return Finding({NAME: None}, obstacle[1], {"state": obstacle[0]})
        listed = self._sources.get(prepared.record.trace_id, ())
        asked = await asker.ask(
            self.prompt,
            asker.digest(_beside(prepared.record, listed), prepared.citations),
            SixAxesReply,
            language=language_of(prepared),
            of=prepared.record.trace_id,
        )
        completions = tuple(asked.completions)
        if asked.reply is None:
            reason = f"the reply could not be read: {asked.problem}"
            return Finding({NAME: None}, reason, {"state": "unparseable"}, completions)
        points, flags = _held(asked.reply, prepared)
        score = sum(WEIGHTS[name] * value for name, value in points.items()) / (100 * _MOST)
        worst = min(points, key=lambda name: (points[name], -WEIGHTS[name]))
        whys = {name: cast("AxisPoints", getattr(asked.reply, name)).why[:300] for name in points}
        details: dict[str, object] = {"state": "measured", "axes": points, "why": whys, "flags": flags}
        return Finding({NAME: score}, f"{worst} {points[worst]} of 4: {whys[worst]}", details, completions)


def _beside(record: RagTrace, listed: Sequence[str]) -> RagTrace:
    """The record with the listed texts after its passages, under ids that none of those has."""
    taken = set(map(name_of, record.documents))
    free = (name for name in (f"source {number}" for number in count(1)) if name not in taken)
    more = (Document(next(free), text) for text in listed)
    return replace(record, documents=(*record.documents, *more))


def _held(reply: SixAxesReply, prepared: Prepared) -> tuple[dict[AxisName, int], list[str]]:
    """The points with what can be decided put right, and what was wrong."""
    points: dict[AxisName, int] = {name: cast("AxisPoints", getattr(reply, name)).points for name in WEIGHTS}
    flags: list[str] = []
    stated = [one for one in reply.unsupported if found_in(one, prepared.answer)]
    if len(stated) < len(reply.unsupported):
        flags.append("statement_not_in_answer")
    most = _MOST if not stated else _ONE_UNSUPPORTED if len(stated) == 1 else _SEVERAL_UNSUPPORTED
    limits: dict[AxisName, int] = {"factuality": most, "attribution": _attribution(prepared)}
    for name, limit in limits.items():
        if points[name] > limit:
            points[name] = limit
            flags.append(f"overridden:{name}")
    return points, flags


def _attribution(prepared: Prepared) -> int:
    """The most that attribution can be worth."""
    if citations_present.CHECK.measure(prepared).value == 0.0:
        return 0
    correct = citation_correctness.CHECK.measure(prepared).value
    return _WRONG_CITATION if correct is not None and correct < 1.0 else _MOST
