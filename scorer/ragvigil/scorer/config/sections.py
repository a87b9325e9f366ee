"""The sections of the settings: defaults, units and validation beside each field."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ragvigil.scorer.config.budgeting import Budgets
from ragvigil.scorer.config.channels import Channel
from ragvigil.scorer.config.citing import Citing
from ragvigil.scorer.config.content import Content
from ragvigil.scorer.config.custom import CustomCheck
from ragvigil.scorer.config.exporting import Export, Metrics
from ragvigil.scorer.config.fields import Address, Name, Seconds, Secret, Words, several, without_secrets
from ragvigil.scorer.config.fields import Section as _Section
from ragvigil.scorer.config.filtering import DEFAULT_FILTERS, Filter
from ragvigil.scorer.config.forwarding import Forward
from ragvigil.scorer.config.judging import Judge
from ragvigil.scorer.config.oncall import Health, Inbound
from ragvigil.scorer.config.retention import Retention
from ragvigil.scorer.config.routing import Route
from ragvigil.scorer.config.showing import Dashboard
from ragvigil.scorer.config.watching import Arrivals, Coverage, Detect, Monitor


class Receive(_Section):
    """Where OTLP comes in: plain, gzip, deflate or zstd over HTTP; plain, gzip or deflate over gRPC.

    What a Collector compresses otherwise is refused for good: 415 over HTTP, and over gRPC, in its library's words,
    INTERNAL "Error parsing 'grpc-encoding' metadata".
    """

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
        default=2**30,
        ge=10**6,
        description="its files never outgrow this: senders are told to come back when they might",
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
        default="sqlite:///ragvigil.db",
        description="sqlite:///PATH, or the path alone; a relative one begins in the folder that the command is "
        "started in",
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
        # a word alone, such as postgresql, was meant as something else
        bare = ":" not in url and bool(Path(url).suffix or "/" in url)
        path = url if bare else url.removeprefix("sqlite:///").strip()
        if not path or not (bare or url.startswith("sqlite:///")):
            raise ValueError("must look like sqlite:///PATH, for example sqlite:///ragvigil.db")
        if "\0" in path:
            raise ValueError("holds a NUL, which no path can: write the path anew")
        if path.startswith("~"):
            raise ValueError("nothing makes a home of ~ here: write the whole path")
        if path.endswith("/") or Path(path).name in ("", "..") or os.path.isdir(path):  # noqa: PTH112 - never raises
            raise ValueError("is a folder: name a file in it, for example ragvigil.db")
        return f"sqlite:///{path}" if bare else url

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
        default=0.072,
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
        description="records judged a day, of all services together, where rate alone would judge fewer, so that a "
        "small fleet has numbers soon",
    )
    calls_per_minute: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="judge calls in about a minute, nearly twice as many in the first of a surge; near it "
        "probabilities fall smoothly and never to 0; default: no limit",
    )
    tokens_per_minute: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="tokens that the judge may read and say in about a minute, as it reports them; falls likewise",
    )
    usd_per_minute: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="US dollars that judging may cost in about a minute, by judge.prices; falls likewise",
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
    signals: Annotated[
        tuple[Literal["thumbs_down", "rephrasing", "follow_up"], ...], BeforeValidator(several)
    ] = Field(
        default=(),
        description="what users do that makes strata of their own, judged more often as all small ones are: an answer "
        "disliked, a question that asks the conversation's last one again, one that follows it; `ragvigil report` says "
        "which tell",
    )
    most_strata: int = Field(
        default=64,
        gt=0,
        description="segments that get a probability of their own, for as long as something comes of them within a "
        "day; of more, those that page come first, and the rest are judged as often as all are together",
    )


class Links(_Section):
    """Addresses that a page may show."""

    public_url: str | None = Field(
        default=None,
        description="where people reach the pages of `ragvigil dashboard`: alerts link to /incidents/ID below it",
    )
    trace_url_template: str | None = Field(
        default=None,
        description="link to a trace in your tracing tool, with {trace_id}, for example https://tempo/trace/{trace_id}",
    )
    playbook_url: str | None = Field(
        default=None,
        description="where your copy of docs/playbook.md is shown; pages link its rows, such as #one-segment",
    )

    @field_validator("*")
    @classmethod
    def _may_be_shown(cls, url: str | None) -> str | None:
        if url is not None and without_secrets(url).partition("?")[0] != url.partition("?")[0]:
            raise ValueError(
                "holds a name or a password before the @: it would stand in every page; leave it out"
            )
        if url is not None and not url.startswith(("http://", "https://")):
            raise ValueError("must begin with https:// or http://")
        return url

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
        '"path/to/file.py", beside this file or where the scorer is started, or "package.module:Name"',
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
    arrivals: Arrivals = Arrivals()
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
    dashboard: Dashboard = Dashboard()
    metrics: Metrics = Metrics()
    export: Export = Export()

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

    @property
    def shared_path(self) -> Path:
        """File of what the judge was asked and cost: as configured, else beside the store file and named after it."""
        store = self.store.path
        return self.judge.shared or store.with_name(f"{store.stem}-judge.db")
