"""What came of one limit, as reports show it."""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.scorer.estimate.figure import Figure
from ragvigil.scorer.gate.decide import Decision


@dataclass(frozen=True, slots=True)
class Worst:
    """An answer that pulls a figure down."""

    id: str
    value: float
    state: str
    """Of its verdict."""
    answer: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One limit with what came of it."""

    name: str
    segment: str | None
    answers: int
    """All that it is about, with a value or without."""
    figure: Figure
    raw: Figure | None
    """The judge's own rate, where labels correct it."""
    at_least: float | None
    at_most: float | None
    quantile: float | None
    """Of seconds."""
    decision: Decision
    worst: tuple[Worst, ...]
    """Of a share that does not hold."""
    by_default: bool
    """Whether the gate file sets none, and the limit is ours."""
