"""Attributes that spell a list in their names: `retrieval.documents.0.document.id`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

Layout: TypeAlias = tuple[tuple[tuple[str, str], ...], ...]

_LONGEST_INDEX = 6
_DEEPEST = 8
_LONGEST_KEPT = 10_000
"""Characters of all names together."""


def indexed(attributes: Mapping[str, object], prefix: str) -> list[dict[str, object]]:
    """The items under `prefix`, each with its own names, in the order of their numbers.

    >>> indexed({"d.1.id": "b", "d.0.id": "a", "d.0.score": 1, "e": 2}, "d.")
    [{'id': 'a', 'score': 1}, {'id': 'b'}]
    """
    names = "\n".join(attributes)  # most spans hold none: one look instead of one at each name
    places: Layout = ()
    if prefix in names:
        keys = tuple(attributes)
        places = _layout(keys, prefix) if len(names) <= _LONGEST_KEPT else _places(keys, prefix)
    if not places:
        attributes.get(f"{prefix}N")  # tells whoever records what is looked up, as `ragvigil explain` does
    return [{name: attributes[key] for name, key in item} for item in places]


def unflattened(attributes: Mapping[str, object], prefix: str, own: str = "") -> list[dict[str, object]]:
    """The items under `prefix` with the lists and objects that their own names spell; `own` begins each of these.

    >>> unflattened({"m.0.x.role": "tool", "m.0.x.calls.0.call.function.name": "find"}, "m.", "x.")
    [{'role': 'tool', 'calls': [{'call': {'function': {'name': 'find'}}}]}]
    """
    return [
        _grown({name.removeprefix(own): value for name, value in item.items()})
        for item in indexed(attributes, prefix)
    ]


def nested(attributes: Mapping[str, object], prefix: str) -> object:
    """The list or the object that all names under `prefix` spell; None where there is none.

    >>> nested({"in.q": "why?", "out.0.id": "a", "out.1.id": "b"}, "out.")
    [{'id': 'a'}, {'id': 'b'}]
    >>> nested({"in.q": "why?"}, "in."), nested({"in.q": "why?"}, "out.")
    ({'q': 'why?'}, None)
    """
    held = {key[len(prefix) :]: attributes[key] for key in attributes if key.startswith(prefix)}
    return _grown({f"_.{name}": value for name, value in held.items()})["_"] if held else None


def _grown(flat: Mapping[str, object]) -> dict[str, object]:
    below: dict[str, dict[str, object]] = {}
    grown: dict[str, object] = {}
    for name, value in flat.items():
        head, dot, rest = name.partition(".")
        if dot and name.count(".") <= _DEEPEST:
            below.setdefault(head, {})[rest] = value
        else:
            grown[name] = value
    for head, fields in below.items():
        inner = _grown(fields)
        numbered = all(key.isdecimal() for key in inner)
        grown[head] = [inner[key] for key in sorted(inner, key=int)] if numbered else inner
    return grown


def _places(keys: Iterable[str], prefix: str) -> Layout:
    """For each item under `prefix`, in the order of their numbers, its own names with the keys that hold them."""
    found: dict[int, dict[str, str]] = {}
    for key in keys:
        if key.startswith(prefix):
            number, _, name = key[len(prefix) :].partition(".")
            if number.isdecimal() and number.isascii() and len(number) <= _LONGEST_INDEX:
                found.setdefault(int(number), {})[name] = key
    return tuple(tuple(found[number].items()) for number in sorted(found))


_layout = lru_cache(maxsize=512)(_places)
"""Kept, for spans of one kind have the same names again and again."""
