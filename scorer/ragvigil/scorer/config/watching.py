"""The settings of what watches: window rules, sequential detectors, coverage, arrivals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self, cast

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ragvigil.scorer.config.fields import MOST_DAYS, Seconds, Words, several
from ragvigil.scorer.config.fields import Section as _Section
from ragvigil.scorer.monitoring import CoverageName


class Rule(_Section):
    """When a fall of one series deserves a page."""

    window_seconds: Seconds = Field(
        default=3600.0, description="stretch of event time that is compared with the baseline"
    )
    baseline_seconds: Seconds = Field(
        default=7 * 86_400.0, description="stretch before the window that the window is compared with"
    )
    warmup_seconds: Seconds = Field(
        default=7 * 86_400.0, description="history a series needs before it can page (cold_start until then)"
    )
    min_sample: int = Field(
        default=50, ge=20, description="observations the window needs before it is compared"
    )
    min_baseline: int = Field(default=300, ge=20, description="observations the baseline needs")
    min_drop: float = Field(
        default=0.05, gt=0, lt=1, description="smallest fall, as a share, that deserves a page"
    )
    confidence: float = Field(
        default=0.9999, gt=0.5, lt=1, description="two-sided confidence of the interval of the fall"
    )
    resolve_seconds: Seconds = Field(
        default=1800.0,
        description="how long a series must look recovered before the page resolves; twice as long after each re-open",
    )
    reopen_seconds: Seconds = Field(
        default=1800.0, description="a fall so soon after the last one resolved re-opens that incident"
    )

    @model_validator(mode="after")
    def _baseline_is_no_shorter(self) -> Self:
        if self.baseline_seconds < self.window_seconds:
            raise ValueError(
                f"baseline_seconds ({self.baseline_seconds:g}) is shorter than window_seconds "
                f"({self.window_seconds:g}), which is compared with it: set it to several windows"
            )
        return self


_CITATION: Mapping[str, object] = {
    "window_seconds": 600.0,
    "baseline_seconds": 86_400.0,
    "warmup_seconds": 3600.0,
    "min_sample": 50,
    "resolve_seconds": 600.0,
}
"""Citations are checked on every record, so less time tells as much."""


class Monitor(_Section):
    """How series are watched."""

    tick_seconds: Seconds = Field(default=10.0, description="time between two evaluations")
    bucket_seconds: float = Field(
        default=60.0, ge=1, le=86_400, description="grain of the rollups; fixed for the life of a store"
    )
    page_environments: Words = Field(
        default=("production", "prod"),
        description="values of deployment.environment.name that page; a service that sets none pages too",
    )
    gold: Path | None = Field(
        default=None,
        description="JSON lines with truth and verdict (1 or 0) and cheap (0 to 1) of answers that people labelled; "
        "default: the built-in judge's own, where that is the judge",
    )
    group_after: int = Field(
        default=4,
        ge=0,
        description="the page of so many services to one channel, and those after it, are one message "
        "(docs/incidents.md, Storms); 0: every incident has its own",
    )
    group_window_seconds: Seconds = Field(
        default=600.0, description="within so long those services must have been paged for"
    )
    group_interval_seconds: Seconds = Field(
        default=300.0, description="least time between two messages of a storm about what changed"
    )
    faithfulness: Rule = Rule()
    citation: Rule = Rule.model_validate(_CITATION)
    measures: Rule = Field(
        default=Rule(), description="for criteria of your own and the judge's other measures"
    )

    def rule(self, series: str) -> Rule:
        """What watches the series of that name; what was retrieved is known of every answer, as citations are.

        >>> [Monitor().rule(series).window_seconds for series in ("citation", "retrieval", "criteria.tone")]
        [600.0, 600.0, 3600.0]
        """
        known = {"faithfulness": self.faithfulness, "citation": self.citation, "retrieval": self.citation}
        return known.get(series, self.measures)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All that watch anything."""
        return self.faithfulness, self.citation, self.measures

    @field_validator("citation", mode="before")
    @classmethod
    def _keep_the_others(cls, given: object) -> object:
        """One key that is given leaves the others as they are for citations, not as they are for judged series."""
        return {**_CITATION, **cast("dict[str, object]", given)} if isinstance(given, dict) else given


