"""RagTrace records from the spans and log events of one trace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ragvigil.scorer.dialects.completeness import completeness_of
from ragvigil.scorer.dialects.errors import error_of
from ragvigil.scorer.dialects.evidence import evidence_of, retrievals_of
from ragvigil.scorer.dialects.feedback import Opinion, last_word, opinions_on
from ragvigil.scorer.dialects.log_events import attached, evaluations_of
from ragvigil.scorer.dialects.people import conversation_of, user_of
from ragvigil.scorer.dialects.prompt import forget
from ragvigil.scorer.dialects.question import Question, questions
from ragvigil.scorer.dialects.reading import Dialect
from ragvigil.scorer.dialects.returned import forest_of
from ragvigil.scorer.dialects.roles import (
    Roles,
    answer_of,
    generations,
    leaf_sum,
    query_candidates,
    roles_of,
)
from ragvigil.scorer.dialects.step import Step, unique
from ragvigil.scorer.dialects.table import DIALECTS, read
from ragvigil.scorer.dialects.upstream import sampling_of
from ragvigil.scorer.dialects.values import text_of
from ragvigil.scorer.dialects.withheld import recalled
from ragvigil.scorer.span import LogEvent, Span
from ragvigil.scorer.trace import RagTrace, Tokens

_UNKNOWN_MODELS = frozenset({"unknown", "none", "null"})
_UNKNOWN_SERVICE = "unknown_service"
"""What OpenTelemetry's resource conventions say for a service without a name."""
_LATEST = 2**63
"""Nanoseconds of a moment in 2262: whoever says a later one does not know it, and no store holds it."""
_LONGEST_APART = 30 * 60 * 10**9
"""Nanoseconds by which a step may begin before the middle one, or outside of the span above it: else a clock is off."""
_ENVIRONMENT = ("deployment.environment.name", "deployment.environment")


class Received(NamedTuple):
    """What came of one trace."""

    spans: Iterable[Span]
    events: Sequence[LogEvent] = ()
    timed_out: bool = False
    """Whether the trace was given up waiting for."""


def read_records(
    spans: Iterable[Span],
    events: Iterable[LogEvent] = (),
    *,
    timed_out: bool = False,
    dialects: Sequence[Dialect] = DIALECTS,
) -> list[RagTrace]:
    """The records of one trace, by start: one per question, none for a trace without a question.

    Any order, split or duplication of the same spans gives the same records. `timed_out` says that the trace
    was given up waiting for.
    """
    return read_all([Received(spans, list(events), timed_out)], dialects)[0]


def read_all(traces: Sequence[Received], dialects: Sequence[Dialect] = DIALECTS) -> list[list[RagTrace]]:
    """The records of each trace, as `read_records` gives them, in less time than one trace after the other.

    One step is taken for all traces before the next, so that its code stays in the processor's cache.
    """
    spans = [list(one.spans) for one in traces]
    steps = [steps_of(each, one.events, dialects) for each, one in zip(spans, traces, strict=True)]
    roots = [forest_of(each) for each in steps]
    asked = [questions(each) for each in roots]
    told = [opinions_on(each, one.events) for each, one in zip(asked, traces, strict=True)]
    records = [
        [
            record_of(question, timed_out=one.timed_out, told=said)
            for question, said in zip(*both, strict=True)
        ]
        for one, *both in zip(traces, asked, told, strict=True)
    ]
    forget()
    return [recalled(*each) for each in zip(spans, records, strict=True)]


def steps_of(
    spans: Iterable[Span], events: Iterable[LogEvent] = (), dialects: Sequence[Dialect] = DIALECTS
) -> list[Step]:
    """Each span once with what it says, by start; not linked yet."""
    return [Step(span, *read(span, dialects)) for span in attached(unique(spans), events)]


def record_of(question: Question, *, timed_out: bool = False, told: Iterable[Opinion] = ()) -> RagTrace:
    """The record of one question; `told` is what log events say of its answer."""
    roles = roles_of(question)
    evidence = evidence_of(question.steps, roles.generation, planned=question.plan is not None)
    asked, answer = next(query_candidates(roles), None), answer_of(roles)
    model, response_model = _models(roles)
    error, sampling = error_of(question), sampling_of(question)
    conversation = conversation_of(roles)
    stands_for = (roles.generation or roles.root or question.steps[0]).span
    resources = _resources(question)
    return RagTrace(
        trace_id=stands_for.trace_id,
        span_id=stands_for.span_id,
        service=_first_text(resources, "service.name") or _UNKNOWN_SERVICE,
        started_at=_started_at(question),
        query=asked.value if asked is not None else None,
        documents=evidence.documents,
        answer=answer,
        environment=_first_text(resources, *_ENVIRONMENT)
        or roles.known(lambda step: step.reading.environment),
        service_version=_first_text(resources, "service.version")
        or roles.known(lambda step: step.reading.service_version),
        model=model,
        response_model=response_model,
        finish_reason=_finish_reason(roles),
        prompt_version=roles.known(lambda step: step.reading.prompt_version),
        retrievals=retrievals_of(evidence),
        tokens=_tokens(question.steps),
        cost_usd=leaf_sum(question.steps, lambda step: step.reading.cost_usd),
        retrieval_seconds=_seconds(evidence.searches),
        generation_seconds=_seconds([roles.generation] if roles.generation else []),
        total_seconds=_seconds([question.top] if question.top else question.steps),
        conversation_id=conversation[1] if conversation else None,
        user_id=user_of(roles),
        segment=_segment(question.steps),
        feedback=last_word((*(entry for step in question.steps for entry in step.reading.feedback), *told)),
        evaluations=tuple(entry for step in question.steps for entry in _evaluations(step)),
        error=(error.failure.type or error.failure.message or "error")[:200] if error else None,
        error_where=error.where if error else None,
        error_message=error.failure.message if error else None,
        streaming=_streaming(roles),
        completeness=completeness_of(
            roles, evidence, asked, answer, failed=error is not None, timed_out=timed_out
        ).completeness,
        dialect=roles.known(lambda step: step.dialect if step.role != "other" else None),
        cited=roles.known(lambda step: step.reading.cited) if answer is None else None,
        upstream_probability=sampling.probability,
        upstream_sampler=sampling.sampler,
    )


