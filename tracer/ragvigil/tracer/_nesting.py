"""Lists of documents inside a list of results, as searches for several queries return them: one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from typing import TypeGuard, cast

from ragvigil.tracer._identities import is_marked, one_word
from ragvigil.tracer._reading import is_mapping, number

NESTING: frozenset[type] = frozenset({list, tuple, set, frozenset, deque})
"""Types that may hold documents, or be one in a row: ``("a", "Ice")``."""
_DEEPEST = 4
_MOST_STEPS = 20_000
_LOOKED_AT = 8


class Flat:
    """Documents one after the other, out of lists in lists: the first of them, and how many there were."""

    def __init__(self, at_most: int) -> None:
        self.kept: list[object] = []
        self.total = 0
        """At least as many as there were; of more lists than are looked at, each counts as one."""
        self._at_most = at_most
        self._steps = _MOST_STEPS
        self._nested = False

    def add(self, document: object, depth: int = 0) -> None:
        """Take a document, or the documents of a list."""
        if depth < _DEEPEST and is_list_of_documents(document):
            self._nested = True
            if len(self.kept) < self._at_most:
                self.extend(document, depth + 1)
            else:
                self.total += len(document)
            return
        self.total += 1
        if len(self.kept) < self._at_most:
            self.kept.append(document)

    def extend(self, documents: Collection[object], depth: int = 0) -> None:
        """Take the documents of a list."""
        looked_at = 0
        for document in documents:
            if self._steps <= 0 or (len(self.kept) >= self._at_most and not self._nested):
                break
            self._steps -= 1
            looked_at += 1
            self.add(document, depth)
        self.total += len(documents) - looked_at


def is_list_of_documents(value: object) -> TypeGuard[Collection[object]]:
    """Whether this holds documents, rather than being one in a row: ``("a", "Ice")``, ``(document, 0.5)``.

    >>> is_list_of_documents([{"id": "a"}, {"id": "b"}]), is_list_of_documents(["a-1", "Ice melts."])
    (True, False)
    >>> is_list_of_documents([("a", "Ice"), ("b", "Fog")]), is_list_of_documents(["Ice melts.", "Fog is water."])
    (True, True)
    """
    kind = type(value)
    if kind not in NESTING:
        return False
    if kind is not list and kind is not tuple:
        return True
    row = cast("list[object] | tuple[object, ...]", value)
    if not row:
        return True
    if kind is tuple and isinstance(row[0], str):
        return False
    some = row[:_LOOKED_AT]
    if all(isinstance(one, str | bytes) for one in some):
        return kind is list and _are_texts(some)
    if any(one is None or isinstance(one, str | bytes) or number(one) is not None for one in some):
        return False
    return not (kind is tuple and len(some) == 2 and not is_mapping(some[0]) and is_mapping(some[1]))


def _are_texts(texts: Sequence[object]) -> bool:
    """Whether a list of texts is no row: only an id with a digit or mark before what has spaces makes it one."""
    first, *others = texts
    if not (isinstance(first, str) and one_word(first) and is_marked(first)):
        return True
    return all(isinstance(text, str) and one_word(text) for text in others)
