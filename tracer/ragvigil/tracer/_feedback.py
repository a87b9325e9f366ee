"""What is learned about a request beside its results: feedback later, retries meanwhile, its trace id."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeAlias, TypeVar, get_args

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, TraceFlags, set_span_in_context

from ragvigil.tracer import attributes as names
from ragvigil.tracer._baggage import carried_content
from ragvigil.tracer._findings import Findings
from ragvigil.tracer._finishing import finished
from ragvigil.tracer._notices import describe, notices
from ragvigil.tracer._reading import count, number, short, text
from ragvigil.tracer._runtime import Runtime, destination
from ragvigil.tracer._scope import scope_of
from ragvigil.tracer._settings import Content
from ragvigil.tracer._users import user_attribute

P = ParamSpec("P")
R = TypeVar("R")

FeedbackKind: TypeAlias = Literal["thumbs", "score", "comment", "rephrase", "follow_up"]
_SAYING: frozenset[FeedbackKind | None] = frozenset({"rephrase", "follow_up"})

_SHORT_NAME = re.compile(r"[\w.:-]{1,64}")

_LOW_64 = 2**64 - 1


def current_trace_id() -> str | None:
    """Trace id of the traced request around, as 32 hexadecimal characters; None outside of one.

    None, too, while the scorer is dead or tracing is off: nothing is traced then. A response needs `str | None` for it.

    Hand it to the page that shows the answer: ``record_feedback`` takes it back.
    """
    span = scope_of(otel_context.get_current()).span
    given = None if span is None else span.get_span_context()
    return f"{given.trace_id:032x}" if given is not None and given.is_valid else None


def record_feedback(
    trace_id: str,
    *,
    thumbs_up: bool | None = None,
    score: float | None = None,
    comment: str | None = None,
    kind: FeedbackKind | None = None,
    user_id: object = None,
    span_id: str | None = None,
    content: Content | None = None,
) -> bool:
    """Record what somebody said about an earlier answer, and return whether it was queued; never raises.

    ``kind`` tells a ``rephrase`` (the question put again, in ``comment``) or a ``follow_up`` from plain thumbs,
    scores and comments. It travels as a span of its own in the same trace, as an OpenInference annotation. A
    comment is content and obeys the strictest of what the service, the request or block around, the calling service
    and ``content`` say.

    >>> record_feedback("4bf92f3577b34da6a3ce929d0e0e4736", thumbs_up=False, comment="That is not what I asked.")
    False
    """
    try:
        chosen = destination.current()
        parent = _parent(trace_id, span_id)
        if chosen is None or parent is None or not _says_something(thumbs_up, number(score), comment, kind):
            return False
        findings = Findings(chosen.policy, _content(chosen, content))
        findings.fixed = {names.GEN_AI_OPERATION_NAME: names.OPERATION_FEEDBACK}
        _note(findings, thumbs_up, number(score), kind or _kind(thumbs_up, score))
        findings.add_text(names.FEEDBACK_EXPLANATION, text(comment))
        if (user := short(user_id, names.USER_ID, findings.truncated)) is not None:
            findings.add(names.USER_ID, user_attribute(user, hashed=chosen.policy.hash_user_id))
        return _send(chosen, parent, findings)
    except (Exception, SystemExit) as error:
        notices.say("feedback could not be recorded", error)
        return False


def record_retry(reason: object = None, *, attempt: int | None = None) -> None:
    """Note on the generation around that the model is asked again, and why; never raises.

    Inside a decorated generator that retries by itself; also fits tenacity's ``before_sleep``.
    """
    try:
        span = scope_of(otel_context.get_current()).span
        if span is None or not span.is_recording():
            return
        outcome: Any = getattr(reason, "outcome", None)
        error = outcome.exception() if outcome is not None else reason
        told = count(attempt) or count(getattr(reason, "attempt_number", None))
        found: dict[str, str | int] = {} if told is None else {names.RETRY_ATTEMPT: told}
        if isinstance(error, BaseException):
            found[names.ERROR_TYPE] = describe(error).partition(":")[0]
        elif isinstance(error, str):
            # A sentence may quote the user; the convention's own word stands for what has no short name.
            found[names.ERROR_TYPE] = error if _SHORT_NAME.fullmatch(error) else "_OTHER"
        span.add_event(names.RAGVIGIL_RETRY, found)
    except (Exception, SystemExit) as error:
        notices.say("a retry could not be recorded", error)


def in_context(function: Callable[P, R]) -> Callable[P, R]:
    """The function as a part of the request around, wherever it will run: for pools and threads.

    Tasks, ``asyncio.to_thread`` and anyio carry the context by themselves; ``threading.Thread`` and
    ``ThreadPoolExecutor.submit`` do not.

    >>> in_context(str.upper)("ice")
    'ICE'
    """
    here = otel_context.get_current()

    @functools.wraps(function)
    def within(*args: P.args, **kwargs: P.kwargs) -> R:
        token = otel_context.attach(here)
        try:
            return function(*args, **kwargs)
        finally:
            otel_context.detach(token)

    return within


def _content(chosen: Runtime, wanted: Content | None) -> Content:
    """What of a comment may be recorded here."""
    here = otel_context.get_current()
    scope = scope_of(here)
    return chosen.policy.at_least(scope.content, scope.facts.strictest(), carried_content(here), wanted)


def _parent(trace_id: str, span_id: str | None) -> Context | None:
    """The context of the span that feedback is about.

    Where that span is not known, its id is taken from the trace id: a span without a parent would be one more
    request, and one whose parent is unknown is a late part of the trace.
    """
    try:
        trace_number = int(trace_id, 16)
        span_number = int(span_id, 16) if span_id else trace_number & _LOW_64
        given = SpanContext(trace_number, span_number or 1, is_remote=True, trace_flags=TraceFlags(1))
    except (TypeError, ValueError):
        given = SpanContext(0, 0, is_remote=True)
    if given.is_valid:
        return set_span_in_context(NonRecordingSpan(given), Context())
    notices.say("feedback was not recorded", f"trace_id {trace_id!r} is not 32 hexadecimal characters")
    return None


def _says_something(
    thumbs_up: bool | None, score: float | None, comment: str | None, kind: FeedbackKind | None
) -> bool:
    """Whether there is anything to record: that a question was put again says something without a word of it."""
    if kind not in (None, *get_args(FeedbackKind)):
        words = f"kind={kind!r} is none of {', '.join(get_args(FeedbackKind))}"
    elif kind in _SAYING or comment or thumbs_up is not None or score is not None:
        return True
    else:
        words = "give thumbs_up, a finite score or a comment"
    notices.say("feedback was not recorded", words)
    return False


def _note(findings: Findings, thumbs_up: bool | None, score: float | None, kind: FeedbackKind) -> None:
    findings.add(names.FEEDBACK_NAME, kind)
    findings.add(names.FEEDBACK_ANNOTATOR_KIND, "HUMAN")
    if thumbs_up is not None:
        findings.add(names.FEEDBACK_LABEL, "up" if thumbs_up else "down")
        findings.add(names.FEEDBACK_SCORE, 1.0 if thumbs_up else 0.0)
    findings.add(names.FEEDBACK_SCORE, score)


def _kind(thumbs_up: bool | None, score: float | None) -> FeedbackKind:
    if thumbs_up is not None:
        return "thumbs"
    return "comment" if score is None else "score"


def _send(chosen: Runtime, parent: Context, findings: Findings) -> bool:
    span = chosen.tracer.start_span(names.OPERATION_FEEDBACK, parent, SpanKind.INTERNAL)
    if not span.is_recording():
        return False
    if chosen.pending is None:
        span.set_attributes(finished(findings))
    else:
        chosen.pending[span.get_span_context().span_id] = findings
    span.end()
    return True
