"""Where spans go right now, and what may be recorded of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from opentelemetry.trace import Tracer, TracerProvider

from ragvigil.tracer import attributes as names
from ragvigil.tracer._findings import Findings
from ragvigil.tracer._notices import notices
from ragvigil.tracer._providers import global_provider
from ragvigil.tracer._sampling import Told
from ragvigil.tracer._settings import (
    Content,
    Limits,
    Policy,
    content_allowed,
    count_limit,
    disabled,
    limits_within,
    threads_allowed,
    value_limit,
)

if TYPE_CHECKING:
    from ragvigil.tracer._gate import Gate


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
    gate: Gate | None = None
    """Whether what is recorded would arrive; None where that is not ours to know."""
    sampling_probability: Told = None
    """How often the service's own sampler keeps a request, as ``configure`` was told."""


class Destination:
    """The configured runtime, or the global provider's when there is none."""

    def __init__(self) -> None:
        self._configured: Runtime | None = None
        self._borrowed: Runtime | None = None
        self._refused: TracerProvider | None = None
        """The global provider that gets nothing, because tracing was switched off when it was first met."""
        self._carrying: dict[str, object] = {}

    def current(self) -> Runtime | None:
        """The runtime to record with; None when nobody would receive a span."""
        if self._configured is not None:
            return self._configured
        provider = global_provider()
        if provider is None or provider is self._refused:
            return None
        if self._borrowed is not None and self._borrowed.provider is provider:
            return self._borrowed
        if disabled():
            self._refused = provider
            return None
        policy = borrowed_policy(provider, content="full" if content_allowed(default=False) else "ids_only")
        self._borrowed = runtime(provider, policy, configured=False)
        self._carry()
        return self._borrowed

    def use(self, chosen: Runtime | None) -> Runtime | None:
        """Record with this runtime from now on, and return the earlier; None goes back to the global provider."""
        earlier, self._configured = self._configured, chosen
        self._borrowed = self._refused = None
        if self._carrying.pop("on", None) is not None:
            from ragvigil.tracer._threads import carrying

            carrying.release()
        return earlier

    def _carry(self) -> None:
        """Carry requests into threads from now on, as ``configure`` would."""
        mine = object()
        if not threads_allowed() or self._carrying.setdefault("on", mine) is not mine:
            return
        try:
            from ragvigil.tracer._threads import carrying

            carrying.use()
        except (Exception, SystemExit) as error:
            notices.say("requests are not carried into threads", error)


destination = Destination()
"""The process-wide destination of spans."""


class _SpanLimits(Protocol):
    """The part of the SDK's limits that matters to us."""

    max_span_attribute_length: int | None
    max_span_attributes: int | None


def borrowed_policy(provider: TracerProvider, *, content: Content, limits: Limits | None = None) -> Policy:
    """The policy for a provider of the service's own, within the limits that it has for spans."""
    theirs: _SpanLimits | None = getattr(provider, "_span_limits", None)
    lengths = [value_limit(), None if theirs is None else theirs.max_span_attribute_length]
    longest = min((one for one in lengths if one is not None), default=None)
    most = count_limit() if theirs is None else theirs.max_span_attributes
    return Policy(
        content=content,
        limits=limits_within(limits or Limits(), longest),
        longest_value=longest,
        most_attributes=most,
    )


def runtime(
    provider: TracerProvider,
    policy: Policy,
    *,
    configured: bool,
    pending: dict[int, Findings] | None = None,
    gate: Gate | None = None,
) -> Runtime:
    """A runtime over a provider, under our scope name and version."""
    tracer = provider.get_tracer(names.SCOPE_NAME, _version())
    return Runtime(provider, tracer, policy, configured, pending, gate)


def isolated(chosen: Runtime) -> bool:
    """Whether our spans must not become the current span, because the service traces through another provider.

    A span of ours as the current one would become the parent of the service's own spans, in a backend that
    never sees it, and would override the service's sampling for them.
    """
    if not chosen.configured:
        return False
    provider = global_provider()
    return provider is not None and provider is not chosen.provider


def _version() -> str | None:
    # Imported here: a quarter of the import time of everything, and many a process never makes a span.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("ragvigil")
    except PackageNotFoundError:
        return None
