"""One run held against labels: every metric with n and an interval, and where it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.estimate import Estimate
from ragvigil.scorer.estimate.resampled import resampled
from ragvigil.scorer.estimate.window import Floats, Integers
from ragvigil.scorer.retrieval.chosen import FOR_STAGE, columns_of, columns_of_kind
from ragvigil.scorer.retrieval.hops import KINDS as OUTCOMES
from ragvigil.scorer.retrieval.hops import Hop, outcome
from ragvigil.scorer.retrieval.metrics import ALL, METRICS, highest
from ragvigil.scorer.retrieval.nuggets import alpha_ndcg, coverage
from ragvigil.scorer.retrieval.queries import Query
from ragvigil.scorer.retrieval.rankings import Ids, Run, told_once

Column = tuple[str, int | None]
"""A metric and its k; None: the whole list."""
CONTEXT_RECALL = "context_recall_chunks"
TWO_HOPS = "two_hop_recall"
UNJUDGED = "unjudged"
ALPHA_NDCG, COVERAGE = "alpha_ndcg", "nugget_coverage"
_OVER_NUGGETS = {ALPHA_NDCG: alpha_ndcg, COVERAGE: coverage}
_FRESHSTACK: tuple[Column, ...] = ((ALPHA_NDCG, 10), (COVERAGE, 20), ("recall", 50))
_APART = {TWO_HOPS: TWO_HOPS, UNJUDGED: UNJUDGED, ALPHA_NDCG: COVERAGE, COVERAGE: COVERAGE}
"""Metrics that not all queries have, those together that the same ones have."""


@dataclass(frozen=True, slots=True)
class Each:
    """One query in one run."""

    query: Query
    ids: Ids
    level: int
    """From which grade on a passage is relevant."""
    again: frozenset[int] = frozenset()
    """Places, from 0 on, that hold a passage once more."""

    @property
    def first(self) -> int | None:
        """Rank of the first relevant passage, from 1 on."""
        relevant = self.query.relevant(self.level)
        return next((rank for rank, name in enumerate(self.ids, 1) if name in relevant), None)

    def tells(self, metric: str) -> bool:
        """Whether this query has a value of a metric: of no passage nothing is unjudged, and not every one has hops."""
        if metric == TWO_HOPS:
            return self.query.hops is not None
        if metric in _OVER_NUGGETS:
            return bool(self.query.nuggets)
        return metric != UNJUDGED or bool(self.ids)

    def value(self, column: Column) -> float:
        """A metric of this query, in [0, 1]."""
        return self.values([column])[0]

    def values(self, columns: Sequence[Column]) -> list[float]:
        """Metrics of this query, each in [0, 1]."""
        grades = [0 if one is None else self.query.grades.get(one, 0) for one in self.ids]
        labelled = list(self.query.grades.values())
        return [self._value(name, ALL if k is None else k, grades, labelled) for name, k in columns]

    def _value(self, name: str, k: int, grades: Sequence[int], labelled: Sequence[int]) -> float:
        if name == TWO_HOPS:
            assert self.query.hops is not None
            return float(outcome(self.ids, self.query.hops, k) == "found")
        if name == UNJUDGED:
            seen = [one for place, one in enumerate(self.ids[:k]) if place not in self.again]
            return sum(one not in self.query.grades for one in seen) / len(seen) if seen else 0.0
        if name in _OVER_NUGGETS:
            return _OVER_NUGGETS[name](self.ids, self.query.nuggets, k)
        metric = METRICS["recall" if name == CONTEXT_RECALL else name]
        return metric(grades, labelled, k, self.level)

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
    """95 % interval over queries, those of a conversation drawn together; None below 20, or 10 conversations."""
    upper: float | None
    n: int
    """Queries."""
    conversations: int
    """That they are of; a query that names none is one by itself."""


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
    conversations: int
    """That they are of; a query that names none is one by itself."""
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
    which a passage is relevant. Raises InputError where no query is left, or the run is of other queries.
    """
    each = _each_of(queries, run, level)
    _refuse_other_queries(queries, run, each, level)
    columns = [one for one in columns_of(ks) if run.stage is None or one[0] in FOR_STAGE[run.stage]]
    kinds = dict.fromkeys(one.query.kind for one in each if one.query.kind is not None)
    hopped = [one for one in each if one.query.hops is not None]
    figures = figures_of(each, columns)
    if run.stage != "rerank":
        figures += figures_of(each, [(TWO_HOPS, k) for k in ks])
    figures += figures_of(each, [(name, k) for name in _OVER_NUGGETS for k in ks])
    return Measured(
        run.name,
        run.stage,
        len(each),
        len(set(units_of(each).tolist())),
        tuple(figures),
        {kind: _of_kind(kind, [one for one in each if one.query.kind == kind]) for kind in kinds}
        | _as_freshstack([one for one in each if one.query.nuggets]),
        tuple(Hops(k, _outcomes(hopped, k)) for k in ks) if hopped else (),
        tuple(_worst(each, max(ks))[:worst]),
        (*_notes(queries, run, each, level), *run.notes),
        tuple(each),
    )


def _each_of(queries: Sequence[Query], run: Run, level: int) -> list[Each]:
    """The queries that are measured, with what the run found for each."""
    return [
        _each(query, run.rankings.get(query.id, ()), level)
        for query in queries
        if query.relevant(level) and (query.id in run.rankings or not run.recorded)
    ]


def _each(query: Query, ids: Ids, level: int) -> Each:
    once = told_once(ids)
    again = frozenset(
        place
        for place, (one, kept) in enumerate(zip(ids, once, strict=True))
        if one is not None and kept is None
    )
    return Each(query, once, level, again)


