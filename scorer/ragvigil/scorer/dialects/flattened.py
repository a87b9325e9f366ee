"""Attributes that spell a list in their names: `retrieval.documents.0.document.id`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

_LONGEST_INDEX = 6
_LONGEST_KEPT = 100


def indexed(attributes: Mapping[str, object], prefix: str) -> list[dict[str, object]]:
    """The items under `prefix`, each with its own names, in the order of their numbers.

    >>> indexed({"d.1.id": "b", "d.0.id": "a", "d.0.score": 1, "e": 2}, "d.")
    [{'id': 'a', 'score': 1}, {'id': 'b'}]
    """
    found: dict[int, dict[str, object]] = {}
    start = len(prefix)
    named = prefix in "\n".join(attributes)  # most spans hold none: one look instead of one at each name
    for key, value in attributes.items() if named else ():
        if key.startswith(prefix):
            place = _known(key, start) if len(key) <= _LONGEST_KEPT else _place(key, start)
            if place is not None:
                found.setdefault(place[0], {})[place[1]] = value
    if not found:
        attributes.get(f"{prefix}N")  # tells whoever records what is looked up, as `ragvigil explain` does
    return [found[number] for number in sorted(found)]


def _place(key: str, start: int) -> tuple[int, str] | None:
    """The number and the name in a key, from `start`; None when there is no number."""
    number, _, name = key[start:].partition(".")
    if number.isdecimal() and number.isascii() and len(number) <= _LONGEST_INDEX:
        return int(number), name
    return None


_known = lru_cache(maxsize=4096)(_place)
