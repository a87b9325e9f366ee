"""How long content stays."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from ragvigil.scorer.config.fields import MOST_DAYS, Section


class Retention(Section):
    """How long questions, passages, answers and raw spans stay, and how much longer scores and ledger do."""

    content_days: float = Field(
        default=30.0,
        gt=0,
        le=MOST_DAYS,
        description="content goes after so many days, counted from when its trace was first stored, and so do messages "
        "about incidents that are over; examples of open incidents stay",
    )
    scores_days: float = Field(
        default=400.0,
        gt=0,
        le=MOST_DAYS,
        description="records, scores and ledger rows go after so many days, not before the content; rollups never go, "
        "but a week later, and not before 90 days, their minutes become hours",
    )
    max_disk_bytes: int = Field(
        default=20 * 2**30,
        ge=2**20,
        description="largest size of what the store holds, beside 8 MB of free pages and a log of 64 MB at most; "
        "above it the oldest content goes before its time, and the oldest scores where less than every eighth "
        "record has its content; where rollups, about 110 bytes for each series and minute, take more than half of it, "
        "content and records keep the other half, and the store grows past it",
    )

    @model_validator(mode="after")
    def _scores_outlive_content(self) -> Self:
        if self.scores_days < self.content_days:
            raise ValueError(f"scores_days must be at least content_days, which is {self.content_days:g}")
        return self
