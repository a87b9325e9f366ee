"""What every page is made from."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ragvigil.scorer.config import Settings
from ragvigil.scorer.store import reading


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
    alive_at: int | None
    """When the scorer last evaluated, Unix nanoseconds."""

    @property
    def alive(self) -> bool:
        """Whether a scorer writes this store now."""
        return reading.lives(self.alive_at, self.now, self.settings.monitor.tick_seconds)

    @property
    def until(self) -> int:
        """Where courses end: now, or with the last evaluation of a store that nobody writes, such as a copy."""
        return self.now if self.alive or self.alive_at is None else min(self.now, self.alive_at)


class Reader(Protocol):
    """Reads a page from the store: a frozen dataclass. Raises NotThereError or UnclearError."""

    def __call__(self, asked: Asked, /) -> object:
        """The page."""
        ...


class Readers(NamedTuple):
    """What reads a page for people, and what reads it for programs: each only what it shows."""

    page: Reader
    json: Reader
