"""Two runs on the same queries: how far each metric moved, and whether that is more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragvigil.scorer.retrieval.measure import UNJUDGED, Column, Each, Measured, means_of, told_together

Word = Literal["better", "worse", "noise", "too few"]


@dataclass(frozen=True, slots=True)
class Moved:
    """The mean of one metric in the second run, less that in the first, query by query."""

    metric: str
    k: int | None
    difference: float
    lower: float | None
    """95 % interval; None with fewer than 20 queries, or 10 conversations."""
    upper: float | None
    n: int
    """Queries."""
    conversations: int
    """That they are of; a query that names none is one by itself."""

    @property
    def word(self) -> Word:
        """`noise` where the difference is smaller than its interval: nothing is known of its sign."""
        if self.lower is None or self.upper is None:
            return "too few"
        return "better" if self.lower > 0.0 else "worse" if self.upper < 0.0 else "noise"


@dataclass(frozen=True, slots=True)
class Turned:
    """A query on which the runs differ."""

    id: str
    text: str | None
    difference: float
    """Of its nDCG at the largest k."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs."""

    first: str
    second: str
    moved: tuple[Moved, ...]
    turned: tuple[Turned, ...]
    """Queries that lost most, then those that won most."""
    notes: tuple[str, ...] = ()


def compare(first: Measured, second: Measured, *, shown: int = 5) -> Compared:
    """The second run less the first, on the queries that both have, for the metrics that both have.

    Pairing takes out what the queries have in common; half a query more that turned either way keeps the interval of
    two runs that never differ from having no width (Agresti & Min 2005, Stat Med 24:729, do so for shares). Not
    `paired_difference`: its Wilson limits are too wide for metrics that end below 1, as precision does.
    """
    others = {one.query.id: one for one in second.each}
    pairs = [(one, others[one.query.id]) for one in first.each if one.query.id in others]
    there = {(one.metric, one.k) for one in second.figures}
    columns: list[Column] = [
        (one.metric, one.k)
        for one in first.figures
        if (one.metric, one.k) in there and one.metric != UNJUDGED
    ]
    if not pairs or not columns:
        return Compared(first.run, second.run, (), ())
    moved = [
        one
        for some in told_together(columns)
        for one in _moved([pair for pair in pairs if pair[0].tells(some[0][0])], some)
    ]
    deepest = max((k for _, k in columns if k is not None), default=None)
    turned = [
        Turned(
            before.query.id,
            before.query.text,
            after.value(("ndcg", deepest)) - before.value(("ndcg", deepest)),
        )
        for before, after in pairs
    ]
    return Compared(
        first.run, second.run, tuple(moved), tuple(_most_turned(turned, shown)), _of_other_depth(pairs)
    )


def _moved(pairs: Sequence[tuple[Each, Each]], columns: Sequence[Column]) -> list[Moved]:
    if not pairs:
        return []
    first, second = (np.array([one.values(columns) for one in side]) for side in zip(*pairs, strict=True))
    before = [one for one, _ in pairs]
    most = [max(one.highest(column) for one in before) for column in columns]
    return [Moved(*mean) for mean in means_of(second - first, before, columns, [(-end, end) for end in most])]


def _of_other_depth(pairs: Sequence[tuple[Each, Each]]) -> tuple[str, ...]:
    """A warning where one run was cut off above the other."""
    first, second = (max(len(one.ids) for one in some) for some in zip(*pairs, strict=True))
    if first == second:
        return ()
    shorter = min(first, second)
    told = f"their lists hold at most {first:,} / {second:,} passages: below rank {shorter:,}, and over the whole list"
    return (f"{told}, the longer ones find more because they are longer",)


def _most_turned(turned: Sequence[Turned], shown: int) -> list[Turned]:
    ranked = sorted((one for one in turned if one.difference), key=lambda one: one.difference)
    lost = [one for one in ranked if one.difference < 0.0][:shown]
    won = [one for one in reversed(ranked) if one.difference > 0.0][:shown]
    return [*lost, *won]
