"""What the sender's sampler left out: OpenTelemetry's consistent probability sampling.

`tracestate` carries `ot=th:HEX`: the 56-bit rejection threshold T, without trailing zeros. A trace is kept when
its randomness is at least T, with probability (2**56 - T) / 2**56.
https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/
"""

from __future__ import annotations

import re

from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.step import Step

_THRESHOLD = re.compile(r"th:([0-9a-f]{1,14})")
_DIGITS = 14
_RANGE = 2**56


def probability_of(question: Question) -> float | None:
    """Probability in (0, 1] with which something of the question was kept; None when no span says it.

    Spans of one question may pass samplers of their own: the answer is counted as soon as one of them comes.
    Our tracer, when it exports everything under a sampled parent, writes ``th:0`` itself.
    """
    told = (_probability(step) for step in question.steps if step.dialect)
    return max((each for each in told if each is not None), default=None)


def _probability(step: Step) -> float | None:
    said = step.reading.sampled_with
    return said if said is not None and 0 < said <= 1 else threshold_probability(step.span.trace_state)


def threshold_probability(trace_state: str) -> float | None:
    """The probability that a `tracestate` tells; None when it has no threshold, or none that is valid.

    >>> threshold_probability("ot=th:8"), threshold_probability("a=b, ot=rv:00aa;th:fd70a4"), threshold_probability("")
    (0.5, 0.009999990463256836, None)
    >>> threshold_probability("ot=th:0"), threshold_probability("ot=th:0x8"), threshold_probability("xot=th:8")
    (1.0, None, None)
    """
    for member in trace_state.split(","):
        key, _, value = member.strip().partition("=")
        if key == "ot":
            found = [each for part in value.split(";") if (each := _THRESHOLD.fullmatch(part))]
            if len(found) != 1:
                return None
            return (_RANGE - int(found[0][1].ljust(_DIGITS, "0"), 16)) / _RANGE
    return None