def _models(roles: Roles) -> tuple[str | None, str | None]:
    """The requested model and the response's, both of the generation, else of another one of the question."""
    for step in (roles.generation, *reversed(generations(roles)), roles.root):
        if step is not None:
            asked, answered = _model(step.reading.model), _model(step.reading.response_model)
            if asked or answered:
                return asked or answered, answered
    return None, None


def _finish_reason(roles: Roles) -> str | None:
    steps = (roles.generation, roles.root)
    return next((step.reading.finish_reason for step in steps if step and step.reading.finish_reason), None)


def _model(name: str | None) -> str | None:
    return None if name is None or name.lower() in _UNKNOWN_MODELS else name


def _tokens(steps: Sequence[Step]) -> Tokens:
    given = leaf_sum(steps, lambda step: step.reading.tokens.input)
    made = leaf_sum(steps, lambda step: step.reading.tokens.output)
    return Tokens(None if given is None else int(given), None if made is None else int(made))


def _evaluations(step: Step) -> Iterable[Mapping[str, object]]:
    return (*step.reading.evaluations, *evaluations_of(step.span))


def _segment(steps: Iterable[Step]) -> dict[str, str]:
    told = [step.reading.segment for step in steps if step.reading.segment]
    return {key: value for segment in reversed(told) for key, value in sorted(segment.items())}


def _streaming(roles: Roles) -> bool | None:
    told = {step.reading.streaming for step in (*generations(roles), roles.root) if step is not None}
    return True if True in told else (False if False in told else None)


def _resources(question: Question) -> list[Mapping[str, object]]:
    """Each once, those of the question's own steps first: spans above it may belong to a gateway."""
    reading = sorted(question.steps, key=lambda step: step.dialect is None)
    return list({id(step.span.resource): step.span.resource for step in reading}.values())


def _first_text(resources: Iterable[Mapping[str, object]], *keys: str) -> str | None:
    found = (text_of(resource.get(key)) for resource in resources for key in keys)
    return next((text for text in found if text), None)


def _seconds(steps: Iterable[Step]) -> float | None:
    """Time covered by the steps, overlaps once; None when a clock ran backwards or there are none."""
    spans = sorted((step.span.start, step.span.end) for step in steps)
    if not spans or any(end < start or not start for start, end in spans):
        return None
    covered, edge = 0, 0
    for start, end in spans:
        covered += max(0, end - max(start, edge))
        edge = max(edge, end)
    return covered / 1e9


def _started_at(question: Question) -> int:
    """When the question was asked, by the clock of the span above all others; 0 when nobody says.

    Steps run within that span, so one that began before it has another clock, however little it is off. Where most
    steps began long before or after it, its own clock is the one that is off: then the first step counts, but for
    those whose clock is far behind that of most. Where nobody says when a step began, its end counts.
    """
    top = _outermost(question)
    starts = sorted(_known(step.span.start for step in question.steps))
    if top is not None and 0 < top.start < _LATEST:
        first, last = top.start - _LONGEST_APART, max(top.start, top.end) + _LONGEST_APART
        agreeing = sum(first <= start <= last for start in starts)  # its own among them
        if 2 * agreeing >= len(starts):
            return top.start
    if not starts:
        return min(_known(step.span.end for step in question.steps), default=0)
    middle = starts[(len(starts) - 1) // 2]
    return next(start for start in starts if middle - start <= _LONGEST_APART)


def _outermost(question: Question) -> Span | None:
    """The span above all others, such as a web request's; None when there is no one such span."""
    if question.top is None:
        return None
    own = set(question.steps)
    above = [step for step in question.top.ancestors() if step in own]
    return (above[-1] if above else question.top).span


def _known(moments: Iterable[int]) -> Iterator[int]:
    return (moment for moment in moments if 0 < moment < _LATEST)
