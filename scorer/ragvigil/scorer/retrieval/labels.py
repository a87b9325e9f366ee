"""Queries and labels from files: rows of a test set, or the layout of BEIR."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from ragvigil.exporters import clean
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import (
    NAMELESS,
    is_id,
    kind_in_words,
    refuse_half_characters,
    refuse_misspelt,
    rows_in,
    text_of,
    text_under,
)
from ragvigil.scorer.offline.synthetic import is_synthetic
from ragvigil.scorer.retrieval.nugget_labels import nuggets_of
from ragvigil.scorer.retrieval.queries import KINDS, Query, kind_of
from ragvigil.scorer.testset.freeze import unchanged
from ragvigil.scorer.testset.read import HEADER

Grades = dict[str, dict[str, int]]
"""Grade by id of query and of passage."""
NumberedRow = tuple[int, Mapping[str, object]]
"""A row with the number of its line."""
_ID = ("query_id", "id", "_id")
_TEXT = ("query", "question", "user_input", "text", "query_text")
GOLDEN = "golden_context_ids"
_HIGHEST = 1_000
_HEAD = re.compile(r"query[-_]id\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A set of queries."""

    queries: tuple[Query, ...]
    file: Path
    """That holds them."""
    rows: Mapping[str, NumberedRow]
    """What each query's row holds besides, by the query's id."""
    corpus: Path | None
    """Where the passages are, in the layout of BEIR."""
    notes: tuple[str, ...] = ()


def labelled(path: Path, qrels: Path | None = None, digest: str | None = None) -> Labelled:
    """The queries of a file of rows or of a folder in the layout of BEIR, with their labels.

    A row is {query_id, query, golden_context_ids}; where `qrels` is named, its labels are taken instead. A folder holds
    queries.jsonl, qrels/test.tsv (or its only one) and corpus.jsonl. A frozen set has to be what it was frozen as, and
    of the `digest`, if any. Raises InputError that names file, line, field and fix.
    """
    folder = path.is_dir()
    file = path / "queries.jsonl" if folder else path
    chosen = qrels or (_qrels_in(path) if folder else None)
    if digest is not None:
        unchanged(file, digest)
    queries, rows = _read(file, own=chosen is None)
    notes: tuple[str, ...] = ()
    if chosen is not None:
        grades = _grades_of(chosen)
        notes = _unmatched(grades, queries, file, chosen)
        queries = {name: replace(one, grades=grades.get(name, {})) for name, one in queries.items()}
    if not any(one.relevant() for one in queries.values()):
        raise InputError(
            f"{chosen or file}",
            f"labels no relevant passage; give rows {GOLDEN}, or name labels with --qrels",
        )
    corpus = path / "corpus.jsonl" if folder else None
    return Labelled(tuple(queries.values()), file, rows, corpus, notes)


def _read(file: Path, *, own: bool) -> tuple[dict[str, Query], dict[str, NumberedRow]]:
    """The queries of a file, and the row of each, by id; whether their labels are their `own`."""
    queries: dict[str, Query] = {}
    rows: dict[str, NumberedRow] = {}
    for number, row in rows_in(file):
        if HEADER in row and not queries:
            unchanged(file)
            continue
        query = _query(row, number, f"{file}, line {number}", own=own)
        if query.id in queries:
            raise InputError(
                f"{file}, line {number}", f"has the id {query.id[:60]!r} a second time; ids must differ"
            )
        queries[query.id], rows[query.id] = query, (number, row)
    if not queries:
        raise InputError(str(file), "holds no query; put one JSON object on each line")
    return queries, rows


def _qrels_in(folder: Path) -> Path | None:
    found = sorted((folder / "qrels").glob("*.tsv"))
    if (test := folder / "qrels" / "test.tsv") in found:
        return test
    if len(found) > 1:
        raise InputError(
            f"{folder / 'qrels'}", f"holds {', '.join(one.name for one in found)}; name one with --qrels"
        )
    return found[0] if found else None


def _unmatched(grades: Grades, queries: Mapping[str, Query], file: Path, qrels: Path) -> tuple[str, ...]:
    strangers = [name for name in grades if name not in queries]
    if len(strangers) == len(grades):
        own = next(iter(queries))
        raise InputError(
            str(qrels),
            f"labels no query of {file}: its ids are as {strangers[0][:60]!r}, those there as {own[:60]!r}"
            if strangers
            else "holds no label",
        )
    return (f"{len(strangers):,} queries of {qrels.name} are not in {file.name}",) if strangers else ()


