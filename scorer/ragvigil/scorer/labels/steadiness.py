"""How much of a judge's verdict is chance: the same answers, judged again and again (S6 of the evaluation methods)."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from ragvigil.prompts import Prompt
from ragvigil.scorer.estimate import wilson
from ragvigil.scorer.judge import Judge
from ragvigil.scorer.judge.endpoint import UnavailableError
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

_log = logging.getLogger(__name__)

_CONFIDENCE = 0.95
_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of one figure between repeats on the same answer, averaged over answers."""

    name: str
    """A rubric score (points from 1 to 5), ``support`` or ``faithfulness`` (0 to 1)."""
    variance: float
    lower: float
    upper: float
    answers: int

    @property
    def deviation(self) -> float:
        """Its root: by how much one verdict differs from the next, in the figure's own unit."""
        return math.sqrt(self.variance)


@dataclass(frozen=True, slots=True)
class Steadiness:
    """What judging the same answers again and again showed."""

    judge: str
    repeats: int
    answers: int
    """With a verdict every time."""
    lost: int
    """Without one, at least once."""
    unsteady: float
    """Share of the answers that were not passed, or failed, every time."""
    lower: float
    upper: float
    spreads: tuple[Spread, ...]


async def steadiness(
    records: Sequence[RagTrace], judge: Judge, rubric: Prompt, *, repeats: int, at_once: int
) -> Steadiness | None:
    """Judge each record `repeats` times; None when none of them got a verdict every time. Raises UnavailableError."""
    gate = asyncio.Semaphore(at_once)

    async def one(record: RagTrace) -> Verdict | None:
        async with gate:
            try:
                return await judge.judge(record, rubric)
            except UnavailableError:
                raise
            except Exception:
                _log.exception("the judge failed")
                return None

    try:
        asked = [asyncio.gather(*(one(record) for _ in range(repeats))) for record in records]
        rows = await asyncio.gather(*asked)
    finally:
        await judge.close()
    whole = [
        [verdict for verdict in row if verdict is not None and verdict.passed is not None] for row in rows
    ]
    whole = [row for row in whole if len(row) == repeats]
    if not whole:
        return None
    changed = sum(len({verdict.passed for verdict in row}) > 1 for row in whole) / len(whole)
    lower, upper = wilson(changed, len(whole), confidence=_CONFIDENCE)
    return Steadiness(
        f"{whole[0][0].judge} {whole[0][0].judge_version}",
        repeats,
        len(whole),
        len(rows) - len(whole),
        changed,
        lower,
        upper,
        tuple(_spreads(whole)),
    )


def _spreads(rows: Sequence[Sequence[Verdict]]) -> list[Spread]:
    figures = [[_figures(verdict) for verdict in row] for row in rows]
    names = list(dict.fromkeys(name for row in figures for one in row for name in one))
    found: list[Spread] = []
    for name in names:
        told = [[one[name] for one in row] for row in figures if all(name in one for one in row)]
        if told:
            found.append(_spread(name, told))
    return found


def _spread(name: str, told: Sequence[Sequence[float]]) -> Spread:
    """Mean of the answers' own variances, with a bootstrap interval over answers."""
    each = np.array(told, dtype=np.float64).var(axis=1, ddof=1)
    draws = np.random.default_rng(0).integers(0, each.size, size=(_RESAMPLES, each.size))
    lower, upper = np.quantile(each[draws].mean(axis=1), [(1 - _CONFIDENCE) / 2, (1 + _CONFIDENCE) / 2])
    return Spread(name, float(each.mean()), float(lower), float(upper), int(each.size))


def _figures(verdict: Verdict) -> dict[str, float]:
    found = {"support": verdict.support, "faithfulness": verdict.faithfulness}
    scores = verdict.details.get("scores")
    told = cast("Mapping[str, float]", scores) if isinstance(scores, Mapping) else dict[str, float]()
    known = {name: value for name, value in found.items() if value is not None}
    return known | {name: float(value) for name, value in told.items()}
