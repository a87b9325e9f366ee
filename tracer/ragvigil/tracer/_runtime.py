"""Where spans go right now, and what of the request the spans below must know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.trace import ProxyTracerProvider, Span, Tracer, TracerProvider

from ragvigil.tracer import attributes as names
from ragvigil.tracer._settings import Limits, content_allowed, limits_under_environment

SCOPE_KEY = otel_context.create_key("ragvigil-scope")


@dataclass(frozen=True, slots=True)
class Runtime:
    """A tracer with what may be recorded through it."""

    provider: TracerProvider
    tracer: Tracer
    content: bool
    limits: Limits
    configured: bool
    """Whether ``configure`` made it, as opposed to the service's global provider."""


class Scope(NamedTuple):
    """What a span's children must know: it travels in the OpenTelemetry context."""

    span: Span | None
    query: str | None
    """The question of the enclosing request."""
    attributes: dict[str, str]
    """Conversation, user, segment and prompt version; one dict shared by all spans of a request."""
    apart: bool | None = None
    """Whether our spans stay off the service's current span; None until the first span has decided it."""


class Destination:
    """The configured runtime, or the global provider's when there is none."""

    def __init__(self) -> None:
        self._configured: Runtime | None = None
        self._borrowed: Runtime | None = None

    def current(self) -> Runtime | None:
        """The runtime to record with; None when nobody would receive a span."""
        if self._configured is not None:
            return self._configured
        provider = trace.get_tracer_provider()
        if self._borrowed is not None and self._borrowed.provider is provider:
            return self._borrowed
        if isinstance(provider, ProxyTracerProvider):
            return None
        self._borrowed = runtime(
            provider,
            content=content_allowed(default=False),
            limits=limits_under_environment(Limits()),
            configured=False,
        )
        return self._borrowed

    def use(self, chosen: Runtime | None) -> None:
        """Record with this runtime from now on; None goes back to the global provider."""
        self._configured = chosen


destination = Destination()
"""The process-wide destination of spans."""


def runtime(provider: TracerProvider, *, content: bool, limits: Limits, configured: bool) -> Runtime:
    """A runtime over a provider, under our scope name and version."""
    tracer = provider.get_tracer(names.SCOPE_NAME, _version())
    return Runtime(provider, tracer, content, limits, configured)


def isolated(chosen: Runtime) -> bool:
    """Whether our spans must not become the current span, because the service traces through another provider.

    A span of ours as the current one would become the parent of the service's own spans, in a backend that
    never sees it, and would override the service's sampling for them.
    """
    if not chosen.configured:
        return False
    provider = trace.get_tracer_provider()
    return provider is not chosen.provider and not isinstance(provider, ProxyTracerProvider)


def scope_of(context: Mapping[str, object]) -> Scope:
    """The scope that a context carries, or an empty one."""
    found = context.get(SCOPE_KEY)
    return found if isinstance(found, Scope) else Scope(None, None, {})


def _version() -> str | None:
    try:
        return version("ragvigil")
    except PackageNotFoundError:
        return None
