"""Where spans go right now, and what of the request the spans below must know."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import ProxyTracerProvider, Span, Tracer, TracerProvider

from ragvigil.tracer import attributes as names
from ragvigil.tracer._findings import AttributeValue, Findings
from ragvigil.tracer._settings import (
    Content,
    Limits,
    Policy,
    content_allowed,
    count_limit,
    limits_within,
    value_limit,
)

SCOPE_KEY = otel_context.create_key("ragvigil-scope")


@dataclass(frozen=True, slots=True)
class Runtime:
    """A tracer with what may be recorded through it."""

    provider: TracerProvider
    tracer: Tracer
    policy: Policy
    configured: bool
    """Whether ``configure`` made it, as opposed to the service's global provider."""
    pending: dict[int, Findings] | None = None
    """Findings by span id for a delivery that writes them itself; None where the span must carry them."""


LATE_SECONDS = 30.0
"""How long after its end a request still has late parts, such as a stream that is read by a thread of its own."""


class Request:
    """How long a request lasts: the outermost traced call, or each root."""

    __slots__ = ("ended", "forks")

    def __init__(self) -> None:
        self.ended: float | None = None
        """When it ended, on the monotonic clock."""
        self.forks = forks.count

    def over(self, *, for_root: bool) -> bool:
        """Whether a call that begins now is no part of it: at once for a root, after half a minute for a part."""
        if self.forks != forks.count and forks.in_pool():
            return True
        return self.ended is not None and (for_root or time.monotonic() - self.ended > LATE_SECONDS)


class Forks:
    """How often this process was forked from one that traced: a pool's workers outlive the request around a fork."""

    def __init__(self) -> None:
        self.count = 0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def in_pool(self) -> bool:
        """Whether this process is a worker of a process pool."""
        processes: Any = sys.modules.get("multiprocessing.process")
        target: object = None if processes is None else getattr(processes.current_process(), "_target", None)
        return getattr(target, "__module__", None) in ("concurrent.futures.process", "multiprocessing.pool")

    def _forked(self) -> None:
        self.count += 1


forks = Forks()
"""The forks of this process."""


class Scope(NamedTuple):
    """What a span's children must know: it travels in the OpenTelemetry context."""

    span: Span | None
    query: str | None
    """The question of the enclosing request."""
    attributes: dict[str, AttributeValue]
    """Conversation, user, segment and prompt version; one dict shared by all spans of a request."""
    retrieved: list[str | None]
    """Ids of the documents that the request has retrieved so far, as the generator sees them."""
    content: Content | None = None
    """What the request wants of texts to be recorded at most."""
    apart: bool | None = None
    """Whether our spans stay off the service's current span; None until the first span has decided it."""
    request: Request | None = None
    """The request that the span belongs to; None where there is no span."""


class Destination:
    """The configured runtime, or the global provider's when there is none."""

    def __init__(self) -> None:
        self._configured: Runtime | None = None
        self._borrowed: Runtime | None = None
        self._api: Mapping[str, object] = vars(trace)
        self._asked = trace.get_tracer_provider
        self._provider_by_name = "OTEL_PYTHON_TRACER_PROVIDER" in os.environ

    def current(self) -> Runtime | None:
        """The runtime to record with; None when nobody would receive a span."""
        if self._configured is not None:
            return self._configured
        if self._no_provider():
            return None
        provider = trace.get_tracer_provider()
        if self._borrowed is not None and self._borrowed.provider is provider:
            return self._borrowed
        if isinstance(provider, ProxyTracerProvider):
            return None
        policy = borrowed_policy(provider, content="full" if content_allowed(default=False) else "ids_only")
        self._borrowed = runtime(provider, policy, configured=False)
        return self._borrowed

    def _no_provider(self) -> bool:
        """Whether the API holds no provider; asking ``get_tracer_provider`` reads the environment in each call."""
        return (
            self._api.get("_TRACER_PROVIDER", self) is None
            and not self._provider_by_name
            and trace.get_tracer_provider is self._asked
        )

    def use(self, chosen: Runtime | None) -> Runtime | None:
        """Record with this runtime from now on, and return the earlier; None goes back to the global provider."""
        earlier, self._configured = self._configured, chosen
        return earlier


destination = Destination()
"""The process-wide destination of spans."""


class _SpanLimits(Protocol):
    """The part of the SDK's limits that matters to us."""

    max_span_attribute_length: int | None
    max_span_attributes: int | None


def borrowed_policy(provider: TracerProvider, *, content: Content, limits: Limits | None = None) -> Policy:
    """The policy for a provider of the service's own, within the limits that it has for spans."""
    theirs: _SpanLimits | None = getattr(provider, "_span_limits", None)
    longest = [value_limit(), None if theirs is None else theirs.max_span_attribute_length]
    most = count_limit() if theirs is None else theirs.max_span_attributes
    return Policy(
        content=content,
        limits=limits_within(
            limits or Limits(), min((one for one in longest if one is not None), default=None)
        ),
        most_attributes=most,
    )


def runtime(
    provider: TracerProvider,
    policy: Policy,
    *,
    configured: bool,
    pending: dict[int, Findings] | None = None,
) -> Runtime:
    """A runtime over a provider, under our scope name and version."""
    return Runtime(provider, provider.get_tracer(names.SCOPE_NAME, _version()), policy, configured, pending)


_RATIO = r"TraceIdRatioBased\{([\d.eE+-]+)\}"


@dataclass(slots=True)
class Sampling:
    """How often the service's own provider records, as its sampler describes itself; None when always or unknown."""

    _provider: object = None
    _probability: float | None = field(default=None)

    def probability(self) -> float | None:
        """The probability of the global provider's sampler, when it is one below 1."""
        provider = trace.get_tracer_provider()
        if provider is not self._provider:
            self._provider, self._probability = provider, _probability(provider)
        return self._probability


def _probability(provider: object) -> float | None:
    describe = getattr(getattr(provider, "sampler", None), "get_description", None)
    found = re.search(_RATIO, str(describe())) if callable(describe) else None
    given = float(found[1]) if found else None
    return given if given is not None and 0 < given < 1 else None


sampling = Sampling()
"""What is known of the service's own sampling."""


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
    return found if isinstance(found, Scope) else Scope(None, None, {}, [])


def without_ended(here: Context, *, for_root: bool) -> Context:
    """The context without a request that is over; most often as it is.

    A worker thread or a background task that was started inside of a request lives on with its context.
    """
    scope = scope_of(here)
    if scope.request is None or not scope.request.over(for_root=for_root):
        return here
    outside = Context({name: value for name, value in here.items() if name != SCOPE_KEY})
    if trace.get_current_span(here) is scope.span:
        outside = trace.set_span_in_context(trace.INVALID_SPAN, outside)
    return outside


def _version() -> str | None:
    # Imported here: a quarter of the import time of everything, and many a process never makes a span.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ragvigil")
    except PackageNotFoundError:
        return None
