"""``configure``: spans to ragvigil through a provider of our own, beside whatever the service has."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from opentelemetry import trace

from ragvigil.tracer._notices import notices
from ragvigil.tracer._runtime import Runtime, borrowed_policy, destination, runtime
from ragvigil.tracer._settings import Content, Limits, Policy, content_allowed, disabled, refuse_unknown

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

    from ragvigil.tracer._delivery import Delivery
    from ragvigil.tracer._threads import Carrying
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
    content_to: Literal["ragvigil", "all"]
    redact: Redactor | None
    hash_user_id: bool
    openinference: bool
    limits: Limits
    threads: bool
    exporter: SpanExporter | None

    def __post_init__(self) -> None:
        """Refuse words that mean nothing."""
        refuse_unknown(self.content)
        if self.content_to not in ("ragvigil", "all"):
            raise ValueError(f"content_to={self.content_to!r} is neither 'ragvigil' nor 'all'")


class Tracing:
    """What ``configure`` returns: flush and shut down; harmless when tracing could not start."""

    def __init__(
        self,
        provider: TracerProvider | None = None,
        delivery: Delivery | None = None,
        carrying: Carrying | None = None,
    ) -> None:
        self.provider = provider
        """The provider behind our spans; None when tracing is off."""
        self._delivery = delivery
        self._carrying = carrying

    @property
    def dropped_spans(self) -> int:
        """Spans that never reached the scorer: queue full, delivery failed or stood still, or shut down."""
        return 0 if self._delivery is None else self._delivery.dropped

    def flush(self, *, timeout_seconds: float = 5.0) -> bool:
        """Whether all spans ended so far were handed over within the time."""
        if self._delivery is None:
            return True
        return self._delivery.force_flush(int(timeout_seconds * 1000))

    def shutdown(self, *, timeout_seconds: float = 3.0) -> bool:
        """Stop tracing and send what is queued for at most so long; whether all was sent."""
        _release(self)
        carrying, self._carrying = self._carrying, None
        if carrying is not None:
            carrying.release()
        return True if self._delivery is None else self._delivery.close(timeout_seconds=timeout_seconds)


def configure(
    *,
    service_name: str | None = None,
    endpoint: str | None = None,
    environment: str | None = None,
    service_version: str | None = None,
    headers: Mapping[str, str] | None = None,
    content: Content = "full",
    content_to: Literal["ragvigil", "all"] = "ragvigil",
    redact: Redactor | None = None,
    hash_user_id: bool = False,
    openinference: bool = False,
    limits: Limits | None = None,
    threads: bool = True,
    exporter: SpanExporter | None = None,
) -> Tracing:
    """Start sending spans to ragvigil, and return a handle to flush and stop; never raises.

    What is not given comes from the environment: ``OTEL_SERVICE_NAME``, ``OTEL_RESOURCE_ATTRIBUTES``,
    ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`` or ``OTEL_EXPORTER_OTLP_ENDPOINT`` (else port 4318 of this
    machine), ``OTEL_EXPORTER_OTLP_HEADERS``, ``…_TIMEOUT``, ``…_CERTIFICATE``, ``…_COMPRESSION``.
    ``exporter`` replaces the delivery over HTTP.

    ``content`` says what of questions, passages and answers is recorded: ``full``; ``redacted``, without what
    the built-in rules, Presidio where it is installed, and then ``redact`` find; or ``ids_only``: ids, scores,
    cited ids and timings. ``OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`` set to off makes it
    ``ids_only``. ``content_to="all"`` makes the spans with the service's own provider, under its sampling, so that
    its other exporters get them too, with their texts; it must be set before. ``hash_user_id`` replaces user
    ids by keyed hashes. ``openinference`` spreads documents and messages over OpenInference's numbered attributes, for
    viewers that know nothing else. ``threads`` carries requests into ``threading.Thread`` and ``ThreadPoolExecutor``,
    whose ``start`` and ``submit`` are replaced for it until ``shutdown``.

    Called again with the same arguments it returns the same handle; with others the new ones take over and
    the earlier spans are sent first, for at most three seconds. At exit the same applies.
    """
    if disabled():
        return Tracing()
    try:
        options = Options(
            service_name,
            endpoint,
            environment,
            service_version,
            None if headers is None else tuple(sorted(headers.items())),
            content,
            content_to,
            redact,
            hash_user_id,
            openinference,
            limits or Limits(),
            threads,
            exporter,
        )
        return _active.start(options)
    except Exception as error:
        notices.say("tracing is off, configure() failed", error)
        return Tracing()


class _Active:
    """The one configured tracing of this process."""

    def __init__(self) -> None:
        self._options: Options | None = None
        self.tracing: Tracing | None = None
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        """Take a fresh lock: in a forked child another thread may have held it."""
        self._lock = threading.RLock()

    def start(self, options: Options) -> Tracing:
        """The tracing that runs with these options, started if need be."""
        with self._lock:
            if self.tracing is not None and self._options == options:
                return self.tracing
            earlier = self.tracing
            tracing, chosen = _build(options)
            self.tracing, self._options = tracing, options
            destination.use(chosen)
        if earlier is None:
            atexit.register(_at_exit)
        else:
            earlier.shutdown()
        return tracing

    def release(self, tracing: Tracing) -> None:
        """Go back to the global provider, if this tracing is the one that runs."""
        with self._lock:
            if self.tracing is tracing:
                self.tracing = self._options = None
                destination.use(None)
                atexit.unregister(_at_exit)


_active = _Active()


def _release(tracing: Tracing) -> None:
    _active.release(tracing)


def _at_exit() -> None:
    if _active.tracing is not None:
        _active.tracing.shutdown()


def _build(options: Options) -> tuple[Tracing, Runtime]:
    # Imported here: a service that only imports the decorators pays for the API alone.
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanLimits, TracerProvider

    from ragvigil.tracer._delivery import Delivery
    from ragvigil.tracer._sampler import EVERY_SPAN
    from ragvigil.tracer._service import Service

    delivery = Delivery(_exporter_of(options), notices=notices)
    # Our own limits apply; the SDK's would cut the documents' JSON, or evict what says whose span it is.
    span_limits = SpanLimits(max_span_attributes=256, max_span_attribute_length=SpanLimits.UNSET)
    provider = TracerProvider(
        sampler=EVERY_SPAN,
        resource=Service.of(Resource.create(_resource_attributes(options))),
        span_limits=span_limits,
        shutdown_on_exit=False,
    )
    provider.add_span_processor(delivery)
    shared = _shared(delivery, options) if options.content_to == "all" else None
    chosen = shared or runtime(
        provider, _policy(options), configured=True, pending=delivery.pending, gate=delivery.gate
    )
    return Tracing(provider, delivery, _carrying(options)), chosen


def _carrying(options: Options) -> Carrying | None:
    if not options.threads:
        return None
    from ragvigil.tracer._threads import carrying

    carrying.use()
    return carrying


def _policy(options: Options) -> Policy:
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


def _shared(delivery: Delivery, options: Options) -> Runtime | None:
    """A runtime over the service's own provider, which delivers to us beside its other exporters."""
    provider = trace.get_tracer_provider()
    add: Callable[[Delivery], None] | None = getattr(provider, "add_span_processor", None)
    if add is None:
        notices.say("content_to='all' has no effect", "the service has set no provider before configure()")
        return None
    add(delivery)
    within = borrowed_policy(provider, content="full", limits=options.limits)
    policy = replace(_policy(options), limits=within.limits, most_attributes=within.most_attributes)
    return runtime(provider, policy, configured=False)


def _exporter_of(options: Options) -> Callable[[], SpanExporter]:
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


def _resource_attributes(options: Options) -> dict[str, str]:
    given = {
        "service.name": options.service_name,
        "service.version": options.service_version,
        "deployment.environment.name": options.environment,
    }
    return {name: value for name, value in given.items() if value is not None}
