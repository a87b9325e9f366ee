"""Settings of what an answer may take."""

from __future__ import annotations

from pydantic import Field

from ragvigil.scorer.config.fields import Seconds, Section


class Budgets(Section):
    """What one answer of a service may take; `budgets.default` is for the services that have no section.

    The checks length_budget, latency_budget and cost_budget compare with it; nothing is ever cut or stopped.
    """

    words: int | None = Field(
        default=120, gt=0, description="words of the answer, citations and code left out"
    )
    bullets: int | None = Field(default=None, gt=0, description="list items of the answer")
    output_tokens: int | None = Field(default=None, gt=0, description="tokens that the model made")
    total_seconds: Seconds | None = Field(default=2.0, description="from the question to the answer")
    retrieval_seconds: Seconds | None = Field(default=0.2, description="all retrieval steps, overlaps once")
    generation_seconds: Seconds | None = Field(default=1.5, description="the generation of the answer")
    cost_usd: float | None = Field(default=0.05, ge=0, allow_inf_nan=False, description="US dollars")
