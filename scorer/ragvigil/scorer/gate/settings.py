"""The sections of a gate file: what has to hold, of which answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from ragvigil.scorer.config.fields import Section, Words

CLAIMING = 0.7
"""Lower end of `with_verdict` where a gate file sets none: half refusals never keep it, twenty answers may."""


class Limit(Section):
    """What the interval of one figure has to keep: its lower end `at_least`, or its upper end `at_most`."""

    at_least: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="the lower end of the 95 % interval has to reach it",
    )
    at_most: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="the upper end may not lie over it"
    )
    gold: Path | None = Field(
        default=None,
        description="of faithfulness or success: labels that correct the judge's errors, of `calibrate report --gold`",
    )
    quantile: float = Field(
        default=0.95, gt=0, lt=1, description="of seconds: which of them, sorted, is held to the limit"
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("set at_least or at_most, one of the two")
        return self


class Segment(Section):
    """Limits of some of the answers alone, with their own n."""

    where: dict[str, str] = Field(
        min_length=1, description='which answers, such as { language = "de" }; tag = "..." is one of the tags'
    )
    limits: dict[str, Limit] = Field(min_length=1, description="by figure, as for all answers")


class Regression(Section):
    """What may not be worse than the answers of --baseline, to the same questions."""

    figures: Words = Field(min_length=1, description="names of figures, such as faithfulness")
    margin: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="0.05 is 5 points: it has to be shown that a figure is worse by no more than this; without one, "
        "only a sure fall fails",
    )


class Scenarios(Section):
    """The eight situations before production; `docs/testsets.md` says what is right in each."""

    usual: float = Field(
        default=0.8, gt=0, lt=1, description="what the lower end of each share of right answers has to reach"
    )
    at_least: dict[str, Annotated[float, Field(gt=0, lt=1)]] = Field(
        default_factory=dict[str, float], description="the same for a scenario of its own, by its name"
    )
    load_seconds: float = Field(
        default=2.0,
        gt=0,
        allow_inf_nan=False,
        description="within which an answer under load has to be there",
    )
    without: dict[str, str] = Field(
        default_factory=dict[str, str], description="scenarios that are not tried, each with the reason"
    )


class Gate(Section):
    """A gate file."""

    judge: dict[str, object] = Field(default_factory=dict, description="as [judge] of the scorer's settings")
    limits: dict[str, Limit] = Field(default_factory=dict, description="by figure")
    segments: dict[str, Segment] = Field(default_factory=dict, description="by a name of your own")
    scenarios: Scenarios | None = None
    baseline: Regression | None = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.limits and not self.segments and self.baseline is None and self.scenarios is None:
            raise ValueError("asks for nothing; set a limit, such as limits.faithfulness.at_least = 0.85")
        return self
