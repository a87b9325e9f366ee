"""How long content stays."""

from __future__ import annotations

from pydantic import Field

from ragvigil.scorer.config.fields import Section


class Retention(Section):
    """How long questions, passages, answers and raw spans stay; scores, ledger and rollups stay longer."""

    content_days: float = Field(
        default=30.0, gt=0, description="content goes after so many days; examples of open incidents stay"
    )
    max_disk_bytes: int = Field(
        default=20 * 2**30,
        ge=2**20,
        description="largest size of the store; above it the oldest content goes before its time",
    )