def told_together(columns: Sequence[Column]) -> Iterator[list[Column]]:
    """The columns in parts that the same queries have values of."""
    for _, some in groupby(columns, lambda column: _APART.get(column[0], "")):
        yield list(some)


def figures_of(each: Sequence[Each], columns: Sequence[Column]) -> list[Figure]:
    """The means of all columns over the queries that have a value of them.

    With fewer than 20 queries, or 10 conversations of several, they are of these alone, and have no interval.
    """
    return [
        figure
        for some in told_together(columns)
        for figure in _figures([one for one in each if one.tells(some[0][0])], some)
    ]


def _figures(each: Sequence[Each], columns: Sequence[Column]) -> list[Figure]:
    if not each:
        return []
    values = np.array([one.values(columns) for one in each], dtype=np.float64)
    ends = [(0.0, max(one.highest(column) for one in each)) for column in columns]
    return [Figure(*mean) for mean in means_of(values, each, columns, ends)]


def means_of(
    values: Floats, each: Sequence[Each], columns: Sequence[Column], ends: Sequence[tuple[float, float]]
) -> Iterator[tuple[str, int | None, float, float | None, float | None, int, int]]:
    """(metric, k, mean, lower, upper, queries, conversations) of each column of `values` [queries, columns].

    `ends` are as `resampled` takes them; where it finds no interval there is neither lower nor upper.
    """
    units = units_of(each)
    conversations = len(set(units.tolist()))
    found: Sequence[Estimate | None] = resampled(values, units, ends) or [None] * len(columns)
    for (metric, k), row, one in zip(columns, values.T, found, strict=True):
        lower, upper = (None, None) if one is None else (one.lower, one.upper)
        yield metric, k, float(row.mean()), lower, upper, len(each), conversations


def units_of(each: Sequence[Each]) -> Integers:
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
    return tuple(figures_of(each, columns_of_kind(kind)))


def _as_freshstack(each: Sequence[Each]) -> dict[str, tuple[Figure, ...]]:
    """The three metrics that FreshStack reports, of the queries that have nuggets."""
    return {"nuggets": tuple(figures_of(each, _FRESHSTACK))} if each else {}


def _outcomes(hopped: Sequence[Each], k: int) -> dict[Hop, int]:
    seen = Counter(outcome(one.ids, one.query.hops, k) for one in hopped if one.query.hops is not None)
    return {kind: seen[kind] for kind in OUTCOMES}


def _worst(each: Sequence[Each], k: int) -> list[Worst]:
    """Queries that do not find all that they should within k or have it late, the worst first."""
    told: list[Column] = [("recall", k), ("ndcg", k)]
    ranked = sorted(((one.values(told), one) for one in each), key=lambda pair: pair[0])
    return [
        Worst(one.query.id, one.query.text, recall, one.first, len(one.query.relevant(one.level)))
        for (recall, ndcg), one in ranked
        if ndcg < 1.0
    ]


def _notes(queries: Sequence[Query], run: Run, each: Sequence[Each], level: int) -> tuple[str, ...]:
    told: list[str] = []
    nothing = sum(not query.relevant(level) for query in queries)
    if nothing:
        told.append(
            f"{_queries(nothing, 'has', 'have')} no relevant passage and {_is(nothing)} left out "
            "(trec_eval counts them as 0)"
        )
    absent = sum(bool(query.relevant(level)) and query.id not in run.rankings for query in queries)
    if absent and run.recorded:
        told.append(f"{_queries(absent, 'was', 'were')} not asked there and {_is(absent)} left out")
    elif absent:
        told.append(
            f"{_queries(absent, 'is', 'are')} not in the run and {'counts' if absent == 1 else 'count'} as finding "
            "nothing, as with trec_eval -c"
        )
    known = {query.id for query in queries}
    strange = [name for name in run.rankings if name not in known]
    if strange:
        told.append(
            f"{_queries(len(strange), 'of the run is', 'of the run are')} not among these, such as {strange[0][:60]!r}"
        )
    again = sum(bool(one.again) for one in each)
    if again:
        told.append(f"{again:,} queries have a passage more than once: it keeps its places and counts once")
    return (*told, *_strangers(each))


def _refuse_other_queries(queries: Sequence[Query], run: Run, each: Sequence[Each], level: int) -> None:
    """A table of zeros would be taken for a bad retriever."""
    wanted = next((query.id for query in queries if query.relevant(level)), None)
    if wanted is None:
        raise InputError(
            "queries", f"none has a passage of grade {level:,} or above; lower --relevant-from, or label some"
        )
    if run.stage is not None or any(one.query.id in run.rankings for one in each):
        return
    found = next(iter(run.rankings), None)
    raise InputError(
        run.name,
        "holds no query"
        if found is None
        else f"holds no labelled query: its ids are as {found[:60]!r}, labelled ones as {wanted[:60]!r}",
    )


def _strangers(each: Sequence[Each]) -> tuple[str, ...]:
    """A warning where no passage of the run is labelled at all: then ids are of two kinds."""
    found = next((name for one in each for name in one.ids if name is not None), None)
    if found is None or any(name in one.query.grades for one in each for name in one.ids):
        return ()
    wanted = next(name for name, grade in each[0].query.grades.items() if grade >= each[0].level)
    told = f"are the ids of one kind? Found {found[:60]!r}, labelled {wanted[:60]!r}"
    return (f"no passage that was found is labelled for its query: {told}",)


def _queries(count: int, one: str, more: str) -> str:
    """
    >>> _queries(1, "is", "are"), _queries(2, "is", "are")
    ('1 query is', '2 queries are')
    """
    return f"{count:,} {f'query {one}' if count == 1 else f'queries {more}'}"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
