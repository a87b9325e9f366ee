"""Queries with the passages that people labelled for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

KINDS: Mapping[str, tuple[str, ...]] = {
    "single_fact": ("single_fact", "short_fact", "fact", "factoid", "lookup"),
    "broad": ("broad", "synthesis", "summary", "comparison"),
    "ranking": ("ranking", "ranked", "list"),
    "multi_hop": ("multi_hop", "multi_step", "two_hop"),
}
"""Kinds of query that have metrics of their own, with what rows call them."""


@dataclass(frozen=True, slots=True)
class Query:
    """One query."""

    id: str
    text: str | None
    grades: Mapping[str, int] = field(default_factory=dict[str, int])
    """Grade by id of passage: 0 not relevant, 1 and more relevant; what is not in it was judged by nobody."""
    kind: str | None = None
    """Its intent, or its type; one of KINDS where it has another name for it."""
    conversation: str | None = None
    """Queries of one conversation are not independent."""
    hops: tuple[str, str] | None = None
    """Passages that answer it together, the first one first."""
    synthetic: bool = False
    nuggets: tuple[frozenset[str], ...] = ()
    """Of each fact that a right answer has, the passages that hold it."""

    def relevant(self, level: int = 1) -> frozenset[str]:
        """Ids of its passages of that grade and above."""
        return frozenset(name for name, grade in self.grades.items() if grade >= level)


def kind_of(said: str) -> str:
    """The kind that a row means.

    >>> kind_of("Multi-hop"), kind_of("short fact"), kind_of("billing")
    ('multi_hop', 'single_fact', 'billing')
    """
    plain = said.strip().lower().replace("-", "_").replace(" ", "_")
    return next((kind for kind, names in KINDS.items() if plain in names), plain)
