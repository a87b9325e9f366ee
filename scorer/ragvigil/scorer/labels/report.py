"""What labels say of the judge: the report of ``ragvigil calibrate``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ragvigil.scorer.estimate import (
    FEWEST,
    Confusion,
    Estimate,
    Plan,
    Refusal,
    audited_level,
    cohen_kappa,
    confusion,
    judged_rate,
    krippendorff_alpha,
    labels_for,
    strata_of,
)
from ragvigil.scorer.estimate.planning import Figure
from ragvigil.scorer.estimate.window import Integers
from ragvigil.scorer.labels.book import Book
from ragvigil.scorer.labels.draw import truth_row
from ragvigil.scorer.labels.frame import segments_of, window_of
from ragvigil.scorer.labels.port import KINDS, MET, Given


@dataclass(frozen=True, slots=True)
class Counts:
    """How the reading stands."""

    items: int
    labelled: int
    """Items with a label that stands."""
    disputed: int
    """Items on which as many say faithful as do not."""
    undecided: int
    """Items that all who read them skipped."""
    annotators: dict[str, int]
    """Items read by each."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators."""

    first: str
    second: str
    kappa: Estimate | Refusal


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far people agree: over the three labels, and over faithful or not."""

    alpha: Estimate | Refusal
    alpha_faithful: Estimate | Refusal
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """The judge on one segment of the traffic."""

    dimension: str
    value: str
    judge: Confusion


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the labels of one draw say."""

    counts: Counts
    judge: Confusion | Refusal
    judged: Estimate | Refusal
    """Share of verdicts that passed, uncorrected."""
    level: Estimate | Refusal
    """Share of faithful answers in the window that was drawn from."""
    segments: tuple[Segment, ...]
    thin: int
    """Segments without enough labels."""
    agreement: Agreement | None
    """None with one annotator."""
    plan: Plan | None

    @property
    def refusal(self) -> Refusal | None:
        """Why the judge's verdicts are not to be relied on; None when they are."""
        return self.judge if isinstance(self.judge, Refusal) else self.judge.refusal


def report(book: Book, *, width: float | None = None, figure: Figure = "level") -> Report:
    """The report of a draw; with `width`, how many more labels would bring `figure` to it."""
    data = window_of(book.drawn.frame)
    strata = strata_of(data)
    truth = truth_row(book.drawn, book.truth)
    judge = confusion(data, strata, truth)
    level = audited_level(data, strata, truth)
    by_segment = {
        name: confusion(data, strata, truth, among=inside)
        for name, inside in segments_of(book.drawn.frame).items()
    }
    found = tuple(Segment(*name, one) for name, one in by_segment.items() if not isinstance(one, Refusal))
    now = _width_of(figure, judge, level)
    plan = None
    if width is not None and now is not None:
        plan = labels_for(data, strata, truth, width=width, now=now, figure=figure)
    return Report(
        _counts(book),
        judge,
        judged_rate(data),
        level,
        found,
        len(by_segment) - len(found),
        _agreement_of([one for one in book.given if one.record_id in _ids(book)]),
        plan,
    )


def _agreement_of(given: Sequence[Given]) -> Agreement | None:
    """How far the annotators agree; None when there is one only."""
    names = sorted({one.annotator for one in given})
    if len(names) < 2:
        return None
    records = sorted({one.record_id for one in given})
    row = {record_id: place for place, record_id in enumerate(records)}
    column = {name: place for place, name in enumerate(names)}
    kinds = MET if any(one.label in MET for one in given) else KINDS
    table = np.full((len(records), len(names)), -1, dtype=np.int64)
    for one in given:
        if one.label in kinds:
            table[row[one.record_id], column[one.annotator]] = kinds.index(one.label)
    pairs = tuple(
        Pair(one, other, cohen_kappa(table[:, column[one]], table[:, column[other]], kinds=len(kinds)))
        for one, other in combinations(names, 2)
        if _shared(table[:, column[one]], table[:, column[other]]) >= FEWEST
    )
    return Agreement(
        krippendorff_alpha(table, kinds=len(kinds)),
        krippendorff_alpha(np.minimum(table, 1), kinds=2),
        pairs,
    )


def _shared(one: Integers, other: Integers) -> int:
    return int(((one >= 0) & (other >= 0)).sum())


def _ids(book: Book) -> frozenset[int]:
    return frozenset(item.record_id for item in book.drawn.items)


def _counts(book: Book) -> Counts:
    ids = _ids(book)
    standing = [found for record_id, found in book.settled.items() if record_id in ids]
    read: dict[str, int] = {}
    for one in book.given:
        if one.record_id in ids:
            read[one.annotator] = read.get(one.annotator, 0) + 1
    return Counts(
        len(ids),
        sum(found.label is not None for found in standing),
        sum(found.disputed for found in standing),
        sum(found.label is None and not found.disputed for found in standing),
        dict(sorted(read.items())),
    )


def _width_of(figure: Figure, judge: Confusion | Refusal, level: Estimate | Refusal) -> float | None:
    found = level if figure == "level" else judge if isinstance(judge, Refusal) else getattr(judge, figure)
    return found.upper - found.lower if isinstance(found, Estimate) else None
