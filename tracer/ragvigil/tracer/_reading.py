"""Reading of values that belong to the service: by usual names, without trusting any of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import SupportsFloat, TypeGuard, cast
from uuid import UUID

LONGEST_ID = 256


def field(value: object, names: Iterable[str]) -> object:
    """Value of the first key or attribute of these names that is there and not None.

    >>> field({"page_content": "Water boils."}, ("text", "page_content"))
    'Water boils.'
    """
    if is_mapping(value):
        for name in names:
            if (found := value.get(name)) is not None:
                return found
        return None
    lacks = _lacking(value)
    for name in names:
        if lacks is not None and lacks(name):
            continue
        try:
            found = getattr(value, name, None)
        except Exception:  # noqa: S112 - a property of the service may fail; the next name may not
            continue
        if found is not None and not callable(found):
            return found
    return None


_class_names: dict[type, frozenset[str] | None] = {}
_MOST_CLASSES = 512


def _lacking(value: object) -> Callable[[str], bool] | None:
    """Tells which attributes a pydantic model lacks, for a tenth of what it takes to ask it; None for other objects."""
    kind = type(value)
    names = _class_names.get(kind)
    if names is None:
        if kind in _class_names:
            return None
        fallback = getattr(kind, "__getattr__", None)
        names = frozenset(dir(kind)) if getattr(fallback, "__module__", None) == "pydantic.main" else None
        if len(_class_names) < _MOST_CLASSES:
            _class_names[kind] = names
        if names is None:
            return None
    known = names
    own = value.__dict__
    extra: Mapping[str, object] = getattr(value, "__pydantic_extra__", None) or {}
    return lambda name: name not in own and name not in known and name not in extra


def is_mapping(value: object) -> TypeGuard[Mapping[str, object]]:
    """Whether the value has entries by name."""
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether the value is a list or a tuple."""
    return isinstance(value, list | tuple)


def text(value: object) -> str | None:
    """The value as plain text when it is text, else None.

    >>> text(b"caf\\xc3\\xa9"), text(7)
    ('café', None)
    """
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode("utf-8", "replace")
    return None


def identifier(value: object, longest: int = LONGEST_ID) -> str | None:
    """The value as an id: text, number or anything that prints itself, at most 256 characters.

    Who must know whether it was cut asks for one more.
    """
    if type(value) is str and len(value) <= longest and value.isascii():
        return value or None
    if isinstance(value, str):
        return encodable(str.__str__(value[:longest])) or None
    if value is None or isinstance(value, bool | float | Mapping | list | tuple):
        return None
    if isinstance(value, int) and value.bit_length() > 1024:
        return None
    if isinstance(value, int | UUID) or type(value).__str__ is not object.__str__:
        return encodable(str(value)[:longest])
    return None


def short(value: object, name: str, cut: list[str]) -> str | None:
    """The value as an id of at most 256 characters; one that had more is named in ``cut``.

    >>> cut: list[str] = []
    >>> len(short("x" * 300, "user.id", cut) or ""), cut
    (256, ['user.id'])
    """
    told = identifier(value, LONGEST_ID + 1)
    if told is not None and len(told) > LONGEST_ID:
        cut.append(name)
        return told[:LONGEST_ID]
    return told


def number(value: object) -> float | None:
    """The value as a finite float, else None; NumPy and Decimal numbers count, truth values do not."""
    if value is None or isinstance(value, bool | str | bytes):
        return None
    try:
        given = float(cast("SupportsFloat", value))
    except Exception:
        return None
    return given if math.isfinite(given) else None


def count(value: object) -> int | None:
    """The value as a whole number from 0 up, else None."""
    if isinstance(value, bool):
        return None
    given = value if isinstance(value, int) else None
    return given if given is not None and 0 <= given < 2**53 else None


def whole(value: object) -> int | None:
    """The value as a whole number from 0 up, as a float or in digits too, else None.

    >>> whole("7"), whole(3.0), whole("seven"), whole(-1)
    (7, 3, None, None)
    """
    if isinstance(value, str):
        return int(value) if len(value) < _MOST_DIGITS and value.isascii() and value.isdecimal() else None
    if isinstance(value, float):
        return count(int(value)) if value.is_integer() else None
    return count(value)


_MOST_DIGITS = 16
"""All numbers of fewer are below 2**53."""


def encodable(value: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot carry and one of which would cost a whole batch.

    >>> encodable("a\\ud800b")
    'a?b'
    """
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace").decode()
    return value
