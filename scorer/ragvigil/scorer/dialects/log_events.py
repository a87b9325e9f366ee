"""Log records that belong to spans: content that did not fit the span, and evaluations made later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.feedback import is_feedback
from ragvigil.scorer.dialects.values import number_of, text_of
from ragvigil.scorer.span import LogEvent, Span, SpanEvent

EVALUATION = "gen_ai.evaluation.result"
_OURS = "ragvigil.score.id"
_RESPONSE_ID = "gen_ai.response.id"
_TEXTS = {"label": "gen_ai.evaluation.score.label", "explanation": "gen_ai.evaluation.explanation"}


def attached(spans: Sequence[Span], events: Iterable[LogEvent]) -> list[Span]:
    """The spans with each log event as an event of its span.

    Feedback is left out: it is read by question. An event that names no span of the trace goes to the span with
    the same response id, else to the first.
    """
    events = [event for event in events if not is_feedback(event)]
    if not events:
        return list(spans)
    by_span: dict[str, dict[str, SpanEvent]] = {}
    known = {span.span_id for span in spans}
    responses = {text_of(span.attributes.get(_RESPONSE_ID)): span.span_id for span in reversed(spans)}
    for event in sorted(events, key=lambda event: (event.time, event.name, repr(event))) if spans else ():
        response = text_of(event.attributes.get(_RESPONSE_ID))
        owner = event.span_id if event.span_id in known else responses.get(response) if response else None
        made = SpanEvent(event.name, event.time, event.attributes, event.dropped_attributes)
        by_span.setdefault(owner or spans[0].span_id, {})[repr(made)] = made
    if not by_span:
        return list(spans)
    return [
        replace(span, events=(*span.events, *by_span[span.span_id].values()))
        if span.span_id in by_span
        else span
        for span in spans
    ]


def evaluations_of(span: Span) -> list[Mapping[str, object]]:
    """The evaluation results among the span's events: name, value, label, explanation, as far as known.

    Our own scores, which a collector may send back to us, are nobody's opinion.
    """
    return [
        _evaluation(event.attributes)
        for event in span.events
        if event.name == EVALUATION and _OURS not in event.attributes
    ]


def _evaluation(attributes: Mapping[str, object]) -> Mapping[str, object]:
    entry: dict[str, object] = {
        "name": text_of(attributes.get("gen_ai.evaluation.name")),
        "value": number_of(attributes.get("gen_ai.evaluation.score.value")),
        **{key: text_of(attributes.get(name)) for key, name in _TEXTS.items()},
    }
    return {key: value for key, value in entry.items() if value is not None}
