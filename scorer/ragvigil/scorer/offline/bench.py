"""`ragvigil bench-checks`: how good a judge is on labelled sets, with intervals by source group.

Positive is an answer that is not fully supported; its score is one minus the judge's faithfulness. A judge that finds
no claim says that nothing is unsupported (score 0); answers that it cannot score are left out and counted. Thresholds
come from rows to tune on; where a set has only such rows, or none, each fifth of its sources from the other four.

docs/accuracy.md is not made by this command but by tests/bench/fit_builtin.py, with the same measures: it also fits the
model that it measures, so that the sources kept aside are the same for both.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.judge import Judge
from ragvigil.scorer.offline.labelled import Labelled
from ragvigil.scorer.offline.measures import (
    Array,
    Flags,
    auroc,
    balanced_accuracy,
    calibration_error,
    f1,
    interval,
    macro_f1,
    threshold,
)
from ragvigil.scorer.verdict import Verdict

Places = npt.NDArray[np.int64]
Figure = tuple[float, float | None, float | None]
"""A figure with the ends of its interval."""
_FOLDS = 5
_FEWEST = 10
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Judged:
    """One labelled answer with what the judge said."""

    row: Labelled
    score: float | None
    """In [0, 1], high for not supported; None where it could not be scored."""
    state: str
    flagged: tuple[tuple[int, int], ...]
    """Offsets in the answer that the judge calls unsupported."""
    refuses: bool | None
    """What the checks say; None where nobody asked."""


@dataclass(frozen=True, slots=True)
class Line:
    """Figures of one set, or of one part of it."""

    name: str
    rows: int
    """Rows that are measured."""
    unsupported: float | None
    """Share of them that people call not fully supported."""
    auroc: Figure | None = None
    f1: Figure | None = None
    balanced_accuracy: Figure | None = None
    macro_f1: Figure | None = None
    calibration_error: float | None = None
    characters_f1: Figure | None = None
    refusals: tuple[float, float] | None = None
    """Precision and recall of the check abstention."""
    unscored: dict[str, int] = field(default_factory=dict[str, int])
    """Why rows are not measured: states of the judge, ``no answer``, ``no evidence``, ``not labelled``."""


async def judge_all(
    rows: Iterable[Labelled], judge: Judge, rubric: Prompt, clock: Callable[[], float] = time.perf_counter
) -> tuple[list[Judged], float]:
    """What the judge says of each row, and the seconds that it took; one that fails is a state of its row."""
    found: list[Judged] = []
    seconds = 0.0
    waiting = [*rows]
    for first in range(0, len(waiting), _AT_ONCE):
        batch = waiting[first : first + _AT_ONCE]
        started = clock()
        verdicts = await asyncio.gather(*(_verdict(row, judge, rubric) for row in batch))
        seconds += clock() - started
        found += [_judged(row, verdict) for row, verdict in zip(batch, verdicts, strict=True)]
    return found, seconds


async def _verdict(row: Labelled, judge: Judge, rubric: Prompt) -> Verdict | None:
    if row.supported is None:
        return None
    try:
        return await judge.judge(row.record, rubric)
    except Exception as error:  # a judge's endpoint may do anything
        return Verdict(judge.name, judge.version, rubric.digest, "failed", None, None, reason=str(error))


def _judged(row: Labelled, verdict: Verdict | None) -> Judged:
    refuses = None if row.refusal is None else Prepared(row.record).abstains
    if verdict is None:
        return Judged(row, None, _lacking(row), (), refuses)
    score = None if verdict.faithfulness is None else 1 - verdict.faithfulness
    if verdict.state == "no_claims":
        score = 0.0
    flagged = tuple(span for claim in verdict.claims for span in claim.unsupported_spans)
    return Judged(row, score, verdict.state, flagged, refuses)


def _lacking(row: Labelled) -> str:
    if not row.record.answer:
        return "no answer"
    return "not labelled" if any(one.text for one in row.record.documents) else "no evidence"


def report(judged: Sequence[Judged], *, draws: int = 500) -> list[Line]:
    """One line for each set and each part of it, in order of appearance."""
    names = dict.fromkeys(name for one in judged for name in one.row.names)
    return [_line(name, [one for one in judged if name in one.row.names], draws) for name in names]


def _line(name: str, judged: Sequence[Judged], draws: int) -> Line:
    scored = [one for one in judged if one.score is not None]
    unscored = Counter(one.state for one in judged if one.score is None and not _only_refuses(one))
    test = [one for one in scored if not one.row.tuning] or scored
    line = Line(
        name,
        len(test) or len(judged) - unscored.total(),
        None,
        refusals=_refusals(judged),
        unscored=dict(sorted(unscored.items())),
    )
    if not test:
        return line
    positive = np.array([float(not one.row.supported) for one in test])
    score = np.array([one.score for one in test], dtype=np.float64)
    line = replace(
        line,
        unsupported=round(float(positive.mean()), 4),
        calibration_error=round(calibration_error(positive, score), 4),
    )
    if min(positive.sum(), (1 - positive).sum()) < _FEWEST:
        return line
    group = [one.row.group for one in test]

    def measured(measure: Callable[[Places], float]) -> Figure:
        value = round(measure(np.arange(len(test))), 4)
        if not draws:
            return value, None, None
        low, high = interval(measure, group, draws)
        return value, round(low, 4), round(high, 4)

    def decided(measure: Callable[[Array, Flags], float]) -> Figure:
        flags = _flags(test, scored, measure)
        return measured(lambda at: measure(positive[at], flags[at]))

    return replace(
        line,
        auroc=measured(lambda at: auroc(positive[at], score[at]) if 0 < positive[at].mean() < 1 else 0.5),
        f1=decided(f1),
        balanced_accuracy=decided(balanced_accuracy),
        macro_f1=decided(macro_f1),
        characters_f1=_characters(test, measured),
    )


def _flags(
    test: Sequence[Judged], scored: Sequence[Judged], measure: Callable[[Array, Flags], float]
) -> Flags:
    """Which answers count as unsupported, by the best threshold on rows that are not measured by it."""
    kept = [one for one in scored if one.row.tuning]
    if kept and any(not one.row.tuning for one in test):
        best = _threshold(kept, measure)
        return np.array([(one.score or 0.0) >= best for one in test])
    fold = [_fold(one.row.group) for one in test]
    bests = [
        _threshold([one for one, place in zip(test, fold, strict=True) if place != number], measure)
        for number in range(_FOLDS)
    ]
    return np.array([(one.score or 0.0) >= bests[place] for one, place in zip(test, fold, strict=True)])


def _threshold(rows: Sequence[Judged], measure: Callable[[Array, Flags], float]) -> float:
    positive = np.array([float(not one.row.supported) for one in rows])
    return threshold(positive, np.array([one.score or 0.0 for one in rows]), measure) if len(rows) else 0.5


def _fold(group: str) -> int:
    return int.from_bytes(hashlib.sha256(group.encode("utf-8", "replace")).digest()[:4]) % _FOLDS


def _only_refuses(one: Judged) -> bool:
    """Whether a row measures the check abstention, and was not meant for the judge."""
    return one.row.supported is None and one.row.refusal is not None and bool(one.row.record.answer)


def _characters(
    test: Sequence[Judged], measured: Callable[[Callable[[Places], float]], Figure]
) -> Figure | None:
    """F1 over the characters of unsupported stretches; None where nobody marked any."""
    if any(one.row.spans is None for one in test):
        return None
    counts = np.array([_overlap(one.flagged, one.row.spans or ()) for one in test])

    def harmonic(at: Places) -> float:
        right, taken, true = counts[at].sum(axis=0)
        return float(2 * right / max(1, taken + true))

    return measured(harmonic)


def _overlap(flagged: Iterable[tuple[int, int]], true: Iterable[tuple[int, int]]) -> tuple[int, int, int]:
    mine = {place for start, end in flagged for place in range(start, end)}
    theirs = {place for start, end in true for place in range(start, end)}
    return len(mine & theirs), len(mine), len(theirs)


def _refusals(judged: Sequence[Judged]) -> tuple[float, float] | None:
    seen = Counter((one.row.refusal, one.refuses) for one in judged if one.row.refusal is not None)
    hits = seen[True, True]
    told, real = hits + seen[False, True], hits + seen[True, False]
    return (round(hits / told, 4), round(hits / real, 4)) if told and real else None