class Detect(_Section):
    """How the sequential detectors watch each service: see docs/detection.md."""

    enabled: bool = Field(default=True, description="whether they watch beside the window rules of monitor")
    batch_seconds: float = Field(
        default=1800.0, ge=60, le=86_400, description="stretch of event time that is decided on at once"
    )
    settle_seconds: Seconds = Field(
        default=60.0, description="wait for traces under way after a batch has ended"
    )
    late_seconds: Seconds = Field(
        default=21_600.0, description="how late a trace may come and still enter the next batch"
    )
    verdict_seconds: Seconds = Field(
        default=900.0,
        description="longest wait for a batch's verdicts; what is missing then counts as missing",
    )
    learning_days: float = Field(
        default=7.0, ge=1, le=60, description="time at the start in which they learn and never alert"
    )
    segment_by: str = Field(
        default="",
        description="dimension whose values have series of their own, such as language or tenant; "
        "empty: found from the traffic",
    )
    segments: int = Field(
        default=12, ge=1, le=200, description="most such values; the others share one series"
    )
    burst_share: float = Field(
        default=0.028,
        gt=0,
        le=1,
        description="share of records judged beyond sample.rate: more verdicts where a fall is suspected, and "
        "past traces judged again",
    )
    canary_hours: float = Field(
        default=168.0,
        ge=0,
        le=MOST_DAYS * 24,
        description="time after which a language model judges the same past traces again, to see whether it has "
        "changed; it also does when its version or prompt changes and before a page; 0: only then",
    )
    canary_size: int = Field(default=100, ge=20, le=400, description="how many past traces that are")
    slo: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="share of faithful answers, by labels that monitor.gold names, below which it pages whatever was "
        "before; 0.9 means 90 %; default: no floor",
    )
    burn: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="pages when errors use up what slo allows this many times as fast as they may, over 6 hours and "
        "over 3 days; needs slo; default: no such page",
    )
    most_places: int = Field(
        default=200,
        ge=1,
        description="services and environments watched so; of more, those that page and answer most",
    )
    keep_days: float = Field(
        default=8.0,
        ge=1,
        le=MOST_DAYS,
        description="how long the detectors' rows stay; they show what was before a fall",
    )

    @model_validator(mode="after")
    def _late_is_kept(self) -> Self:
        if self.late_seconds > self.keep_days * 43_200:
            raise ValueError("late_seconds must not be above half of keep_days")
        return self

    @model_validator(mode="after")
    def _burn_has_a_budget(self) -> Self:
        if self.burn is not None and self.slo is None:
            raise ValueError("burn needs the slo whose budget burns: set slo as well")
        return self


class Coverage(_Section):
    """How much must be looked at: less is a page or a ticket. A threshold of 0 demands nothing."""

    every_seconds: Seconds = Field(default=60.0, description="time between two looks")
    window_seconds: Seconds = Field(default=900.0, description="stretch of arrivals that is looked at")
    min_sample: int = Field(default=50, ge=1, description="records, traces or spans that a share needs")
    least_scored: float = Field(
        default=0.95, ge=0, le=1, description="share of answers not shed, failed or expired"
    )
    least_complete: float = Field(
        default=0.5,
        ge=0,
        le=1,
        description="share of answers of which question, passages and answer arrived, or were withheld by ids_only",
    )
    least_asked: float = Field(
        default=0.0, ge=0, le=1, description="share of traces with a question; other traffic may be normal"
    )
    least_answered: float = Field(
        default=0.2,
        ge=0,
        le=1,
        description="share of questions that ended neither in an error nor in a refusal",
    )
    least_delivered: float = Field(
        default=0.99, ge=0, le=1, description="share of spans not lost in the service before they were sent"
    )
    most_fall: float = Field(
        default=0.1,
        ge=0,
        le=1,
        description="how far a share may fall under what it was at the same time of the day before and of the week "
        "before, together; 1 demands nothing",
    )
    resolve_seconds: Seconds = Field(
        default=600.0, description="how long a share must be back before that resolves"
    )
    pages: Annotated[tuple[CoverageName, ...], BeforeValidator(several)] = Field(
        default=("coverage_scored",),
        description="shares that page (severity error): answers not scored are the scorer's own illness; "
        "the others are tickets",
    )


class Arrivals(_Section):
    """A service that stops sending: a page, where its own past says that something should have come."""

    enabled: bool = Field(
        default=True, description="whether a service of which nothing comes any more is told of"
    )
    least_seconds: Seconds = Field(
        default=300.0,
        ge=60,
        le=86_400,
        description="the shortest silence that is told of; a busy service's restart takes less",
    )
    resolve_seconds: Seconds = Field(
        default=300.0, description="how long answers must come again before that resolves"
    )
    close_seconds: Seconds = Field(
        default=86_400.0,
        ge=3_600,
        description="after so long without data an incident is closed, its own and others alike, as one of no data",
    )
