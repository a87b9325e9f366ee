"""Every setting: one TOML file, environment overrides, defaults that need no file.

``RAGVIGIL_JUDGE__MODEL`` overrides ``judge.model``: two underscores nest. Unknown keys are errors that name
the nearest known key.
"""

from __future__ import annotations

import difflib
import ipaddress
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from ragvigil.scorer.errors import ConfigError

_PREFIX = "RAGVIGIL_"
_OTHER_ROOMS = ("RAGVIGIL_DISABLED", "RAGVIGIL_DEMO_", "RAGVIGIL_BENCH_")
"""Variables that share the prefix without being settings of the scorer."""

_CHANNEL_TYPES = frozenset({"webhook", "pagerduty"})
_SECRETS = frozenset({"token", "secret", "routing_key", "user_id_key"})

Seconds = Annotated[float, Field(gt=0)]
Address = Annotated[str, Field(pattern=r"^[^\s]*:\d{1,5}$")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Receive(_Section):
    """Where OTLP comes in."""

    grpc: Address = Field(
        default="127.0.0.1:4317", description="host:port for OTLP over gRPC; port 0 picks a free one"
    )
    http: Address = Field(
        default="127.0.0.1:4318", description="host:port for OTLP over HTTP; port 0 picks a free one"
    )
    token: SecretStr | None = Field(
        default=None,
        description="bearer token that senders must show; demanded when an address is not loopback",
    )
    max_body_bytes: int = Field(
        default=64 * 2**20, gt=0, description="largest request, also after decompression"
    )
    max_span_bytes: int = Field(
        default=4 * 2**20, gt=0, description="largest single span; a larger one is rejected alone"
    )


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
    user_id_key: SecretStr | None = Field(
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
        default=2.0, description="a trace whose root has ended is complete after this long without a span"
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


class Sample(_Section):
    """Who is judged."""

    rate: float = Field(
        default=0.10,
        ge=0,
        le=1,
        description="share of records judged, by a restart-stable hash of the trace id",
    )


class Judge(_Section):
    """The instrument."""

    kind: Literal["builtin", "none"] = Field(
        default="builtin", description="builtin: offline and deterministic; none: checks only"
    )
    model: str = Field(default="lexical-1", description="for builtin, the fitted coefficients to use")
    max_jobs: int = Field(
        default=10_000, gt=0, description="records waiting for the judge; above it they are shed, and counted"
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
        default=1800.0, description="how long a series must look recovered before the page resolves"
    )


class Monitor(_Section):
    """How series are watched."""

    tick_seconds: Seconds = Field(default=10.0, description="time between two evaluations")
    bucket_seconds: float = Field(
        default=60.0, ge=1, description="grain of the rollups; fixed for the life of a store"
    )
    page_environments: tuple[str, ...] = Field(
        default=("production", "prod"),
        description="values of deployment.environment.name that page; a service that sets none pages too",
    )
    faithfulness: Rule = Rule()
    citation: Rule = Rule(
        window_seconds=600.0,
        baseline_seconds=86_400.0,
        warmup_seconds=3600.0,
        min_sample=50,
        resolve_seconds=600.0,
    )


class WebhookChannel(_Section):
    """A signed HTTP callback (Standard Webhooks)."""

    type: Literal["webhook"] = Field(description='"webhook"')
    url: str = Field(description="where to POST")
    secret: SecretStr = Field(description="whsec_ and base64, as Standard Webhooks writes it")


class PagerDutyChannel(_Section):
    """PagerDuty Events API v2."""

    type: Literal["pagerduty"] = Field(description='"pagerduty"')
    routing_key: SecretStr = Field(description="integration key of the service, 32 characters")
    url: str = Field(
        default="https://events.pagerduty.com/v2/enqueue",
        description="events endpoint; the EU region has its own",
    )


Channel = Annotated[WebhookChannel | PagerDutyChannel, Field(discriminator="type")]


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


class Settings(BaseSettings):
    """The whole tree. Build it with `load`."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    dialects: tuple[str, ...] = Field(
        default=(),
        description="readers of your own spans, asked before the built-in ones: "
        '"path/to/file.py" or "package.module:Name"',
    )
    receive: Receive = Receive()
    inbox: Inbox = Inbox()
    store: Store = Store()
    assemble: Assemble = Assemble()
    sample: Sample = Sample()
    judge: Judge = Judge()
    monitor: Monitor = Monitor()
    channels: dict[str, Channel] = {}
    links: Links = Links()

    @property
    def inbox_path(self) -> Path:
        """Folder of the inbox segments: as configured, else beside the store file and named after it."""
        store = self.store.path
        return self.inbox.path or store.with_name(f"{store.stem}-inbox")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments win over the environment, the environment over the file."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)


def load(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Settings:
    """The settings of the file at `path` (none: defaults), with the environment and then `overrides` on top.

    Raises ConfigError that names the key, the problem, and the nearest known key.

    >>> load(overrides={"sample": {"rate": 0.5}}).sample.rate
    0.5
    """
    if path is not None and not path.is_file():
        raise ConfigError(str(path), "no such file")
    _refuse_unknown_variables(os.environ)

    class FromFile(Settings):
        model_config = SettingsConfigDict(toml_file=path)

    arguments: dict[str, Any] = dict(overrides or {})
    try:
        settings = FromFile(**arguments)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(str(path), f"not valid TOML: {error}") from None
    except ValidationError as error:
        raise _explain(error) from None
    _refuse_open_doors(settings.receive)
    return settings


def _refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    sections = list(Settings.model_fields)
    for name in environment:
        if not name.startswith(_PREFIX) or name.startswith(_OTHER_ROOMS):
            continue
        section = name.removeprefix(_PREFIX).split("__")[0].lower()
        if section not in sections:
            raise ConfigError(name, "unknown setting", _nearest(section, sections))


def _explain(error: ValidationError) -> ConfigError:
    """The one error to show: a misspelt key before what follows from it, and never a secret's value."""
    problems = sorted(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    first = problems[0]
    place = [str(part) for part in first["loc"] if part not in _CHANNEL_TYPES]
    key = ".".join(place)
    if first["type"] == "extra_forbidden":
        return ConfigError(key, "unknown key", _nearest(place[-1], _known_keys(place[:-1])))
    shown = isinstance(first["input"], (str, int, float)) and place[-1] not in _SECRETS
    return ConfigError(
        key, first["msg"].removeprefix("Value error, "), f"got {first['input']!r}"[:200] if shown else None
    )


def _known_keys(place: list[str]) -> list[str]:
    """Keys of the section at `place`; for a channel, those of every kind of channel."""
    if place and place[0] == "channels":
        return sorted({*WebhookChannel.model_fields, *PagerDutyChannel.model_fields})
    section: type[BaseModel] = Settings
    for part in place:
        annotation = section.model_fields[part].annotation
        assert isinstance(annotation, type)
        assert issubclass(annotation, BaseModel)
        section = annotation
    return list(section.model_fields)


def _nearest(word: str, known: list[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else "known: " + ", ".join(known)


def _refuse_open_doors(receive: Receive) -> None:
    """Anything but loopback demands a token."""
    if receive.token is not None:
        return
    for key, address in (("receive.grpc", receive.grpc), ("receive.http", receive.http)):
        host = address.rpartition(":")[0].strip("[]")
        if host != "localhost" and not _is_loopback(host):
            raise ConfigError(key, f"{address} is not loopback", "set receive.token, or listen on 127.0.0.1")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
