"""Whether what somebody else's code made is what its annotations say, so that nobody behind it has to ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

_WIDEST = 2**63
"""Of whole numbers: what a store can hold."""


def misfit(value: object, kind: Any, name: str) -> str | None:
    """The first part of `value` that is not of that kind, in words; None when all of it is.

    >>> misfit((1, "2"), tuple[int, ...], "counts")
    "counts[1] must be int; got '2'"
    """
    wanted, optional = _without_none(kind)
    if value is None and optional:
        return None
    if _has_parts(value, wanted):
        found = (misfit(*part) for part in _parts(value, wanted, name))
        return next((one for one in found if one is not None), None)
    if _is_plain(value, wanted):
        return None
    named = " | ".join(map(str, get_args(wanted))) if get_origin(wanted) is Literal else _named(wanted)
    return f"{name} must be {named}{' or None' if optional else ''}; got {value!r:.80}"


def _without_none(kind: Any) -> tuple[Any, bool]:
    """A kind that may be None without that; annotations of `Reading` know no other unions."""
    arms = get_args(kind)
    if NoneType not in arms:
        return kind, False
    (wanted,) = (one for one in arms if one is not NoneType)
    return wanted, True


def _has_parts(value: object, kind: Any) -> bool:
    form = get_origin(kind) or kind
    return (form in (tuple, Mapping) or is_dataclass(kind)) and isinstance(value, cast("type", form))


def _parts(value: object, kind: Any, name: str) -> Iterable[tuple[object, Any, str]]:
    """Each part of it, with the kind that it must be and its name."""
    if get_origin(kind) is tuple:
        for place, one in enumerate(cast("tuple[object, ...]", value)):
            yield one, get_args(kind)[0], f"{name}[{place}]"
    elif get_origin(kind) is Mapping:
        keys, values = get_args(kind)
        for key, one in cast("Mapping[object, object]", value).items():
            yield key, keys, f"a key of {name}"
            yield one, values, f"{name}[{key!r}]"
    else:
        for key, hint in _hints(kind).items():
            yield getattr(value, key), hint, f"{name}.{key}" if name else key


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _is_plain(value: object, kind: Any) -> bool:
    if kind is object:
        return True
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind in (int, float):
        return isinstance(value, (int, kind)) and not isinstance(value, bool) and abs(value) < _WIDEST
    return isinstance(value, get_origin(kind) or kind)


def _named(kind: Any) -> str:
    if get_origin(kind) is tuple:
        return f"a tuple of {_named(get_args(kind)[0])}"
    return "text" if kind is str else str(getattr(get_origin(kind) or kind, "__name__", kind))
