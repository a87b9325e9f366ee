"""What samplers before the scorer left out, as far as spans tell.

Rates are read from
- `tracestate` `ot=th:HEX`, OpenTelemetry's consistent probability sampling: the 56-bit rejection threshold T, without
  trailing zeros. A trace is kept when its randomness is at least T, with probability (2**56 - T) / 2**56.
  https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
- `SampleRate`, Honeycomb's: one of so many is kept. https://docs.honeycomb.io/manage-data-volume/sample/
- `sampler.type` and `sampler.param`, Jaeger's, also with the prefix `jaeger.`.
  https://www.jaegertracing.io/docs/latest/sampling/
- `sampling.probability` and `logfire.sample_rate`, probabilities; `microsoft.sample_rate` and `_MS.sampleRate`,
  percent.

That somebody sampled, and not how much, is told by `tailsampling.policy` (the Collector's tail sampler, on the scope)
and by Jaeger's rate limiting samplers.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import number_of, text_of
from ragvigil.scorer.span import Span

_THRESHOLD = re.compile(r"th:([0-9a-f]{1,14})")
_DIGITS = 14
_RANGE = 2**56
_ONE_IN = ("SampleRate", "sampleRate")
_SHARE = ("sampling.probability", "logfire.sample_rate")
_PERCENT = ("microsoft.sample_rate", "_MS.sampleRate")
_JAEGER = ("jaeger.sampler", "sampler")
_HINTS = frozenset((*_ONE_IN, *_SHARE, *_PERCENT, *(f"{prefix}.type" for prefix in _JAEGER)))
_ON_THE_WAY = frozenset((*_ONE_IN, "sampling.probability"))
"""Those of them that also samplers behind the service write; all others are its SDK's."""
_LIMITING = frozenset({"ratelimiting", "lowerbound"})
"""Jaeger's samplers whose parameter is traces a second: what share that was, nobody says."""
_POLICY = "tailsampling.policy"
_SIGNS = _HINTS | {_POLICY}
_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Sampling:
    """What the spans of one question say of the samplers that they passed."""

    probability: float | None
    """In (0, 1]: with which something of the question was kept; None when no span says it."""
    sampler: str | None
    """A sampler that does not say its rate; None when there is no sign of one."""


_UNTOLD = Sampling(None, None)


def sampling_of(question: Question) -> Sampling:
    """How the question was sampled.

    Spans of one question may pass samplers of their own: the answer is counted as soon as one of them comes, so the
    largest probability counts. Of two that one span tells the smaller is taken: a sampler that knows of the one
    before it multiplies. Spans above the question are asked only when its own are silent. What a tracer says of its
    service's sampler beside all this is one more factor: it says so where that left no threshold, so that a sampler
    on the way, such as a Collector's, could not know of it. Where an attribute says the same as the tracer, an SDK
    wrote it of the one sampler; of one that is also written on the way nobody knows whether it is a second one.
    """
    around = list(_around(question))
    if not any(map(_tells, around)):
        return _UNTOLD
    told = [probability for step in question.steps if step.dialect if (probability := _probability(step))]
    told = told or [share for step in around if (share := hinted_probability(step.span.attributes))]
    silent = next((name for step in around if (name := _silent(step.span))), None)
    kept, said = max(told, default=None), _said(question)
    if kept is None or said is None:
        return Sampling(said if kept is None else kept, silent)
    if said == 1 or not math.isclose(kept, said, rel_tol=1e-3) or not (written := _hints(around)):
        return Sampling(kept * said, silent)
    if _ON_THE_WAY.isdisjoint(written):
        return Sampling(kept, silent)
    return Sampling(None, silent or f"one that keeps {said:.3g}, or two that do"[:_LONGEST_NAME])


def _said(question: Question) -> float | None:
    """What the question's own tracer says of the sampler of its service."""
    said = [share for step in question.steps if (share := step.reading.sampled_with) and 0 < share <= 1]
    return max(said, default=None)


def _hints(around: Iterable[Step]) -> set[str]:
    """The attributes there that tell of a sampler."""
    return {name for step in around for name in _HINTS.intersection(step.span.attributes)}


def _tells(step: Step) -> bool:
    """Whether there is any sign of a sampler; nearly no span has one."""
    span = step.span
    return bool(
        span.trace_state
        or step.reading.sampled_with is not None
        or not _SIGNS.isdisjoint(span.attributes)
        or _POLICY in span.scope_attributes
    )


def _around(question: Question) -> Iterator[Step]:
    """The question's steps and what is above it."""
    return itertools.chain(question.steps, question.steps[0].ancestors())


def _probability(step: Step) -> float | None:
    found = (threshold_probability(step.span.trace_state), hinted_probability(step.span.attributes))
    return min((each for each in found if each is not None), default=None)


def threshold_probability(trace_state: str) -> float | None:
    """The probability that a `tracestate` tells; None when it has no threshold, or none that is valid.

    >>> threshold_probability("ot=th:8"), threshold_probability("a=b, ot=rv:00aa;th:fd70a4"), threshold_probability("")
    (0.5, 0.009999990463256836, None)
    >>> threshold_probability("ot=th:0"), threshold_probability("ot=th:0x8"), threshold_probability("xot=th:8")
    (1.0, None, None)
    """
    for member in trace_state.split(",") if trace_state else ():
        key, _, value = member.strip().partition("=")
        if key == "ot":
            found = [each for part in value.split(";") if (each := _THRESHOLD.fullmatch(part))]
            if len(found) != 1:
                return None
            return (_RANGE - int(found[0][1].ljust(_DIGITS, "0"), 16)) / _RANGE
    return None


def hinted_probability(attributes: Mapping[str, object]) -> float | None:
    """The probability that a vendor's attribute tells; None when there is none, or none that is valid.

    >>> hinted_probability({"SampleRate": 4}), hinted_probability({"sampler.type": "const", "sampler.param": True})
    (0.25, 1.0)
    >>> hinted_probability({"_MS.sampleRate": 12.5}), hinted_probability({"SampleRate": 0})
    (0.125, None)
    """
    if _HINTS.isdisjoint(attributes):
        return None  # as nearly always
    for key in _ONE_IN:
        if (rate := number_of(attributes.get(key))) is not None and rate >= 1:
            return 1 / rate
    found = [number_of(attributes.get(key)) for key in _SHARE]
    found += [None if (share := number_of(attributes.get(key))) is None else share / 100 for key in _PERCENT]
    found += [_jaegers(attributes, prefix) for prefix in _JAEGER]
    return next((share for share in found if share is not None and 0 < share <= 1), None)


def _jaegers(attributes: Mapping[str, object], prefix: str) -> float | None:
    kind, given = attributes.get(f"{prefix}.type"), attributes.get(f"{prefix}.param")
    if kind == "const":
        return 1.0
    return number_of(given) if kind in ("probabilistic", "traceidratio") else None


def _silent(span: Span) -> str | None:
    """The sampler that the span names without a rate."""
    policy = text_of(span.scope_attributes.get(_POLICY)) or text_of(span.attributes.get(_POLICY))
    if policy:
        return f"tail sampling policy {policy}"[:_LONGEST_NAME]
    kind = next(
        (kind for prefix in _JAEGER if (kind := text_of(span.attributes.get(f"{prefix}.type")))), None
    )
    return f"Jaeger's {kind} sampler" if kind in _LIMITING else None
