"""``ragvigil chunks``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.retrieval.grid import Grid
    from ragvigil.scorer.retrieval.measure import Figure

_LARGEST = 100_000


def chunks(
    queries: Annotated[
        Path,
        typer.Argument(
            metavar="QUERIES", help="JSONL {query_id, query, golden_context_ids}, as for retrieval."
        ),
    ],
    documents: Annotated[
        Path,
        typer.Option(
            metavar="PATH", help="The whole documents: a folder of texts, or JSONL {id, title, text}."
        ),
    ],
    passages: Annotated[
        Path,
        typer.Option(metavar="FILE", help="JSONL {id, text}: the golden passages, cut as they are today."),
    ],
    sizes: Annotated[
        str, typer.Option(metavar="NUMBERS", help="Words of a chunk, with commas.")
    ] = "64,128,256,512",
    overlaps: Annotated[
        str, typer.Option(metavar="SHARES", help="Of a chunk that the next one has too, with commas.")
    ] = "0,0.25",
    retriever: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE", help="file.py:name with search(corpus, queries, top_k); default: BM25."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Try ways to cut documents: every size with every overlap and by paragraphs, plain and with headings in front.

    Says of each how many golden passages the first five chunks hold (recall) and how high they stand (nDCG), with
    intervals, and which differences from the best are noise. Exit code 2 when a file cannot be read, or no golden
    passage is in its document.
    """
    from ragvigil.scorer.offline.passages import passages_in
    from ragvigil.scorer.retrieval.documents import documents_in
    from ragvigil.scorer.retrieval.grid import cuts_of, grid
    from ragvigil.scorer.retrieval.keyword import Keyword
    from ragvigil.scorer.retrieval.labels import labelled
    from ragvigil.scorer.retrieval.retriever import retriever_of

    cuts = cuts_of(
        [round(one) for one in _numbers(sizes, "--sizes", 1, _LARGEST)],
        _numbers(overlaps, "--overlaps", 0, 0.9),
    )
    chosen = Keyword() if retriever is None else retriever_of(retriever)
    found = grid(labelled(queries), documents_in(documents), passages_in(passages), cuts, chosen)
    say(json.dumps(asdict(found), ensure_ascii=False) if as_json else "\n".join(_lines(found)), whole=as_json)
    return 0


def _numbers(said: str, option: str, least: float, most: float) -> list[float]:
    """The numbers, each once, in rising order.

    >>> _numbers("256, 64", "--sizes", 1, 1000)
    [64.0, 256.0]
    """
    try:
        numbers = sorted({float(one) for one in said.split(",")})
    except ValueError:
        numbers = []
    if not numbers or not all(least <= one <= most for one in numbers):
        raise ConfigError(
            option, f"cannot be {said[:40]!r}", f"numbers from {least:g} to {most:g}, with commas"
        )
    return numbers


def _lines(found: Grid) -> Iterator[str]:
    from ragvigil.exporters import clean

    yield f"{found.queries:,} questions; the best recall first [95 % interval by question]"
    yield f"  {'':<36}{'chunks':>8}  {'recall@5':<22}{'ndcg@5':<22}against the best"
    for one in found.cells:
        word = "" if one.word is None else one.word
        yield f"  {one.cut.name:<36}{one.chunks:>8,}  {_said(one.recall):<22}{_said(one.ndcg):<22}{word}".rstrip()
    yield from (f"  note: {clean(note, limit=300)}" for note in found.notes)


def _said(figure: Figure) -> str:
    if figure.lower is None or figure.upper is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.lower:.3f},{figure.upper:.3f}]"
