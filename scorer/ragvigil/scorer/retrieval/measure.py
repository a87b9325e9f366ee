"""One run held against labels: every metric with n and an interval, and where it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragvigil.scorer.estimate.resampled import resampled
from ragvigil.scorer.retrieval.chosen import FOR_STAGE, columns_of, columns_of_kind
from ragvigil.scorer.retrieval.hops import KINDS as OUTCOMES
from ragvigil.scorer.retrieval.hops import Hop, outcome
from ragvigil.scorer.retrieval.metrics import ALL, METRICS, highest
from ragvigil.scorer.retrieval.queries import Query
from ragvigil.scorer.retrieval.rankings import Ids, Run, told_once

Column = tuple[str, int | None]
"""A metric and its k; None: the whole list."""
CONTEXT_RECALL = "context_recall_chunks"
TWO_HOPS = "two_hop_recall"
UNJUDGED = "unjudged"


@dataclass(frozen=True, slots=True)
class Each:
    """One query in one run."""

    query: Query
    ids: Ids
    level: int
    """From which grade on a passage is relevant."""

    @property
    def first(self) -> int | None:
        """Rank of the first relevant passage, from 1 on."""
        relevant = self.query.relevant(self.level)
        return next((rank for rank, name in enumerate(self.ids, 1) if name in relevant), None)

    def value(self, column: Column) -> float:
        """A metric of this query, in [0, 1]."""
        name, k = column
        depth = ALL if k is None else k
        if name == TWO_HOPS:
            assert self.query.hops is not None
            return float(outcome(self.ids, self.query.hops, depth) == "found")
        if name == UNJUDGED:
            seen = self.ids[:depth]
            return sum(one not in self.query.grades for one in seen) / len(seen) if seen else 0.0
        grades = [0 if one is None else self.query.grades.get(one, 0) for one in self.ids[:depth]]
        metric = METRICS["recall" if name == CONTEXT_RECALL else name]
        return metric(grades, list(self.query.grades.values()), depth, self.level)

    def highest(self, column: Column) -> float:
        """The most that it can be for the labels of this query."""
        name, k = column
        return highest(name, list(self.query.grades.values()), ALL if k is None else k, self.level)


@dataclass(frozen=True, slots=True)
class Figure:
    """The mean of a metric."""

    metric: str
    k: int | None
    value: float
    lower: float | None
    """95 % interval over queries, those of one conversation drawn together; None with fewer than 20."""
    upper: float | None
    n: int
    """Queries."""


@dataclass(frozen=True, slots=True)
class Hops:
    """What became of the queries of two hops, at one k."""

    k: int
    outcomes: Mapping[Hop, int]


@dataclass(frozen=True, slots=True)
class Worst:
    """A query that the run answers badly."""

    id: str
    text: str | None
    recall: float
    """At the largest k."""
    first: int | None
    relevant: int
    """Passages that are relevant to it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run."""

    run: str
    stage: str | None
    queries: int
    """Measured: with a relevant passage, and asked."""
    figures: tuple[Figure, ...]
    kinds: Mapping[str, tuple[Figure, ...]]
    """By intent or type: the metrics that belong to it."""
    hops: tuple[Hops, ...]
    worst: tuple[Worst, ...]
    notes: tuple[str, ...]
    each: tuple[Each, ...]


def measure(
    queries: Sequence[Query], run: Run, ks: Sequence[int], *, level: int = 1, worst: int = 10
) -> Measured:
    """Every metric of a run at each k, and for each kind of query those that belong to it.

    Queries without a relevant passage are left out (trec_eval counts them as 0), and so are those that nobody asked of
    a run that was recorded; of any other run they count as finding nothing (trec_eval's -c). `level`: the grade from
    which a passage is relevant.
    """
    each = each_of(queries, run, level)
    columns = [one for one in columns_of(ks) if run.stage is None or one[0] in FOR_STAGE[run.stage]]
    kinds = dict.fromkeys(one.query.kind for one in each if one.query.kind is not None)
    hopped = [one for one in each if one.query.hops is not None]
    figures = figures_of(each, columns)
    if hopped and run.stage != "rerank":
        figures += figures_of(hopped, [(TWO_HOPS, k) for k in ks])
    return Measured(
        run.name,
        run.stage,
        len(each),
        tuple(figures),
        {kind: _of_kind(kind, [one for one in each if one.query.kind == kind]) for kind in kinds},
        tuple(Hops(k, _outcomes(hopped, k)) for k in ks) if hopped else (),
        tuple(_worst(each, max(ks))[:worst]),
        (*_notes(queries, run, each, level), *run.notes),
        tuple(each),
    )


def each_of(queries: Sequence[Query], run: Run, level: int) -> list[Each]:
    """The queries that are measured, with what the run found for each."""
    return [
        Each(query, told_once(run.rankings.get(query.id, ())), level)
        for query in queries
        if query.relevant(level) and (query.id in run.rankings or not run.recorded)
    ]


def figures_of(each: Sequence[Each], columns: Sequence[Column]) -> list[Figure]:
    """The means of all columns; with fewer than 20 queries they are of these alone, and have no interval."""
    if not each:
        return []
    values = np.array([[one.value(column) for column in columns] for one in each], dtype=np.float64)
    ends = [(0.0, max(one.highest(column) for one in each)) for column in columns]
    found = resampled(values, units_of(each), ends)
    return [
        Figure(
            *column,
            float(values[:, place].mean()),
            None if found is None else found[place].lower,
            None if found is None else found[place].upper,
            len(each),
        )
        for place, column in enumerate(columns)
    ]


def units_of(each: Sequence[Each]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """A number for each query, the same for those of one conversation."""
    codes: dict[tuple[str, str], int] = {}
    keys = (
        ("query", one.query.id)
        if one.query.conversation is None
        else ("conversation", one.query.conversation)
        for one in each
    )
    return np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)


def _of_kind(kind: str, each: Sequence[Each]) -> tuple[Figure, ...]:
    columns = columns_of_kind(kind)
    if columns[0][0] == TWO_HOPS:
        each = [one for one in each if one.query.hops is not None]
    return tuple(figures_of(each, columns))


def _outcomes(hopped: Sequence[Each], k: int) -> dict[Hop, int]:
    seen = Counter(outcome(one.ids, one.query.hops, k) for one in hopped if one.query.hops is not None)
    return {kind: seen[kind] for kind in OUTCOMES}


def _worst(each: Sequence[Each], k: int) -> list[Worst]:
    """Queries that do not find all that they should within k or have it late, the worst first."""
    ranked = sorted(each, key=lambda one: (one.value(("recall", k)), one.value(("ndcg", k))))
    return [
        Worst(
            one.query.id,
            one.query.text,
            one.value(("recall", k)),
            one.first,
            len(one.query.relevant(one.level)),
        )
        for one in ranked
        if one.value(("ndcg", k)) < 1.0
    ]


def _notes(queries: Sequence[Query], run: Run, each: Sequence[Each], level: int) -> tuple[str, ...]:
    told: list[str] = []
    nothing = sum(not query.relevant(level) for query in queries)
    if nothing:
        told.append(
            f"{nothing:,} queries have no relevant passage and are left out (trec_eval counts them as 0)"
        )
    absent = sum(bool(query.relevant(level)) and query.id not in run.rankings for query in queries)
    if absent and run.recorded:
        told.append(f"{absent:,} queries were not asked there and are left out")
    elif absent:
        told.append(
            f"{absent:,} queries are not in the run and count as finding nothing, as with trec_eval -c"
        )
    again = sum(_repeats(run.rankings.get(one.query.id, ())) for one in each)
    if again:
        told.append(f"{again:,} queries have a passage more than once: it keeps its places and counts once")
    return (*told, *_strangers(each))


def _repeats(ids: Ids) -> bool:
    known = [name for name in ids if name is not None]
    return len(set(known)) < len(known)


def _strangers(each: Sequence[Each]) -> tuple[str, ...]:
    """A warning where no passage of the run is labelled at all: then ids are of two kinds."""
    found = next((name for one in each for name in one.ids if name is not None), None)
    if found is None or any(name in one.query.grades for one in each for name in one.ids):
        return ()
    wanted = next(iter(each[0].query.relevant(each[0].level)))
    told = f"are the ids of one kind? Found {found[:60]!r}, labelled {wanted[:60]!r}"
    return (f"no passage that was found is labelled for its query: {told}",)