def _query(row: Mapping[str, object], number: int, place: str, *, own: bool) -> Query:
    refuse_half_characters(row, place)
    name = next((row[key] for key in _ID if row.get(key) is not None), None)
    if name is not None and not is_id(name):
        raise InputError(f"{place}, query_id", f"must be text or a whole number, not {kind_in_words(name)}")
    text, title = text_under(row, _TEXT, place), text_under(row, ("query_title",), place)
    text = f"{title} {text}" if title and text else text or title
    conversation = text_under(row, ("conversation_id", "conversation"), place)
    hops = _hops(row, place)
    nuggets, judged = nuggets_of(row, place)
    golden = _golden(row, place) if own else {}
    golden = golden or (judged if own else {})
    _refuse_other_hops(hops, golden, place)
    return Query(
        f"{NAMELESS}{number}" if name is None else str(name),
        text,
        golden or ({} if hops is None else dict.fromkeys(hops, 1)),
        _kind(row, place),
        conversation,
        hops,
        is_synthetic(row),
        nuggets,
    )


def _kind(row: Mapping[str, object], place: str) -> str | None:
    """What kind of query a row is; an intent may also be a topic, and the type of its answer say the kind."""
    said = [text_under(row, (name,), place) for name in ("intent", "type", "answer_type")]
    kinds = [None if one is None else kind_of(one) for one in said]
    return next((one for one in kinds if one in KINDS), kinds[0] or kinds[1])


def _golden(row: Mapping[str, object], place: str) -> dict[str, int]:
    """Grades of the passages that a row labels: a list of ids, each of grade 1, or an object of grades by id."""
    said = row.get(GOLDEN)
    if said is None:
        refuse_misspelt(row, (GOLDEN,), place)
        return {}
    if isinstance(said, dict):
        grades = cast("dict[str, object]", said)
        return {
            name: _grade(grade, f"{place}, {GOLDEN}.{clean(name, limit=60)}")
            for name, grade in grades.items()
        }
    if not isinstance(said, list):
        raise InputError(
            f"{place}, {GOLDEN}", f'must be a list of ids, such as ["a#1"], not {kind_in_words(said)}'
        )
    ids = cast("list[object]", said)
    return {_id(one, f"{place}, {GOLDEN}[{rank}]"): 1 for rank, one in enumerate(ids)}


def _hops(row: Mapping[str, object], place: str) -> tuple[str, str] | None:
    said = row.get("hops")
    if said is None:
        return None
    ids = cast("list[object]", said) if isinstance(said, list) else []
    if len(ids) != 2 or ids[0] == ids[1]:
        raise InputError(
            f"{place}, hops", 'must be a list of two ids, the first hop first, such as ["a#1", "b#7"]'
        )
    return _id(ids[0], f"{place}, hops[0]"), _id(ids[1], f"{place}, hops[1]")


def _refuse_other_hops(hops: tuple[str, str] | None, golden: Mapping[str, int], place: str) -> None:
    """Recall would go by one set of passages, and two-hop recall by another."""
    for one in hops or ():
        if golden and golden.get(one, 0) < 1:
            raise InputError(
                f"{place}, hops",
                f"{one[:60]!r} is not relevant by {GOLDEN}; put it there, or leave one of the two out",
            )


def _id(value: object, place: str) -> str:
    if not is_id(value) or value == "":
        raise InputError(place, f"must be the id of a passage, not {kind_in_words(value)}")
    return str(value)


def _grade(value: object, place: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _HIGHEST:
        raise InputError(
            place,
            f"must be a grade, a whole number to {_HIGHEST:,}: 0 for not relevant, 1 and more for relevant",
        )
    return value


def _grades_of(path: Path) -> Grades:
    """The labels in a file: `query-id corpus-id score` with a head line (BEIR), or `query 0 passage grade` (TREC).

    Raises InputError that names line and fix.
    """
    found: Grades = {}
    for number, fields in fields_of(path):
        if number == 1 and _HEAD.match(" ".join(fields) + " "):
            continue
        if len(fields) not in (3, 4):
            raise InputError(
                f"{path}, line {number}",
                f"has {len(fields)} fields; write query-id, corpus-id and score, or query, 0, passage and grade",
            )
        query, passage, grade = fields[0], fields[-2], fields[-1]
        if not re.fullmatch(r"[+-]?\d{1,4}(\.0+)?", grade) or abs(float(grade)) > _HIGHEST:
            raise InputError(
                f"{path}, line {number}, score",
                f"must be a whole number such as 1, not {grade[:40]!r}; the highest is {_HIGHEST:,}",
            )
        labels = found.setdefault(query, {})
        if passage in labels:
            raise InputError(
                f"{path}, line {number}", f"labels {passage[:60]!r} of {query[:60]!r} a second time"
            )
        labels[passage] = int(float(grade))
    return found


def fields_of(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that is not empty, with its number: between tabs, or where there is none, blanks."""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if line.strip():
            yield number, [one.strip() for one in line.split("\t")] if "\t" in line else line.split()
