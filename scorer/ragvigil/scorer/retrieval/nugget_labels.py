"""The nuggets of a row: as test sets write them, and as FreshStack does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import is_id, kind_in_words, refuse_misspelt

_HOLD = ("golden_context_ids", "relevant_corpus_ids")
_DO_NOT = "non_relevant_corpus_ids"


def nuggets_of(row: Mapping[str, object], place: str) -> tuple[tuple[frozenset[str], ...], dict[str, int]]:
    """(the passages that hold each nugget, the grade of every passage that was looked at for one).

    A row says ``nuggets: [{text, golden_context_ids}]``, or FreshStack's relevant_corpus_ids and
    non_relevant_corpus_ids. InputError names the field and the fix.

    >>> nuggets_of({"nuggets": [{"text": "t", "golden_context_ids": ["a", "b"]}, {"golden_context_ids": ["b"]}]}, "")[1]
    {'a': 1, 'b': 1}
    """
    said = row.get("nuggets")
    if said is None:
        return (), {}
    if not isinstance(said, list):
        raise InputError(f"{place}, nuggets", f"must be a list of objects, not {kind_in_words(said)}")
    held: list[frozenset[str]] = []
    grades: dict[str, int] = {}
    for number, one in enumerate(cast("list[object]", said)):
        where = f"{place}, nuggets[{number}]"
        if not isinstance(one, dict):
            raise InputError(where, f"must be an object with {_HOLD[0]}, not {kind_in_words(one)}")
        nugget = cast("dict[str, object]", one)
        name = next((key for key in _HOLD if key in nugget), None)
        if name is None:
            refuse_misspelt(nugget, _HOLD, where)
            raise InputError(
                f"{where}, {_HOLD[0]}", "is missing; name the passages that hold it, [] for none"
            )
        holders = list(_ids(nugget[name], f"{where}, {name}"))
        held.append(frozenset(holders))
        grades |= dict.fromkeys(holders, 1)
        for other in _ids(nugget.get(_DO_NOT, []), f"{where}, {_DO_NOT}"):
            grades.setdefault(other, 0)
    return tuple(held), grades


def _ids(said: object, place: str) -> Iterator[str]:
    if not isinstance(said, list):
        raise InputError(place, f"must be a list of ids, not {kind_in_words(said)}")
    for rank, one in enumerate(cast("list[object]", said)):
        if not is_id(one) or one == "":
            raise InputError(f"{place}[{rank}]", f"must be the id of a passage, not {kind_in_words(one)}")
        yield str(one)
