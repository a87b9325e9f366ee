"""A new judge or prompt on the answers that people labelled, beside the judge that was there when they were drawn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from ragvigil.prompts import Prompt
from ragvigil.scorer.estimate import Promotion, Refusal, promotion
from ragvigil.scorer.judge import Judge
from ragvigil.scorer.judge.endpoint import UnavailableError
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.series import faithfulness_value
from ragvigil.scorer.trace import RagTrace

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of it."""

    judge: str
    """The new one: kind, version, and prompt digest."""
    old_judge: str
    result: Promotion | Refusal
    answers: int
    """Labelled ones that were judged again."""
    gone: int
    """Labelled ones whose content is no longer kept."""
    without_verdict: int
    """Of those judged again."""
    repeats: int
    unsteady: float | None
    """Share of the answers that did not get the same verdict every time; None with one repeat."""


async def compare(
    book: Book, records: dict[int, RagTrace], judge: Judge, rubric: Prompt, *, repeats: int, at_once: int
) -> Comparison:
    """Judge the labelled answers of a draw anew, `repeats` times each; the first verdict is the one compared.

    Raises UnavailableError when the judge's endpoint does not answer: that says nothing of the judge.
    """
    truth = book.truth
    wanted = [
        item
        for item in book.drawn.items
        if item.record_id in truth and book.drawn.frame.verdict[item.place] >= 0
    ]
    items = [item for item in wanted if item.record_id in records]
    gate = asyncio.Semaphore(at_once)
    try:
        verdicts = await asyncio.gather(
            *(_verdicts(judge, rubric, records[item.record_id], repeats, gate) for item in items)
        )
    finally:
        await judge.close()
    first = [row[0] for row in verdicts]
    frame = book.drawn.frame
    result = promotion(
        [truth[item.record_id] for item in items],
        [frame.verdict[item.place] for item in items],
        first,
        [item.inclusion * frame.inclusion[item.place] for item in items],
    )
    unsteady = (
        sum(len(set(row)) > 1 for row in verdicts) / len(verdicts) if verdicts and repeats > 1 else None
    )
    return Comparison(
        f"{judge.name} {judge.version} {rubric.digest}",
        book.drawn.judge,
        result,
        len(items),
        len(wanted) - len(items),
        first.count(-1),
        repeats,
        unsteady,
    )


async def _verdicts(
    judge: Judge, rubric: Prompt, record: RagTrace, repeats: int, gate: asyncio.Semaphore
) -> Sequence[int]:
    """1 passed, 0 failed, -1 none, so often."""
    found: list[int] = []
    for _ in range(repeats):
        async with gate:
            try:
                value = faithfulness_value(await judge.judge(record, rubric))
            except UnavailableError:
                raise
            except Exception:
                _log.exception("the judge failed")
                value = None
        found.append(-1 if value is None else int(value))
    return found
