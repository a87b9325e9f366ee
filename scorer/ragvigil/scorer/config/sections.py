"""The sections of the settings: defaults, units and validation beside each field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self, cast

from pydantic import Field, field_validator, model_validator

from ragvigil.scorer.config.budgeting import Budgets
from ragvigil.scorer.config.channels import Channel
from ragvigil.scorer.config.citing import Citing
from ragvigil.scorer.config.content import Content
from ragvigil.scorer.config.custom import CustomCheck
from ragvigil.scorer.config.fields import Address, Name, Seconds, Secret, Words
from ragvigil.scorer.config.fields import Section as _Section
from ragvigil.scorer.config.filtering import DEFAULT_FILTERS, Filter
from ragvigil.scorer.config.forwarding import Forward
from ragvigil.scorer.config.judging import Judge
from ragvigil.scorer.config.oncall import Health, Inbound
from ragvigil.scorer.config.retention import Retention
from ragvigil.scorer.config.routing import Route


class Receive(_Section):
    """Where OTLP comes in."""

    grpc: Address = Field(
        default="127.0.0.1:4317", description="host:port for OTLP over gRPC; port 0 picks a free one"
    )
    http: Address = Field(
        default="127.0.0.1:4318", description="host:port for OTLP over HTTP; port 0 picks a free one"
    )
    token: Secret | None = Field(
        default=None,
        description="bearer token that senders must show; demanded when an address is not loopback",
    )
    max_body_bytes: int = Field(
        default=64 * 2**20, gt=0, description="largest request, also after decompression"
    )
    max_span_bytes: int = Field(
        default=4 * 2**20, gt=0, description="largest single span; a larger one is rejected alone"
    )


class Sources(_Section):
    """Where OTLP is read instead of received: the same limits, inbox and back-pressure as for what is sent."""

    files: Words = Field(
        default=(),
        description="files, folders or patterns that are followed, such as a Collector's file exporter writes",
    )
    stdin: bool = Field(default=False, description="whether standard input is read, until it ends")
    poll_seconds: Seconds = Field(default=1.0, description="time between two looks for something new")


class Inbox(_Section):
    """Durable staging before the ack."""

    path: Path | None = Field(
        default=None, description="folder of the segments; default: beside the store file"
    )
    max_bytes: int = Field(
        default=2**30, gt=0, description="full above this: senders are told to come back later"
    )
    segment_bytes: int = Field(
        default=64 * 2**20, gt=0, description="a segment file is closed above this size"
    )
    commit_seconds: Seconds = Field(
        default=0.005, description="longest wait of a request for its group commit"
    )
    commit_bytes: int = Field(
        default=2**20, gt=0, description="a group commit happens at once above this size"
    )


class Store(_Section):
    """Where records, scores and incidents stay."""

    url: str = Field(
        default="sqlite:///ragvigil.db", description="sqlite:///PATH (a relative path has three slashes)"
    )

    user_ids: Literal["hmac", "plain"] = Field(
        default="hmac", description="how user and conversation ids are stored: as an HMAC, or as on the wire"
    )
    user_id_key: Secret | None = Field(
        default=None, description="key of that HMAC; default: one made at random and kept in the store"
    )

    @field_validator("url")
    @classmethod
    def _known_scheme(cls, url: str) -> str:
        if not url.startswith("sqlite:///") or url == "sqlite:///":
            raise ValueError("must look like sqlite:///PATH, for example sqlite:///ragvigil.db")
        return url

    @property
    def path(self) -> Path:
        """The SQLite file."""
        return Path(self.url.removeprefix("sqlite:///"))


class Assemble(_Section):
    """When a trace is complete."""

    quiet_seconds: Seconds = Field(
        default=2.0,
        description="a trace whose root has ended is complete after this long without a span, "
        "until the service's own quiet time is learned",
    )
    shortest_quiet_seconds: Seconds = Field(default=0.5, description="learned quiet times are never shorter")
    longest_quiet_seconds: Seconds = Field(
        default=10.0,
        description="learned quiet times are never longer; also the quiet time under a parent in another process",
    )
    rootless_seconds: Seconds = Field(
        default=30.0, description="a trace without a root is complete after this long without a span"
    )
    timeout_seconds: Seconds = Field(
        default=600.0, description="a trace is read as it stands after this long, and marked timed_out"
    )
    max_open_traces: int = Field(
        default=50_000, gt=0, description="open traces held at once; the oldest is read early above it"
    )
    max_open_bytes: int = Field(default=256 * 2**20, gt=0, description="bytes of open traces held at once")
    max_trace_spans: int = Field(
        default=10_000,
        gt=0,
        description="spans of one trace; more are dropped, counted by the ledger, and it is timed_out",
    )
    max_trace_bytes: int = Field(default=32 * 2**20, gt=0, description="bytes of one trace, likewise")

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.shortest_quiet_seconds > self.longest_quiet_seconds:
            raise ValueError("shortest_quiet_seconds must not be above longest_quiet_seconds")
        return self


class Sample(_Section):
    """Who is judged."""

    rate: float = Field(
        default=0.085,
        ge=0,
        le=1,
        description="share of records judged as they arrive (detect.burst_share comes on top), by a restart-stable "
        "hash of the trace id; shared among segments "
        "(service, environment, segment) by the square root of their traffic",
    )
    minimum_per_day: float = Field(
        default=500.0,
        ge=0,
        allow_inf_nan=False,
        description="records judged a day where rate alone would judge fewer, so that a small service has numbers soon",
    )
    calls_per_minute: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="judge calls a minute; near it probabilities fall smoothly and never to 0; default: no limit",
    )
    tokens_per_day: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="tokens that the judge may read and say in about a day, as it reports them; falls likewise",
    )
    usd_per_day: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="US dollars that judging may cost in about a day, by judge.prices; falls likewise",
    )
    floor: float = Field(
        default=0.01,
        ge=0,
        le=1,
        description="smallest probability of any segment, unless rate is lower still",
    )
    informative: float = Field(
        default=1.0,
        ge=1,
        le=100,
        description="factor on the probability of records with an error, a thumbs-down or a low check; "
        "estimates weight it out; 1 treats all alike",
    )
    most_strata: int = Field(
        default=64, gt=0, description="segments that get a probability of their own; the rest share one"
    )


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
        default=60.0, ge=1, description="grain of the rollups; fixed for the life of a store"
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
    faithfulness: Rule = Rule()
    citation: Rule = Rule.model_validate(_CITATION)

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
        default=0.015,
        gt=0,
        le=1,
        description="share of records judged beyond sample.rate: more verdicts where a fall is suspected, and "
        "past traces judged again",
    )
    slo: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="share of faithful answers, calibrated, below which it pages whatever was before; "
        "0.9 means 90 %; default: no floor",
    )
    keep_days: float = Field(
        default=8.0, ge=1, description="how long the detectors' rows stay; they show what was before a fall"
    )

    @model_validator(mode="after")
    def _late_is_kept(self) -> Self:
        if self.late_seconds > self.keep_days * 43_200:
            raise ValueError("late_seconds must not be above half of keep_days")
        return self


class Coverage(_Section):
    """How much must be looked at: less is a ticket, never a page. A threshold of 0 demands nothing."""

    every_seconds: Seconds = Field(default=60.0, description="time between two looks")
    window_seconds: Seconds = Field(default=900.0, description="stretch of arrivals that is looked at")
    min_sample: int = Field(default=50, ge=1, description="records, traces or spans that a share needs")
    least_scored: float = Field(
        default=0.95, ge=0, le=1, description="share of answers not shed, failed or expired"
    )
    least_complete: float = Field(
        default=0.5, ge=0, le=1, description="share of answers of which question, passages and answer arrived"
    )
    least_asked: float = Field(
        default=0.0, ge=0, le=1, description="share of traces with a question; other traffic may be normal"
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
        default=600.0, description="how long a share must be back before the ticket resolves"
    )


class Links(_Section):
    """Addresses that a page may show."""

    public_url: str | None = Field(
        default=None,
        description="where people reach this scorer's pages, for example https://rag.example.com",
    )
    trace_url_template: str | None = Field(
        default=None,
        description="link to a trace in your tracing tool, with {trace_id}, for example https://tempo/trace/{trace_id}",
    )

    @field_validator("trace_url_template")
    @classmethod
    def _has_placeholder(cls, template: str | None) -> str | None:
        if template is not None and "{trace_id}" not in template:
            raise ValueError("must contain {trace_id}")
        return template


class Settings(_Section):
    """The whole tree. Build it with `load`."""

    dialects: Words = Field(
        default=(),
        description="readers of your own spans, asked before the built-in ones: "
        '"path/to/file.py" or "package.module:Name"',
    )
    receive: Receive = Receive()
    sources: Sources = Sources()
    inbox: Inbox = Inbox()
    store: Store = Store()
    content: Content = Content()
    retention: Retention = Retention()
    assemble: Assemble = Assemble()
    sample: Sample = Sample()
    judge: Judge = Judge()
    monitor: Monitor = Monitor()
    detect: Detect = Detect()
    coverage: Coverage = Coverage()
    forward: dict[Name, Forward] = Field(default={})
    filters: dict[Name, Filter] = Field(default={})
    citations: dict[str, Citing] = Field(default={})
    budgets: dict[str, Budgets] = Field(default={})
    custom_checks: dict[Name, CustomCheck] = Field(default={})
    channels: dict[str, Channel] = Field(default={})
    routes: dict[Name, Route] = Field(default={})
    health: Health = Health()
    inbound: Inbound = Inbound()
    links: Links = Links()

    @property
    def active_filters(self) -> dict[str, Filter]:
        """The filters to apply, in order: those of the file, then the built-in ones that it does not redefine."""
        named = {**self.filters, **{k: v for k, v in DEFAULT_FILTERS.items() if k not in self.filters}}
        return {name: rule for name, rule in named.items() if rule.enabled}

    @property
    def inbox_path(self) -> Path:
        """Folder of the inbox segments: as configured, else beside the store file and named after it."""
        store = self.store.path
        return self.inbox.path or store.with_name(f"{store.stem}-inbox")
