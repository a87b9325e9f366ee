"""Where a result holds its documents: bare, under a usual name, in columns, or inside what a client puts around."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence, ValuesView
from itertools import chain, islice
from typing import cast

from ragvigil.tracer import _reading
from ragvigil.tracer._columns import COLUMNS, columns_of
from ragvigil.tracer._reading import is_list, number

COLLECTIONS = (
    "documents", "nodes", "source_nodes", "source_documents", "passages", "chunks", "matches", "hits", "results",
    "points", "contexts", "objects", "data",
)  # fmt: skip
ENVELOPES = ("result", "body")
_LISTS = (list, tuple, set, frozenset, deque, ValuesView)
_DEEPEST = 3
_MOST_COMPONENTS = 64


def collection_in(result: object, depth: int = 0) -> Sequence[object] | None:
    """The documents that a result holds; None when it holds none under any usual name.

    >>> collection_in({"hits": {"total": 1, "hits": [{"_id": "a", "_source": {"text": "Ice"}}]}})
    [{'_id': 'a', '_source': {'text': 'Ice'}}]
    """
    if isinstance(result, str | bytes | bytearray) or depth > _DEEPEST:
        return None
    if isinstance(result, (*_LISTS, Sequence)):
        return _with_scores(cast("Sequence[object]", result))
    inside = _reading.field(result, COLLECTIONS)
    if (columns := columns_of(result, inside)) is not None:
        return columns
    if isinstance(inside, _LISTS):
        return _beside(result, _with_scores(cast("Sequence[object]", inside)))
    for envelope in (inside, _reading.field(result, ENVELOPES)):
        if envelope is not None and (found := collection_in(envelope, depth + 1)) is not None:
            return found
    return _of_groups(result) or _of_components(result)


def _of_groups(result: object) -> Sequence[object] | None:
    """The documents of groups, one group after the other."""
    groups = _reading.field(result, ("groups",))
    if not is_list(groups):
        return None
    parts = (_reading.field(group, COLLECTIONS) for group in groups)
    return list(chain.from_iterable(part for part in parts if is_list(part)))


def _of_components(result: object) -> Sequence[object] | None:
    """The documents of a pipeline's components, one after the other: ``{"retriever": {"documents": [...]}}``."""
    if not _reading.is_mapping(result):
        return None
    outputs = islice(result.values(), _MOST_COMPONENTS)
    parts = (each.get("documents") for each in outputs if _reading.is_mapping(each))
    found = [part for part in parts if is_list(part)]
    return list(chain.from_iterable(found)) if found else None


def _beside(result: object, documents: Sequence[object]) -> Sequence[object]:
    """The documents with their scores, where those are a list beside them."""
    scores = _reading.field(result, COLUMNS["score"])
    return _paired(documents, scores) or documents if is_list(scores) and is_list(documents) else documents


def _with_scores(result: Sequence[object]) -> Sequence[object]:
    """The documents of ``(documents, scores)``; any other list as it is."""
    if not (isinstance(result, tuple) and len(result) == 2):
        return result
    first, second = result
    if not isinstance(first, list):
        return result
    documents = cast("list[object]", first)
    if isinstance(second, list | tuple):
        scores = cast("Sequence[object]", second)
        if not documents or (second and isinstance(second[0], Mapping | list | tuple)):
            return result
        return _paired(documents, scores) or documents
    return documents


def _paired(documents: Iterable[object], scores: Sequence[object]) -> Sequence[object] | None:
    """Each document with its score; None where they do not match."""
    given = list(documents)
    if len(given) != len(scores) or any(number(score) is None for score in scores):
        return None
    return list(zip(given, scores, strict=True))
