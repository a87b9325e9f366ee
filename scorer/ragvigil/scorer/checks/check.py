"""What a check is: an id, a version, and a function that measures one thing of a prepared record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.verdict import NOTHING

Range = Literal["[0, 1]", "{0, 1}"]
Better = Literal["high", "low", "neither"]
Cost = Literal["record", "answer", "question", "claims"]
"""What a check reads that grows: nothing, the answer, the passages (mostly for the question), each claim on them.

Each is read once for all checks, so that the second check of a kind costs next to nothing."""


class Finding(NamedTuple):
    """What a check found: a tuple, because every record has dozens."""

    value: float | None
    """In [0, 1], or None with a reason."""
    reason: str | None = None
    """Why there is no value, or what pulls it down, in words fit for a page."""
    details: Mapping[str, object] = NOTHING


def why_claimless(prepared: Prepared) -> str:
    """Why an answer without claims has none."""
    return "the answer refuses" if prepared.refuses else "the answer makes no claim"


@dataclass(frozen=True, slots=True)
class Check:
    """One deterministic check; the docstring of its file says what it measures and where that comes from."""

    id: str
    version: str
    """Changes whenever the same record would get another value."""
    measure: Callable[[Prepared], Finding]
    range: Range = "[0, 1]"
    better: Better = "high"
    """Which end of the range is good."""
    cost: Cost = "answer"
