"""`ragvigil retrieval`: every run that was named, held against the labels of a set of queries."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from ragvigil.scorer.dialects import DIALECTS, Dialect
from ragvigil.scorer.errors import InputError, meant
from ragvigil.scorer.offline.rows import EVIDENCE, naming, record_of
from ragvigil.scorer.retrieval.chosen import target_of
from ragvigil.scorer.retrieval.compare import Compared, compare
from ragvigil.scorer.retrieval.labels import Labelled
from ragvigil.scorer.retrieval.measure import Column, Each, Figure, Measured, measure
from ragvigil.scorer.retrieval.rankings import Run
from ragvigil.scorer.retrieval.recorded import matched, plain, runs_of
from ragvigil.scorer.retrieval.retriever import corpus_of, run_of
from ragvigil.scorer.retrieval.runs import runs_in
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_asked import answers_to
from ragvigil.scorer.store.reading_history import services
from ragvigil.scorer.trace import RagTrace


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All runs, and each held against the first."""

    runs: tuple[Measured, ...]
    comparisons: tuple[Compared, ...]
    notes: tuple[str, ...]
    """About the queries."""


def evaluation(
    labelled: Labelled, runs: Sequence[Run], ks: Sequence[int], *, level: int = 1, worst: int = 10
) -> Evaluation:
    """Every run measured; all whole runs against the first of them, and each rerank against its first pass."""
    measured = tuple(measure(labelled.queries, run, ks, level=level, worst=worst) for run in runs)
    whole = [one for one in measured if one.stage is None]
    staged = [one for one in measured if one.stage is not None]
    comparisons = [compare(whole[0], other) for other in whole[1:]]
    comparisons += [compare(first, then) for first, then in zip(staged[::2], staged[1::2], strict=True)]
    synthetic = sum(one.synthetic for one in labelled.queries)
    notes = labelled.notes
    if synthetic:
        notes += (
            f"{synthetic:,} of {len(labelled.queries):,} queries are synthetic: they stand for no traffic",
        )
    return Evaluation(measured, tuple(comparisons), notes)


def runs_named(
    labelled: Labelled,
    *,
    files: Sequence[Path] = (),
    retrievers: Sequence[str] = (),
    corpus: Path | None = None,
    store: Path | None = None,
    service: str | None = None,
    top_k: int = 100,
    dialects: Sequence[Dialect] = DIALECTS,
) -> list[Run]:
    """The runs of files, of retrievers, and of a store; where none is named, the evidence that the rows hold.

    Raises InputError, and StoreError for a store.
    """
    runs = [run for file in files for run in runs_in(file, labelled.queries, dialects)]
    if retrievers:
        place = corpus or labelled.corpus
        if place is None:
            raise InputError("--retriever", "needs passages to search; name them with --passages")
        passages = corpus_of(place)
        runs += [run_of(one, labelled, passages, top_k) for one in retrievers]
    if store is not None:
        with closing(open_for_reading(store)) as connection:
            _refuse_unknown(connection, service)
            records = _asked(connection, labelled, service)
            runs += runs_of(store.name, *matched(store.name, records, labelled.queries))
    return runs or _own_evidence(labelled)


def _refuse_unknown(connection: sqlite3.Connection, service: str | None) -> None:
    """Raises InputError, which names those there are, for a service without records."""
    known = list(dict.fromkeys(one.service for one in services(connection)))
    if service is not None and service not in known:
        raise InputError(
            "--service",
            f"no answer of {service[:60]!r} is kept; {meant(service, known) if known else 'nor of any'}",
        )


def _asked(
    connection: sqlite3.Connection, labelled: Labelled, service: str | None
) -> Iterator[tuple[str, RagTrace]]:
    texts = {plain(one.text) for one in labelled.queries if one.text}
    for record in answers_to(connection, lambda query: plain(query) in texts, service):
        yield record.trace_id, record


def _own_evidence(labelled: Labelled) -> list[Run]:
    """What the rows say was retrieved for them."""
    with naming(labelled.file):
        found = {
            name: record_of({key: value for key, value in row.items() if key != "id"}, number)
            for name, (number, row) in labelled.rows.items()
            if any(row.get(key) is not None for key in EVIDENCE)
        }
    if not found:
        raise InputError(
            str(labelled.file),
            "holds labels but nothing retrieved; name a run with --run, --retriever or --store, or give rows evidence",
        )
    return runs_of(labelled.file.name, found)


def as_json(found: Evaluation) -> dict[str, object]:
    """For programs: every figure, and each query's value of every metric."""
    return {
        "notes": list(found.notes),
        "runs": [_run_json(one) for one in found.runs],
        "comparisons": [
            {
                "first": one.first,
                "second": one.second,
                "moved": [{**asdict(moved), "word": moved.word} for moved in one.moved],
                "turned": [asdict(turned) for turned in one.turned],
                "notes": list(one.notes),
            }
            for one in found.comparisons
        ],
    }


def _run_json(one: Measured) -> dict[str, object]:
    columns = [(figure.metric, figure.k) for figure in one.figures]
    return {
        "run": one.run,
        "stage": one.stage,
        "queries": one.queries,
        "conversations": one.conversations,
        "notes": list(one.notes),
        "figures": [_figure_json(figure) for figure in one.figures],
        "by_kind": {kind: [_figure_json(figure) for figure in some] for kind, some in one.kinds.items()},
        "two_hops": [asdict(hops) for hops in one.hops],
        "worst": [asdict(query) for query in one.worst],
        "each": [_each_json(query, columns) for query in one.each],
    }


def _each_json(query: Each, columns: Sequence[Column]) -> dict[str, object]:
    told = [column for column in columns if query.tells(column[0])]
    values = zip(told, query.values(told), strict=True)
    return {"query_id": query.query.id, **{called(*column): value for column, value in values}}


def _figure_json(figure: Figure) -> dict[str, object]:
    return {**asdict(figure), "target": target_of(figure.metric, figure.k)}


def called(metric: str, k: int | None) -> str:
    """A metric with its k.

    >>> called("ndcg", 10), called("map", None)
    ('ndcg@10', 'map')
    """
    return metric if k is None else f"{metric}@{k}"
