"""Settings of a check of the operator's own."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from ragvigil.scorer.config.fields import Seconds, Section, Words


class CustomCheck(Section):
    """A check of your own; its result is `custom.NAME`. It has a function or an expression: see docs/checks.md."""

    function: str | None = Field(
        default=None,
        min_length=1,
        description='"path/to/file.py:name" or "package.module:name": a function decorated with '
        "`ragvigil.scorer.custom.check`; it runs in a process of its own",
    )
    expression: str | None = Field(
        default=None,
        min_length=1,
        max_length=2000,
        description='an expression over the record and the values of the checks, such as "supported_claims >= 0.9 and '
        'len(words(answer)) < 80"',
    )
    seconds: Seconds = Field(
        default=0.5,
        le=60,
        description="longest that the function may take on one record; beyond, it has failed",
    )
    services: Words = Field(default=(), description="services whose records it looks at; empty: all")
    better: Literal["high", "low", "neither"] = Field(
        default="high", description="which end of [0, 1] is good"
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.function is None) == (self.expression is None):
            raise ValueError("set function or expression, one of the two")
        return self
