"""Runs from files: one object a query, TREC's run format, rows with evidence, or recorded traces."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import cast

from ragvigil.scorer.dialects import DIALECTS, Dialect
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.records import records_in
from ragvigil.scorer.offline.rows import is_id, kind_in_words, refuse_packed, rows_in
from ragvigil.scorer.retrieval.labels import fields_of
from ragvigil.scorer.retrieval.queries import Query
from ragvigil.scorer.retrieval.rankings import Ids, Run, by_score, note_of_ties
from ragvigil.scorer.retrieval.recorded import matched, runs_of


def runs_in(path: Path, queries: Sequence[Query], dialects: Sequence[Dialect] = DIALECTS) -> list[Run]:
    """The run in a file, or the stages of it where its records tell them. Raises InputError.

    By its first line: {query_id, ids} is a run; six fields are a TREC run (query Q0 passage rank score tag); else it is
    read as rows with evidence, or as recorded traces (OTLP), which are matched by the text of the query.
    """
    first = _first_line(path)
    row = _object(first)
    if row is not None and "ids" in row:
        return [_of_rows(path)]
    if row is None and _is_trec(first):
        return [_of_trec(path)]
    return runs_of(path.name, *matched(path.name, records_in(path, dialects), queries))


def _first_line(path: Path) -> str:
    """The first line that is not empty; of a file that is no text, nothing."""
    try:
        with path.open(encoding="utf-8-sig") as lines:
            first = next((line for line in lines if line.strip()), None)
    except UnicodeDecodeError:
        refuse_packed(path)
        return ""
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    if first is None:
        raise InputError(str(path), "is empty; a run has a line for each query, {query_id, ids}")
    return first


def _object(line: str) -> Mapping[str, object] | None:
    """The object on a line; None where there is none."""
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, object]", row) if isinstance(row, dict) else None


def _is_trec(line: str) -> bool:
    return len(line.split()) == 6 and not line.lstrip().startswith(("{", "["))


def _of_rows(path: Path) -> Run:
    rankings: dict[str, Ids] = {}
    disordered = 0
    for number, row in rows_in(path):
        place = f"{path}, line {number}"
        name = row.get("query_id", row.get("id"))
        if not is_id(name):
            raise InputError(f"{place}, query_id", "is missing; give the id of the query")
        if str(name) in rankings:
            raise InputError(
                f"{place}, query_id", f"{str(name)[:60]!r} is there a second time; leave one out"
            )
        rankings[str(name)] = _ids(row.get("ids"), f"{place}, ids")
        disordered += _rises(row.get("scores"), len(rankings[str(name)]), f"{place}, scores")
    note = f"the scores of {disordered:,} queries do not fall from rank to rank: the order of ids was taken"
    return Run(path.name, rankings, notes=(note,) if disordered else ())


def _ids(said: object, place: str) -> Ids:
    if not isinstance(said, list):
        raise InputError(place, f"must be a list of ids, best first, not {kind_in_words(said)}")
    ids = cast("list[object]", said)
    for rank, one in enumerate(ids):
        if one is not None and not is_id(one):
            raise InputError(f"{place}[{rank}]", f"must be the id of a passage, not {kind_in_words(one)}")
    return tuple(None if one is None else str(one) for one in ids)


def _rises(said: object, ids: int, place: str) -> bool:
    """Whether scores rise somewhere; they are not read otherwise, for the ids stand in their order."""
    if said is None:
        return False
    scores = cast("list[object]", said) if isinstance(said, list) else None
    if scores is None or len(scores) != ids:
        raise InputError(place, f"must be a list of {ids} numbers, one for each id; leave it out if unknown")
    numbers = [one for one in scores if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) != ids:
        raise InputError(place, "must be numbers; leave scores out where one is unknown")
    return any(later > earlier for earlier, later in pairwise(numbers))


def _of_trec(path: Path) -> Run:
    scores: dict[str, dict[str, float]] = {}
    for number, fields in fields_of(path):
        if len(fields) != 6:
            raise InputError(
                f"{path}, line {number}", f"has {len(fields)} fields; write query Q0 passage rank score tag"
            )
        query, _, passage, _, said, _ = fields
        found = scores.setdefault(query, {})
        if passage in found:
            raise InputError(
                f"{path}, line {number}", f"has {passage[:60]!r} a second time for {query[:60]!r}"
            )
        found[passage] = _number(said, f"{path}, line {number}, score")
    return of_scores(path.name, scores)


def of_scores(name: str, scores: Mapping[str, Mapping[str, float]]) -> Run:
    """The run of scores by id of query and of passage, in trec_eval's order.

    >>> of_scores("mine", {"q": {"a": 0.1, "b": 0.9}}).rankings
    {'q': ('b', 'a')}
    """
    tied = sum(len(set(found.values())) < len(found) for found in scores.values())
    return Run(name, {query: by_score(found) for query, found in scores.items()}, notes=note_of_ties(tied))


def _number(said: str, place: str) -> float:
    try:
        number = float(said)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(place, f"must be a number, not {said[:40]!r}")
    return number
