"""Makes what ``configure`` returns a handle for: a provider of our own, its delivery, and where spans go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from opentelemetry import trace

from ragvigil.tracer._notices import notices
from ragvigil.tracer._options import Options, exporter_of, policy, resource_attributes
from ragvigil.tracer._runtime import Runtime, borrowed_policy, runtime
from ragvigil.tracer._sampling import probability_of
from ragvigil.tracer._settings import CAPTURE_CONTENT

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from ragvigil.tracer._delivery import Delivery
    from ragvigil.tracer._threads import Carrying


class Built(NamedTuple):
    """A tracing that runs."""

    provider: TracerProvider
    delivery: Delivery
    carrying: Carrying | None
    """What carries requests into threads; None where that was not wanted."""
    chosen: Runtime
    """What spans are made with."""


def build(options: Options) -> Built:
    """Start all that these options ask for."""
    # Imported here: a service that only imports the decorators pays for the API alone.
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanLimits, TracerProvider

    from ragvigil.tracer._delivery import Delivery
    from ragvigil.tracer._sampler import EVERY_SPAN
    from ragvigil.tracer._service import Service

    delivery = Delivery(exporter_of(options), notices=notices)
    # Our own limits apply; the SDK's would cut the documents' JSON, or evict what says whose span it is.
    span_limits = SpanLimits(max_span_attributes=256, max_span_attribute_length=SpanLimits.UNSET)
    provider = TracerProvider(
        sampler=EVERY_SPAN,
        resource=Service.of(Resource.create(resource_attributes(options))),
        span_limits=span_limits,
        shutdown_on_exit=False,
    )
    provider.add_span_processor(delivery)
    chosen = _shared(delivery, options) if options.to_all else None
    if chosen is None:
        chosen = runtime(
            provider, policy(options), configured=True, pending=delivery.pending, gate=delivery.gate
        )
    chosen = replace(chosen, sampling_probability=options.sampling_probability)
    return Built(provider, delivery, _carrying(options), chosen)


def _carrying(options: Options) -> Carrying | None:
    if not options.threads:
        return None
    from ragvigil.tracer._threads import carrying

    carrying.use()
    return carrying


def _shared(delivery: Delivery, options: Options) -> Runtime | None:
    """A runtime over the service's own provider, which delivers to us beside its other exporters."""
    provider = trace.get_tracer_provider()
    add: Callable[[Delivery], None] | None = getattr(provider, "add_span_processor", None)
    if add is None:
        if options.content_to is not None:
            notices.say(
                "content_to='all' has no effect", "the service has set no provider before configure()"
            )
        return None
    if options.content_to is None and (kept := probability_of(provider)) is not None:
        notices.say(
            f"{CAPTURE_CONTENT} sends our spans through the service's provider",
            f"it keeps {kept} of them; content_to='ragvigil' in configure() keeps all",
        )
    add(delivery)
    within = borrowed_policy(provider, content="full", limits=options.limits)
    chosen = replace(
        policy(options),
        limits=within.limits,
        longest_value=within.longest_value,
        most_attributes=within.most_attributes,
    )
    return runtime(provider, chosen, configured=False)
