"""The level of faithful answers, and by which labels: of the service's own traffic (mode A) first, then of a file."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Literal

from ragvigil.scorer.detect.sequential.gold import calibration_of
from ragvigil.scorer.estimate import (
    Estimate,
    Refusal,
    anchored_level,
    audited_level,
    change_since,
    confusion,
    judged_rate,
    portable_level,
    strata_of,
)
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.labels.draw import truth_row
from ragvigil.scorer.labels.frame import window_of
from ragvigil.scorer.store import reading_labels
from ragvigil.scorer.watch.gold import Labels
from ragvigil.scorer.watch.port import Place

_NO_LABELS = "level unknown: no labels of yours (ragvigil label)"


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


@dataclass(frozen=True, slots=True)
class Level:
    """The share of faithful answers behind a judged rate."""

    found: Estimate | Refusal
    by: Literal["own", "file", "none"]
    """Whose labels say so: people's of this service's answers in the store, those of `monitor.gold`, or nobody's."""
    audit: Audit | None = None
    """What labels of the service's own answers say; None without any of this judge's verdicts."""


def book_for(connection: sqlite3.Connection, place: Place, judge: str | None) -> Book | None:
    """The newest draw from verdicts of this `judge` (version and prompt) with its labels; None without a draw."""
    drawn = reading_labels.latest_draw(connection, place, judge) if judge else None
    return None if drawn is None else Book(drawn, reading_labels.labels(connection))


def level_of(judged: Estimate | Refusal, book: Book | None, labels: Labels) -> Level:
    """The level behind `judged`, for whatever shows one: by the service's own labels where they carry one.

    Else by those that `monitor.gold` names (Rogan and Gladen's estimate: ``portable_level``). The labels that ship with
    the built-in judge are of other traffic: where its answers differ, the level may be twenty points off, and no
    interval knows it; so they tell none.
    """
    own = None if book is None else audit(book, judged)
    if own is not None and not own.labels:
        own = None
    if own is not None and isinstance(own.now, Estimate):
        return Level(own.now, "own", own)
    if labels.source == "file":
        return Level(portable_level(judged, calibration_of(labels.gold)), "file", own)
    if own is not None:
        return Level(own.now, "none", own)
    return Level(Refusal("no_labels", _NO_LABELS, judged.n_judged, judged.n_traces), "none")
