"""Any retriever in Python: an object with `search(corpus, queries, top_k)`."""

from __future__ import annotations

import importlib
import inspect
import math
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from ragvigil.exporters import clean
from ragvigil.scorer.config.fields import place_and_name
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import is_id, rows_in
from ragvigil.scorer.own_code import heard, module_of_file
from ragvigil.scorer.retrieval.labels import Labelled
from ragvigil.scorer.retrieval.rankings import Run
from ragvigil.scorer.retrieval.runs import of_scores

Corpus = dict[str, dict[str, str]]
"""Title and text of each passage by its id."""
_HINT = "write path/to/file.py:name or package.module:name"


class Retriever(Protocol):
    """What can be scored: the retrievers of BEIR, or ten lines of one's own."""

    def search(
        self, corpus: Corpus, queries: dict[str, str], top_k: int, /
    ) -> Mapping[str, Mapping[str, float]]:
        """Scores by id of query and of passage, higher is better, at most `top_k` a query."""
        ...


def retriever_of(place: str) -> Retriever:
    """The object that `file.py:name` or `module:name` names; a class is made without arguments. Raises InputError."""
    where, name = place_and_name(place)
    if not where or not name:
        raise InputError(repr(place), f"names no retriever; {_HINT}")
    try:
        with heard():
            module = _module(where)
    except FileNotFoundError:
        raise InputError(where, f"no such file; looked for in {Path.cwd()}") from None
    except Exception as error:
        raise InputError(where, f"cannot be imported: {_said(error)}") from error
    if not hasattr(module, name):
        raise InputError(place, f"there is no {name} in it")
    found: object = getattr(module, name)
    try:
        with heard():
            made = found() if inspect.isclass(found) else found
    except Exception as error:
        raise InputError(place, f"cannot be made without arguments: {_said(error)}") from error
    if not callable(getattr(made, "search", None)):
        raise InputError(place, "has no search(corpus, queries, top_k); name a class or an object that has")
    return cast("Retriever", made)


def _module(where: str) -> ModuleType:
    """The module, with what stands beside it importable, as it is for `python file.py` and `python -m module`."""
    file = Path(where) if where.endswith(".py") else None
    folder = str((file.parent if file else Path()).resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return module_of_file(file, "retriever") if file else importlib.import_module(where)


def corpus_of(path: Path) -> Corpus:
    """The passages of a file of rows {_id or id, title, text}. Raises InputError that names line and fix."""
    found: Corpus = {}
    for number, row in rows_in(path):
        name, text, title = row.get("_id", row.get("id")), row.get("text"), row.get("title") or ""
        if not is_id(name):
            raise InputError(f"{path}, line {number}, _id", "is missing; give each passage an id")
        if not isinstance(text, str) or not isinstance(title, str):
            raise InputError(f"{path}, line {number}, text", "must be text; put the passage there")
        found[str(name)] = {"title": title, "text": text}
    if not found:
        raise InputError(str(path), "holds no passage; write one {_id, title, text} a line")
    return found


def run_of(place: str, labelled: Labelled, corpus: Corpus, top_k: int) -> Run:
    """What a retriever finds for the queries that have labels and a text. Raises InputError."""
    retriever = retriever_of(place)
    queries = {one.id: one.text for one in labelled.queries if one.text and one.relevant()}
    if not queries:
        raise InputError("queries", "have no text to search with; give each a query")
    try:
        with heard():
            answer: object = retriever.search(corpus, queries, top_k)
    except Exception as error:
        raise InputError(place, f"search failed: {_said(error)}") from error
    return of_scores(place, scores_of(answer, place))


def scores_of(answer: object, place: str) -> dict[str, dict[str, float]]:
    """What `search` of the retriever `place` returned, as plain texts and numbers. Raises InputError."""
    if not isinstance(answer, Mapping):
        raise InputError(place, "search must return {query id: {passage id: score}}")
    found: dict[str, dict[str, float]] = {}
    for query, scores in cast("Mapping[object, object]", answer).items():
        if not isinstance(scores, Mapping):
            raise InputError(place, f"search must return {{passage id: score}} for query {str(query)[:60]!r}")
        found[str(query)] = {
            str(passage): _score(score, f"{place}, query {str(query)[:60]!r}")
            for passage, score in cast("Mapping[object, object]", scores).items()
        }
    return found


def _score(value: object, place: str) -> float:
    """As a number; those of numpy and torch too."""
    try:
        score = float(cast("float", value))
    except OverflowError:
        raise InputError(place, "search must return scores below 1e308; this one is no float") from None
    except (TypeError, ValueError):
        score = math.nan
    if math.isnan(score):
        raise InputError(place, f"search must return numbers as scores, not {type(value).__name__}")
    return score


def _said(error: Exception) -> str:
    """What went wrong, and in which line of whose file."""
    frames = traceback.extract_tb(error.__traceback__)
    line = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {clean(str(error), limit=200)}{line}"
