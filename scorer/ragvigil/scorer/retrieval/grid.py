"""Which way to cut documents finds the golden passages best: every size, overlap and variant on the same questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.retrieval.chunking import Chunk, Cut, chunks_of, told
from ragvigil.scorer.retrieval.compare import Word, compare
from ragvigil.scorer.retrieval.labels import Labelled
from ragvigil.scorer.retrieval.measure import COVERAGE, Figure, Measured, measure
from ragvigil.scorer.retrieval.queries import Query
from ragvigil.scorer.retrieval.rankings import Run
from ragvigil.scorer.retrieval.retriever import Corpus, Retriever, scores_of
from ragvigil.scorer.retrieval.runs import of_scores

_K = 5
_HALF = 0.5
_MOST_CELLS = 200


@dataclass(frozen=True, slots=True)
class Document:
    """One whole document."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One way to cut, and how well its chunks are found."""

    cut: Cut
    chunks: int
    recall: Figure
    """Share of a question's golden passages of which one of the first five chunks holds half or is a part."""
    ndcg: Figure
    """nDCG at 5 over the chunks that hold, or are part of, a golden passage."""
    word: Word | None
    """Its recall against that of the best cell; None for that one."""


@dataclass(frozen=True, slots=True)
class Grid:
    """All cells, the best recall first."""

    cells: tuple[Cell, ...]
    queries: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a golden passage stands."""

    document: str
    start: int
    end: int


def cuts_of(sizes: Sequence[int], overlaps: Sequence[float]) -> list[Cut]:
    """Every size with every overlap and by content, each without and with title and headings in front.

    >>> len(cuts_of([128, 256], [0.0, 0.25]))
    12
    """
    ways: list[float | None] = [*overlaps, None]
    return [Cut(size, way, headed) for headed in (False, True) for size in sizes for way in ways]


def grid(
    labelled: Labelled,
    documents: Mapping[str, Document],
    passages: Mapping[str, str],
    cuts: Sequence[Cut],
    retriever: Retriever,
) -> Grid:
    """How well each way to cut `documents` finds the golden passages, whose texts are `passages`.

    Labels are ids of passages as they are cut today, and mean nothing after another cut: so each golden passage is
    looked for in its document (`doc` of `doc#3`), and a chunk is relevant that shares half of the shorter one with it.
    Raises InputError where none is found, and for more than 200 cells.
    """
    if len(cuts) > _MOST_CELLS:
        raise InputError(
            "--sizes", f"and --overlaps make {len(cuts):,} cells, at most {_MOST_CELLS} are tried"
        )
    placed, notes = _placed(labelled.queries, documents, passages)
    if not placed:
        raise InputError(
            str(labelled.file), f"no golden passage is found in the documents: {' '.join(notes)}"
        )
    texts = {query.id: query.text for query, _ in placed if query.text}
    measured: list[tuple[Cut, int, Measured]] = []
    for cut in cuts:
        corpus, cells = _corpus(documents, cut)
        queries = [_relabelled(query, places, cells) for query, places in placed]
        found = of_scores(cut.name, scores_of(retriever.search(corpus, texts, _K), cut.name))
        run = Run(cut.name, {query.id: found.rankings.get(query.id, ()) for query in queries})
        measured.append((cut, len(corpus), measure(queries, run, [_K], worst=0)))
    ranked = sorted(measured, key=lambda one: (-_figure(one[2], COVERAGE).value, one[1]))
    cells_told = tuple(_cell(one, ranked[0][2]) for one in ranked)
    return Grid(cells_told, len(placed), notes)


def _cell(one: tuple[Cut, int, Measured], best: Measured) -> Cell:
    cut, chunks, own = one
    word = None
    if own is not best:
        moved = next(each for each in compare(best, own).moved if each.metric == COVERAGE)
        word = moved.word
    return Cell(cut, chunks, _figure(own, COVERAGE), _figure(own, "ndcg"), word)


def _figure(measured: Measured, metric: str) -> Figure:
    return next(one for one in measured.figures if (one.metric, one.k) == (metric, _K))


def _placed(
    queries: Sequence[Query], documents: Mapping[str, Document], passages: Mapping[str, str]
) -> tuple[list[tuple[Query, list[Place]]], tuple[str, ...]]:
    """Where the golden passages of each query stand; a query of which any is not found is left out, and counted."""
    found: list[tuple[Query, list[Place]]] = []
    lost: list[str] = []
    for query in queries:
        names = sorted(query.relevant())
        places = [place for name in names for place in _place(name, documents, passages)]
        if names and len(places) == len(names) and query.text:
            found.append((query, places))
        elif names:
            lost.append(query.id)
    if not lost:
        return found, ()
    why = "a golden passage of theirs is not in its document, word for word, or they have no text"
    return found, (f"{len(lost):,} questions are left out, such as {lost[0][:60]!r}: {why}",)


def _place(name: str, documents: Mapping[str, Document], passages: Mapping[str, str]) -> Iterator[Place]:
    owner = name if name in documents else name.rpartition("#")[0]
    document, text = documents.get(owner), passages.get(name)
    if document is None or text is None or not text.strip():
        return
    pattern = r"\s+".join(map(re.escape, text.split()))
    at = re.search(pattern, document.text)
    if at is not None:
        yield Place(owner, at.start(), at.end())


def _corpus(documents: Mapping[str, Document], cut: Cut) -> tuple[Corpus, dict[str, list[tuple[str, Chunk]]]]:
    """The chunks of all documents as a corpus, and by document where each lies."""
    corpus: Corpus = {}
    lying: dict[str, list[tuple[str, Chunk]]] = {}
    for name, document in documents.items():
        for number, chunk in enumerate(chunks_of(document.text, cut)):
            label = f"{name}#{number}"
            text = told(document.text, chunk, document.title, headed=cut.headed)
            corpus[label] = {"title": "", "text": text}
            lying.setdefault(name, []).append((label, chunk))
    return corpus, lying


def _relabelled(query: Query, places: Sequence[Place], lying: Mapping[str, list[tuple[str, Chunk]]]) -> Query:
    """The query with the chunks that hold its golden passages."""
    held = tuple(_holders(place, lying.get(place.document, ())) for place in places)
    return Query(
        query.id,
        query.text,
        dict.fromkeys(frozenset[str]().union(*held), 1),
        conversation=query.conversation,
        synthetic=query.synthetic,
        nuggets=held,
    )


def _holders(place: Place, lying: Sequence[tuple[str, Chunk]]) -> frozenset[str]:
    """The chunks that share half of the shorter one with a passage; where a cut halves it, the one with most of it."""
    common = {label: min(chunk.end, place.end) - max(chunk.start, place.start) for label, chunk in lying}
    shorter = {label: min(chunk.end - chunk.start, place.end - place.start) for label, chunk in lying}
    most = max(common.values())
    return frozenset(label for label, one in common.items() if one == most or one >= _HALF * shorter[label])
