"""Documents that come as parallel columns, a list of ids beside one of texts, as some vector stores return them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import overload

from ragvigil.tracer import _reading
from ragvigil.tracer._reading import is_list

IDS = ("ids",)
COLUMNS = {
    "score": ("scores", "similarities"),
    "metadata": ("metadatas", "metadata", "payloads"),
}


class Columns(Sequence[object]):
    """The documents of columns, each made when it is asked for: only the first of them are."""

    def __init__(self, ids: Sequence[object], columns: dict[str, Sequence[object]]) -> None:
        self._ids = ids
        self._columns = columns

    def __len__(self) -> int:
        """How many documents there are."""
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> object: ...
    @overload
    def __getitem__(self, index: slice) -> list[object]: ...
    def __getitem__(self, index: int | slice) -> object:
        """One document as a mapping; a column that is too short has nothing for it."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        row = {name: column[index] for name, column in self._columns.items() if index < len(column)}
        return {**row, "id": self._ids[index]}


def columns_of(result: object, documents: object) -> Columns | None:
    """The documents of a result in columns, for one query or nested for several; None when it has another shape.

    ``documents`` is what the result has under a usual name: None, or the column of texts, unless it is whole documents.

    >>> texts = [["Water boils.", "Ice melts."]]
    >>> columns_of({"ids": [["a", "b"]], "documents": texts}, texts)[1]
    {'text': 'Ice melts.', 'id': 'b'}
    """
    ids = _reading.field(result, IDS)
    if not is_list(ids):
        return None
    nested = bool(ids) and all(is_list(one) for one in ids)
    given = {name: _reading.field(result, names) for name, names in COLUMNS.items()} | {"text": documents}
    columns = {name: _flat(column) if nested else column for name, column in given.items() if is_list(column)}
    if not all(text is None or isinstance(text, str) for text in columns.get("text", ())[:1]):
        return None
    return Columns(_flat(ids) if nested else ids, columns)


def _flat(column: Sequence[object]) -> list[object]:
    """The column of all queries, one after the other."""
    return list(chain.from_iterable(part for part in column if is_list(part)))
