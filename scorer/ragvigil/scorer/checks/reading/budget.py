"""Budgets: how long, slow and dear an answer may be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one service; None: no limit."""

    words: int | None = None
    bullets: int | None = None
    output_tokens: int | None = None
    total_seconds: float | None = None
    retrieval_seconds: float | None = None
    generation_seconds: float | None = None
    cost_usd: float | None = None


UNLIMITED = Budget()
"""Nothing is limited."""
