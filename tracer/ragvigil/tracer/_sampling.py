"""How often the service's own sampler keeps a request, so that whoever counts its spans can weigh them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, cast

from opentelemetry.trace import Span, SpanContext, TraceState

from ragvigil.tracer._notices import notices
from ragvigil.tracer._providers import global_provider
from ragvigil.tracer._reading import number

Told: TypeAlias = float | Callable[[], float | None] | None
"""What the service says of its sampler: a probability, or what gives the one for the request that begins."""

_THRESHOLD = re.compile(r"(?:^|;)th:([0-9a-f]{1,14})(?=;|$)")
_RANGE = 2**56
_RATIO = re.compile(
    r"(?P<parents>(?:ParentBased\{root:|ComposableParentThreshold\{root=|AlwaysRecordSampler\{)*)"
    r"(?:(?:Composable)?TraceI[dD]RatioBased\{(?:threshold=\w+, ratio=)?(?P<ratio>[\d.eE+-]+)\}|AlwaysOnSampler\b)"
)
"""How the SDK's samplers of one ratio, or of all, describe themselves; one of several ratios is not guessed at."""


class _Local(Protocol):
    """The part of the SDK's span that matters to us."""

    parent: SpanContext | None


@dataclass(slots=True)
class Sampling:
    """What is known of the sampler of the global provider, which rarely changes."""

    _provider: object = None
    _probability: float | None = field(default=None)
    _by_parent: bool = False

    def probability(self, told: Told, own: Span | None, around: Span) -> float | None:
        """The probability, in (0, 1] and when it is known, with which this request was kept by the service's sampler.

        By what the service told; else by the threshold that a consistent sampler left in ``tracestate`` of the
        service's span ``around``; else by the sampler itself. One that goes by its parent says nothing of a request
        that another service began. None where our ``own`` span has such a threshold, or one that says what was told:
        it says so itself, and a sampler on the way that lowers it, such as a Collector's, must not count twice.
        """
        kept = threshold_probability((around if own is None else own).get_span_context().trace_state)
        if told is not None:
            asked = _possible(_asked(told))
            twice = own is not None and kept is not None and asked is not None
            return None if twice and math.isclose(asked or 0, kept or 0, rel_tol=1e-3) else asked
        if kept is not None:
            return _possible(kept) if own is None else None
        provider = global_provider()
        if provider is not self._provider:
            self._provider, self._probability = provider, probability_of(provider)
            self._by_parent = _goes_by_parent(provider)
        if self._probability is None or (self._by_parent and _began_elsewhere(around)):
            return None
        return self._probability


def threshold_probability(state: TraceState) -> float | None:
    """The probability behind ``ot=th:HEX``, the rejection threshold of 56 bits without its trailing zeros.

    https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/

    >>> threshold_probability(TraceState([("ot", "rv:1;th:c")])), threshold_probability(TraceState())
    (0.25, None)
    """
    found = _THRESHOLD.findall(state.get("ot") or "") if state else []
    return (_RANGE - int(found[0].ljust(14, "0"), 16)) / _RANGE if len(found) == 1 else None


def probability_of(provider: object) -> float | None:
    """The probability of a provider's sampler, when it is one.

    A sampler of the service's own tells by an attribute or a method ``sampling_probability``; the SDK's tell by their
    descriptions.
    """
    sampler: object = getattr(provider, "sampler", None)
    told = cast("Told", getattr(sampler, "sampling_probability", None))
    if told is not None:
        return _possible(_asked(told))
    found = _RATIO.match(_description(sampler))
    if found is None:
        return None
    return _possible(number(float(found["ratio"]))) if found["ratio"] else 1.0


def _goes_by_parent(provider: object) -> bool:
    sampler: object = getattr(provider, "sampler", None)
    if getattr(sampler, "sampling_probability", None) is not None:
        return False
    found = _RATIO.match(_description(sampler))
    return found is not None and "{root" in found["parents"]


def _description(sampler: object) -> str:
    describe = getattr(sampler, "get_description", None)
    return str(describe()) if callable(describe) else ""


def _began_elsewhere(span: Span) -> bool:
    """Whether the span is another service's, or the first one here of a request from there."""
    context = span.get_span_context()
    above = cast("_Local", span).parent if hasattr(span, "parent") else None
    return (context.is_valid and context.is_remote) or (above is not None and above.is_remote)


def _asked(told: float | Callable[[], float | None]) -> float | None:
    try:
        return number(told() if callable(told) else told)
    except (Exception, SystemExit) as error:
        notices.say("the sampling probability is not known", error)
        return None


def _possible(probability: float | None) -> float | None:
    return probability if probability is not None and 0 < probability <= 1 else None


sampling = Sampling()
"""What is known of the service's own sampling."""
