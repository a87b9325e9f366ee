"""What ``configure`` was called with, and what the environment makes of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ragvigil.tracer._settings import Content, Limits, Policy, content_allowed, refuse_unknown

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from ragvigil.tracer._sampling import Told
    from ragvigil.tracer.redaction import Redactor

DEFAULT_ENDPOINT = "http://127.0.0.1:4318"


@dataclass(frozen=True, slots=True)
class Options:
    """What ``configure`` was called with."""

    service_name: str | None
    endpoint: str | None
    environment: str | None
    service_version: str | None
    headers: tuple[tuple[str, str], ...] | None
    content: Content
    content_to: Literal["ragvigil", "all"] | None
    redact: Redactor | None
    hash_user_id: bool
    openinference: bool
    limits: Limits
    threads: bool
    sampling_probability: Told
    exit_seconds: float
    exporter: SpanExporter | None

    def __post_init__(self) -> None:
        """Refuse words that mean nothing."""
        refuse_unknown(self.content)
        if self.content_to not in (None, "ragvigil", "all"):
            raise ValueError(f"content_to={self.content_to!r} is neither 'ragvigil' nor 'all'")
        if not 0 <= self.exit_seconds < float("inf"):
            raise ValueError(f"exit_seconds={self.exit_seconds!r} is not a number from 0 up")

    @property
    def to_all(self) -> bool:
        """Whether texts go to the service's other exporters too: as said in code, else as the environment says."""
        return content_allowed(default=False) if self.content_to is None else self.content_to == "all"


def policy(options: Options) -> Policy:
    """What may be recorded: less than the code says where the environment says so."""
    chosen: Content = options.content if content_allowed(default=True) else "ids_only"
    return Policy(
        content=chosen,
        redact=_redactor(options) if chosen == "redacted" else None,
        limits=options.limits,
        openinference=options.openinference,
        hash_user_id=options.hash_user_id,
    )


def _redactor(options: Options) -> Redactor:
    """The built-in rules, Presidio where it is installed, and then the service's own."""
    from ragvigil.tracer.redaction import all_of, presidio, redact

    return all_of(one for one in (redact, presidio(), options.redact) if one is not None)


def exporter_of(options: Options) -> Callable[[], SpanExporter]:
    """Makes the exporter that was given, or one over OTLP/HTTP."""
    if (given := options.exporter) is not None:
        return lambda: given
    from ragvigil.tracer._exporter import QuietExporter

    endpoint = traces_endpoint(options.endpoint)
    headers = None if options.headers is None else dict(options.headers)
    return lambda: QuietExporter(endpoint=endpoint, headers=headers)


def traces_endpoint(given: str | None) -> str:
    """The full address that spans are posted to.

    >>> traces_endpoint("http://scorer:4318/")
    'http://scorer:4318/v1/traces'
    """
    whole = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "").strip()
    if given is None and whole:
        return whole
    base = given or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", "").strip() or DEFAULT_ENDPOINT
    if not base.startswith(("http://", "https://")):
        raise ValueError(f"endpoint {base!r} must start with http:// or https://")
    base = base.rstrip("/")
    return base if base.endswith("/v1/traces") else f"{base}/v1/traces"


def resource_attributes(options: Options) -> dict[str, str]:
    """What was said of the service."""
    given = {
        "service.name": options.service_name,
        "service.version": options.service_version,
        "deployment.environment.name": options.environment,
    }
    return {name: value for name, value in given.items() if value is not None}
