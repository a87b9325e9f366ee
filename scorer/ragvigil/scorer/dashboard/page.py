"""What every page is made from."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from ragvigil.scorer.config import Settings


class NotThereError(Exception):
    """There is nothing at that address; its text says what is not."""


class UnclearError(Exception):
    """The address asks for something in a way that cannot be read; its text says what."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request for a page, and what it is answered from."""

    connection: sqlite3.Connection
    """Read-only."""
    settings: Settings
    now: int
    """Unix nanoseconds."""
    path: Mapping[str, str]
    """Parts of the address, by name."""
    query: Mapping[str, str]
    """What stands behind its question mark; empty texts are left out."""


class Reader(Protocol):
    """Reads a page from the store: a frozen dataclass. Raises NotThereError or UnclearError."""

    def __call__(self, asked: Asked, /) -> object:
        """The page."""
        ...
