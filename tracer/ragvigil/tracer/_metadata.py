"""Copies of documents' metadata, because the service may change it later: small, JSON, and known to be cut or whole."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import cast

from ragvigil.tracer._reading import number
from ragvigil.tracer._sizes import bound

LONGEST_TEXT = 1_024
MOST_ENTRIES = 32
DEEPEST = 2
_PRINTABLE_MODULES = frozenset({"datetime", "decimal", "pathlib", "uuid"})
_VALUE_BYTES = 24
"""At least what a number or the marks around a value take in JSON."""


def longest_at(depth: int) -> int:
    """Characters of one text: 256 right inside of the metadata, 64 below that and for a name."""
    return LONGEST_TEXT >> 2 * depth


class Copy:
    """Makes bounded copies, and notes what they hold."""

    __slots__ = ("_slack", "bytes", "cut", "odd")

    def __init__(self, slack: int = 0) -> None:
        self._slack = slack
        """Characters kept beyond each limit, for who cuts again after redaction."""
        self.bytes = 0
        """At least the bytes of all copies so far."""
        self.cut = False
        """Whether any of them has less than what was copied: entries, letters or levels."""
        self.odd: list[str] = []
        """Types of the values that JSON does not have."""

    def of(self, value: object, depth: int = 0) -> object:
        """The value as bounded JSON: scalars, short texts, small lists and mappings; else the name of its type.

        >>> Copy().of({"page": 3, "handle": object()})
        {'page': 3, 'handle': '<object>'}
        """
        self.bytes += _VALUE_BYTES
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._text(str.__str__(value), longest_at(depth))
        if isinstance(value, int) and abs(value) < 2**63:
            return int(value)
        if isinstance(value, float) and math.isfinite(value):
            return float(value)
        if isinstance(value, Mapping | list | tuple):
            return self._inside(cast("object", value), depth)
        if type(value).__module__ in _PRINTABLE_MODULES:
            return self._text(str(value), LONGEST_TEXT)
        floats = not isinstance(value, int | float) and hasattr(type(value), "__float__")
        given = number(value) if floats else None
        return self._odd(value) if given is None else given

    def _odd(self, value: object) -> object:
        """What stands for a value that JSON does not have: nothing for NaN, else the name of its type."""
        name = type(value).__name__
        if name not in self.odd:
            self.odd.append(name)
        if isinstance(value, float):
            return None
        self.cut = self.cut or isinstance(value, int | Mapping | list | tuple)
        return name if isinstance(value, int) else self._text(f"<{name}>", LONGEST_TEXT)

    def _inside(self, value: object, depth: int) -> object:
        """The entries of a mapping or a list; of one that lies too deep the name of its type."""
        if depth >= DEEPEST:
            return self._odd(value)
        most = MOST_ENTRIES >> depth
        if isinstance(value, Mapping):
            entries = cast("Mapping[object, object]", value)
            self.cut = self.cut or len(entries) > most
            chosen = [entry for entry, _ in zip(entries.items(), range(most), strict=False)]
            return {str(self.of(key, DEEPEST)): self.of(entry, depth + 1) for key, entry in chosen}
        rows = cast("list[object]", value)
        self.cut = self.cut or len(rows) > most
        return [self.of(entry, depth + 1) for entry in rows[:most]]

    def _text(self, text: str, longest: int) -> str:
        if len(text) > longest:
            self.cut = True
            text = text[: longest + self._slack]
        self.bytes += bound(text)
        return text
