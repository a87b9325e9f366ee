"""What of the scores other tools get: metrics for Prometheus, scores for tracing tools."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field, field_validator, model_validator

from ragvigil.exporters import LangfuseScores, PhoenixScores
from ragvigil.scorer.config.fields import Seconds, Secret, Section, Url, Words
from ragvigil.scorer.config.forwarding import HeaderName, HeaderValue, OtlpAddress, check_free

SCORES = ("faithfulness", "support", "citation_correctness", "context_relevance")
"""What leaves when nothing else is said: the judge's two numbers, and the two checks that most people look at."""


class Metrics(Section):
    """What GET /metrics shows, on the address of receive.http: see docs/scores-out.md."""

    enabled: bool = Field(
        default=True, description="whether /metrics is served; it wants receive.token where set"
    )
    every_seconds: Seconds = Field(default=10.0, description="age that its values may have")
    segment_by: Words = Field(
        default=("language", "answer_type"),
        description="dimensions of traces whose values have levels of their own, such as language or tenant",
    )

    @field_validator("segment_by")
    @classmethod
    def _tell_apart(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """``a=b`` with the value c, and ``a`` with the value b=c, would be one label."""
        bad = [name for name in names if "=" in name]
        if bad or len(set(names)) != len(names):
            raise ValueError("names dimensions, each once and without =, such as language or tenant")
        return names

    most_segments: int = Field(
        default=50,
        ge=1,
        le=10_000,
        description="values of one dimension that keep their names; others are other",
    )
    most_services: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description="services that keep their names, those that page first; others are other",
    )


class Sink(Section):
    """What every tool has in common that scores are sent to."""

    scores: Words = Field(
        default=SCORES,
        description="which: faithfulness, support, ids of checks (docs/checks.md), custom.NAME, "
        "criteria.NAME, judge.failure_tags, judge.grounded_answer, and of judge.measures: judge.answer_relevance, "
        "judge.context_relevant_share, judge.context_precision, judge.six_axes",
    )
    explanations: bool = Field(
        default=True, description="whether the reason goes along; it may quote answer and passages"
    )
    timeout_seconds: Seconds = Field(default=15.0, description="longest wait for one answer")


class OtlpExport(Sink):
    """Scores as gen_ai.evaluation.result events on the evaluated spans, and the metrics of /metrics, over OTLP."""

    url: OtlpAddress | None = Field(
        default=None,
        description="such as http://collector:4318 (/v1/logs and /v1/metrics are appended), "
        "grpc://collector:4317 or grpcs://collector:4317 (TLS); none: off",
    )
    headers: dict[HeaderName, HeaderValue] = Field(
        default={}, description="headers to add, such as authorization; shown nowhere"
    )
    events: bool = Field(default=True, description="whether scores are sent as events")
    metrics: bool = Field(default=True, description="whether metrics are sent")
    metrics_seconds: Seconds = Field(default=60.0, description="time between two requests with metrics")

    @field_validator("headers")
    @classmethod
    def _headers_are_free(cls, headers: dict[str, Secret]) -> dict[str, Secret]:
        check_free(headers)
        return headers


class LangfuseExport(Sink):
    """Scores on the traces and observations of Langfuse."""

    url: Url | None = Field(
        default=None, description="where Langfuse is, such as https://cloud.langfuse.com; none: off"
    )
    public_key: str | None = Field(default=None, description="pk-lf-…")
    secret_key: Secret | None = Field(default=None, description="sk-lf-…")

    @model_validator(mode="after")
    def _usable(self) -> LangfuseExport:
        if self.url is not None:
            LangfuseScores.check(url=self.url)
            if not self.public_key or self.secret_key is None:
                raise ValueError(
                    "public_key and secret_key are missing; Langfuse shows them in a project's settings"
                )
        return self


class PhoenixExport(Sink):
    """Scores as annotations on Phoenix's spans."""

    url: Url | None = Field(
        default=None, description="where Phoenix is, such as http://phoenix:6006; none: off"
    )
    api_key: Secret | None = Field(default=None, description="where Phoenix demands one")

    @field_validator("url")
    @classmethod
    def _usable(cls, url: str | None) -> str | None:
        if url is not None:
            PhoenixScores.check(url=url)
        return url


class Export(Section):
    """Scores that are sent to other tools as they are given: see docs/scores-out.md."""

    max_waiting: int = Field(
        default=1_000_000,
        ge=1,
        description="changed records kept for a tool that takes none; above it the oldest are dropped, and counted",
    )
    otlp: OtlpExport = OtlpExport()
    langfuse: LangfuseExport = LangfuseExport()
    phoenix: PhoenixExport = PhoenixExport()

    @property
    def sinks(self) -> Mapping[str, Sink]:
        """Those that get scores, by name."""
        wanted: dict[str, tuple[bool, Sink]] = {
            "otlp": (self.otlp.url is not None and self.otlp.events, self.otlp),
            "langfuse": (self.langfuse.url is not None, self.langfuse),
            "phoenix": (self.phoenix.url is not None, self.phoenix),
        }
        return {name: section for name, (on, section) in wanted.items() if on}
