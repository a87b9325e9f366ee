"""What is asked of a backend, and what it answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from ragvigil.scorer.sources.pull.fetch import Fetch


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which traces."""

    since: int
    """Unix time, nanoseconds; traces that began then or later."""
    until: int
    """And before then."""
    project: str | None = None
    """As the backend calls it: project (Phoenix), experiment (MLflow); Langfuse's keys belong to one project."""
    service: str | None = None
    """What to call the service; default: what the backend knows of it."""


@dataclass(frozen=True, slots=True)
class Page:
    """One step of a pull."""

    requests: tuple[dict[str, object], ...]
    """OTLP/JSON requests."""
    cursor: str | None
    """Where the next page begins; None after the last one."""
    without_spans: int = 0
    """Traces that the backend lists and of which no span could be had."""


class History(Protocol):
    """A backend that keeps traces."""

    name: str
    url_variable: str
    """Environment variable that holds its address when none is given."""
    keys: tuple[str, ...]
    """Environment variables that let in."""

    def pages(self, fetch: Fetch, wanted: Wanted, cursor: str | None) -> Iterator[Page]:
        """Pages from `cursor` (None: the first) to the last. Raises InputError."""
        ...

    def headers(self) -> dict[str, str]:
        """How to be let in, from the environment; {} when nothing is set."""
        ...

    def exported(self, content: object, wanted: Wanted) -> list[dict[str, object]]:
        """OTLP/JSON requests of one JSON value of an export; [] when it holds no trace."""
        ...
