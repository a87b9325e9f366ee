"""What a check is: an id, a version, and a function that measures one thing of a prepared record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ragvigil.scorer.checks.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found."""

    value: float | None
    """In [0, 1], or None with a reason."""
    reason: str | None = None
    """Why there is no value, or what pulls it down, in words fit for a page."""
    details: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Check:
    """One deterministic check."""

    id: str
    version: str
    """Changes whenever the same record would get another value."""
    measure: Callable[[Prepared], Finding]
