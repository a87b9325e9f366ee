"""``configure``: spans to ragvigil through a provider of our own, beside whatever the service has."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from ragvigil.tracer._building import build
from ragvigil.tracer._notices import notices
from ragvigil.tracer._options import Options
from ragvigil.tracer._runtime import destination
from ragvigil.tracer._settings import Content, Limits, disabled

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter

    from ragvigil.tracer._delivery import Delivery
    from ragvigil.tracer._sampling import Told
    from ragvigil.tracer._threads import Carrying
    from ragvigil.tracer.redaction import Redactor


HANDOVER_SECONDS = 10.0
"""How long an earlier tracing goes on sending in the background after another took over."""


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
        self.delivery = delivery
        """What sends to the scorer; None when tracing is off."""
        self._carrying = carrying

    @property
    def dropped_spans(self) -> int:
        """Spans that never reached the scorer: queue full, delivery failed or stood still, or shut down."""
        return 0 if self.delivery is None else self.delivery.dropped

    def flush(self, *, timeout_seconds: float = 5.0) -> bool:
        """Whether all spans ended so far were handed over within the time."""
        if self.delivery is None:
            return True
        return self.delivery.force_flush(int(timeout_seconds * 1000))

    def shutdown(self, *, timeout_seconds: float = 3.0) -> bool:
        """Stop tracing and send what is queued for at most so long; whether all was sent."""
        _release(self)
        carrying, self._carrying = self._carrying, None
        if carrying is not None:
            carrying.release()
        return True if self.delivery is None else self.delivery.close(timeout_seconds=timeout_seconds)


def configure(
    *,
    service_name: str | None = None,
    endpoint: str | None = None,
    environment: str | None = None,
    service_version: str | None = None,
    headers: Mapping[str, str] | None = None,
    content: Content = "full",
    content_to: Literal["ragvigil", "all"] | None = None,
    redact: Redactor | None = None,
    hash_user_id: bool = False,
    openinference: bool = False,
    limits: Limits | None = None,
    threads: bool = True,
    sampling_probability: Told = None,
    exit_seconds: float = 2.0,
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
    its other exporters get them too, with their texts; it must be set before. ``"ragvigil"`` sends them there alone;
    where nothing is said, that variable decides: set to on it means ``all``.

    ``hash_user_id`` replaces user ids by keyed hashes. ``openinference`` spreads documents and messages over
    OpenInference's numbered attributes, for viewers that know nothing else. ``threads`` carries requests into
    ``threading.Thread`` and ``ThreadPoolExecutor``, whose ``start`` and ``submit`` are replaced for it until
    ``shutdown``. ``sampling_probability``, a number in (0, 1] or a function that returns one for the request that
    begins, says how often the service's own sampler keeps a request, where that cannot be read from the sampler.

    Called again with the same arguments it returns the same handle; with others the new ones take over at once, and
    a thread sends the earlier spans for at most ten seconds. At exit all that is queued is sent for at most
    ``exit_seconds``.
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
            sampling_probability,
            exit_seconds,
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
        """Take a fresh lock: in a forked child another thread may have held it, and none that ran there runs here."""
        self._lock = threading.RLock()
        self._leaving: list[threading.Thread] = []

    def start(self, options: Options) -> Tracing:
        """The tracing that runs with these options, started if need be."""
        with self._lock:
            if self.tracing is not None and self._options == options:
                return self.tracing
            earlier = self.tracing
            built = build(options)
            tracing = Tracing(built.provider, built.delivery, built.carrying)
            self.tracing, self._options = tracing, options
            destination.use(built.chosen)
        if earlier is None:
            atexit.register(_at_exit)
        else:
            self._hand_over(earlier)
        return tracing

    def _hand_over(self, earlier: Tracing) -> None:
        """Let a thread send what the earlier tracing has; who configures again does not wait for it."""
        leaving = threading.Thread(
            target=earlier.shutdown,
            kwargs={"timeout_seconds": HANDOVER_SECONDS},
            name="ragvigil-handover",
            daemon=True,
        )
        self._leaving = [one for one in self._leaving if one.is_alive()] + [leaving]
        leaving.start()

    def stop(self) -> None:
        """Send what is queued, here and by those that were handed over, within the time for the exit."""
        if self.tracing is None or self._options is None:
            return
        deadline = time.monotonic() + self._options.exit_seconds
        leaving = self._leaving
        self.tracing.shutdown(timeout_seconds=self._options.exit_seconds)
        for one in leaving:
            one.join(max(0.0, deadline - time.monotonic()))

    def release(self, tracing: Tracing) -> None:
        """Go back to the global provider, if this tracing is the one that runs."""
        with self._lock:
            if self.tracing is tracing:
                self.tracing = self._options = None
                destination.use(None)
                atexit.unregister(_at_exit)


_active = _Active()


def current() -> Tracing | None:
    """The tracing that ``configure`` started last, while it runs."""
    return _active.tracing


def _release(tracing: Tracing) -> None:
    _active.release(tracing)


def _at_exit() -> None:
    _active.stop()
