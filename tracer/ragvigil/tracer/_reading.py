"""Reading of values that belong to the service: by usual names, without trusting any of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import SupportsFloat, TypeGuard, cast
from uuid import UUID

LONGEST_ID = 256
LONGEST_METADATA_TEXT = 1_024
MOST_METADATA_ENTRIES = 32
DEEPEST_METADATA = 2
_PRINTABLE_MODULES = frozenset({"datetime", "decimal", "pathlib", "uuid"})


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
    for name in names:
        try:
            found = getattr(value, name, None)
        except Exception:  # noqa: S112 - a property of the service may fail; the next name may not
            continue
        if found is not None and not callable(found):
            return found
    return None


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


def identifier(value: object) -> str | None:
    """The value as an id: text, number or anything that prints itself, at most 256 characters."""
    if type(value) is str and len(value) <= LONGEST_ID and value.isascii():
        return value or None
    if isinstance(value, str):
        return encodable(str.__str__(value[:LONGEST_ID])) or None
    if value is None or isinstance(value, bool | float | Mapping | list | tuple):
        return None
    if isinstance(value, int) and value.bit_length() > 1024:
        return None
    if isinstance(value, int | UUID) or type(value).__str__ is not object.__str__:
        return encodable(str(value)[:LONGEST_ID])
    return None


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


def plain(value: object, depth: int = 0, odd: list[str] | None = None) -> object:
    """The value as bounded JSON: scalars, short texts, small lists and mappings; else the name of its type.

    Names of types that JSON does not have are added to ``odd``.

    >>> odd = []
    >>> plain({"page": 3, "handle": object()}, odd=odd), odd
    ({'page': 3, 'handle': '<object>'}, ['object'])
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value[: LONGEST_METADATA_TEXT >> 2 * depth])
    if isinstance(value, int) and abs(value) < 2**63:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if depth < DEEPEST_METADATA and isinstance(value, Mapping | list | tuple):
        return _nested(cast("Mapping[object, object] | Sequence[object]", value), depth, odd)
    if type(value).__module__ in _PRINTABLE_MODULES:
        return str(value)[:LONGEST_METADATA_TEXT]
    floats = not isinstance(value, int | float) and hasattr(type(value), "__float__")
    given = number(value) if floats else None
    return _odd(value, odd) if given is None else given


def _nested(
    value: Mapping[object, object] | Sequence[object], depth: int, odd: list[str] | None
) -> dict[str, object] | list[object]:
    most = MOST_METADATA_ENTRIES >> depth
    if isinstance(value, Mapping):
        chosen = [entry for entry, _ in zip(value.items(), range(most), strict=False)]
        return {str(plain(key, DEEPEST_METADATA, odd)): plain(entry, depth + 1, odd) for key, entry in chosen}
    return [plain(entry, depth + 1, odd) for entry in value[:most]]


def _odd(value: object, odd: list[str] | None) -> object:
    """What stands for a value that JSON does not have: nothing for NaN, else the name of its type."""
    name = type(value).__name__
    if odd is not None and name not in odd:
        odd.append(name)
    if isinstance(value, float):
        return None
    return name if isinstance(value, int) else f"<{name}>"
