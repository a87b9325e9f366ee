"""The level of faithful answers by labels of the service's own traffic (mode A): then, and now."""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.scorer.estimate import (
    Estimate,
    Refusal,
    anchored_level,
    audited_level,
    change_since,
    confusion,
    judged_rate,
    strata_of,
)
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.labels.draw import truth_row
from ragvigil.scorer.labels.frame import window_of


@dataclass(frozen=True, slots=True)
class Audit:
    """What a draw's labels say of the level."""

    drawn_at: int
    """Unix nanoseconds."""
    labels: int
    then: Estimate | Refusal
    """In the traffic that was drawn from."""
    now: Estimate | Refusal
    """That, plus the change since by verdicts of the same judge."""


def audit(book: Book, judged: Estimate | Refusal) -> Audit:
    """The level behind `judged`, the judged rate of some traffic after the draw.

    Refused where the labels are too few or show that the judge is not informative: the change is then unknown.
    """
    data = window_of(book.drawn.frame)
    strata = strata_of(data)
    truth = truth_row(book.drawn, book.truth)
    then = audited_level(data, strata, truth)
    judge = confusion(data, strata, truth)
    refused = judge if isinstance(judge, Refusal) else judge.refusal
    if isinstance(judge, Refusal) or refused is not None:
        now: Estimate | Refusal = refused or then
    else:
        now = anchored_level(then, change_since(judged_rate(data), judged, judge.calibration))
    return Audit(book.drawn.created_at, int((truth >= 0).sum()), then, now)
