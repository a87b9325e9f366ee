"""``ragvigil retrieval``."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import (
    ConfigOption,
    JsonOption,
    OnlyServiceOption,
    StoreOption,
    settings_of,
)
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

_DEEPEST = 10_000

QueriesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="QUERIES",
        help="JSONL {query_id, query, golden_context_ids}, or a folder with queries.jsonl, qrels and corpus.jsonl.",
    ),
]
QrelsOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Labels instead of the rows' own, BEIR's TSV or TREC's.")
]
DigestOption = Annotated[
    str | None,
    typer.Option(metavar="HEX", help="What a frozen set of queries has to be, as `testset freeze` said."),
]
RunOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="What was found: JSONL {query_id, ids}, a TREC run, rows with evidence, or recorded traces (OTLP). "
        "May be given again: later ones are held against the first.",
    ),
]
RetrieverOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PLACE",
        help="file.py:name or module:name, which has search(corpus, queries, top_k); may be given again.",
    ),
]
PassagesOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="JSONL {_id, title, text}, for --retriever; a folder has its own."),
]
DepthsOption = Annotated[str, typer.Option(metavar="NUMBERS", help="Depths, with commas.")]
RelevantOption = Annotated[
    int, typer.Option(min=1, max=1_000, help="Lowest grade that counts as relevant; nDCG takes all grades.")
]
WorstOption = Annotated[int, typer.Option(min=0, max=10_000, help="Worst queries to list.")]


def retrieval(
    queries: QueriesArgument,
    qrels: QrelsOption = None,
    digest: DigestOption = None,
    run: RunOption = None,
    retriever: RetrieverOption = None,
    passages: PassagesOption = None,
    k: DepthsOption = "1,3,5,10,100",
    relevant_from: RelevantOption = 1,
    worst: WorstOption = 10,
    service: OnlyServiceOption = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Measure retrieval against relevance labels: recall, precision, hit rate, MRR, nDCG and MAP with n and intervals.

    With --store, what production retrieved for these queries, matched by their text; with none of --run, --retriever
    and --store, the evidence that the rows hold. Two runs are compared query by query, and a difference that is smaller
    than its interval is called noise. Exit code 2 when a file cannot be read or nothing in it is of these queries.
    """
    from ragvigil.scorer.dialects.custom import dialects_of
    from ragvigil.scorer.retrieval import evaluation, told
    from ragvigil.scorer.retrieval.ages import note_of_ages
    from ragvigil.scorer.retrieval.labels import labelled

    ks = _depths(k)
    settings = settings_of(config, store)
    found = labelled(queries, qrels, digest)
    runs = evaluation.runs_named(
        found,
        files=run or (),
        retrievers=retriever or (),
        corpus=passages,
        store=None if store is None else settings.store.path,
        service=service,
        top_k=max(ks),
        dialects=dialects_of(settings.dialects),
    )
    place = passages or found.corpus
    if place is not None and place.exists() and (retriever or any(one.nuggets for one in found.queries)):
        found = replace(found, notes=(*found.notes, note_of_ages(place, datetime.now(UTC))))
    measured = evaluation.evaluation(found, runs, ks, level=relevant_from, worst=worst)
    if as_json:
        typer.echo(json.dumps(evaluation.as_json(measured), ensure_ascii=False))
    else:
        say("\n".join(told.lines_of(measured)).strip("\n"))
    return 0


def _depths(said: str) -> list[int]:
    """The depths, each once, in rising order.

    >>> _depths("10, 1,3")
    [1, 3, 10]
    """
    parts = [part.strip() for part in said.split(",")]
    if not all(
        len(part) <= 5 and part.isascii() and part.isdigit() and 1 <= int(part) <= _DEEPEST for part in parts
    ):
        raise ConfigError(
            "--k", f"cannot be {said[:40]!r}", f"whole numbers from 1 to {_DEEPEST:,}, such as 1,3,10"
        )
    return sorted({int(part) for part in parts})
