"""Conversation and user of a question: apps set them on spans of their own, on all of a trace, or above a batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ragvigil.scorer.dialects.roles import Roles
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import first_id

_PREFIXES = ("traceloop.association.properties.", "langsmith.metadata.", "ai.telemetry.metadata.")
_EXPLICIT = "gen_ai.conversation.id"
"""What the conventions call a conversation. `session.id` may be a browser's, and on every span: baggage carries it."""
_CONVERSATION = (
    "langfuse.session.id",
    *(prefix + key for prefix in _PREFIXES for key in ("session_id", "sessionId", "thread_id", "threadId")),
    *(
        prefix + key
        for prefix in _PREFIXES
        for key in ("conversation_id", "conversationId", "chat_id", "chatId")
    ),
    "session.id",
)
_USER = (
    *("user.id", "enduser.id", "langfuse.user.id"),
    *(prefix + key for prefix in _PREFIXES for key in ("user_id", "userId")),
)


def conversation_of(roles: Roles) -> tuple[Step, str] | None:
    """The conversation of a question, and the step that names it: under the conventions' name, else as a dialect
    reads it, else as any span has it, else as one has it above all that belongs to the question.

    >>> from ragvigil.scorer.dialects.question import Question
    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> request = Span("0" * 32, "1" * 16, None, "GET /ask", 1, 0, 1, {"session.id": "s-1", "enduser.id": 7})
    >>> roles = Roles(Question(None, (Step(request, Reading(), None),)), None, None)
    >>> (conversation_of(roles) or "")[1], user_of(roles)
    ('s-1', '7')
    """
    found = roles.known(_explicit) or roles.known(_read) or _first(_steps(roles), _CONVERSATION)
    if found is not None:
        return found
    told = (_explicit(step) or _read(step) or _first((step,), _CONVERSATION) for step in _above(roles))
    return next((each for each in told if each), None)


def user_of(roles: Roles) -> str | None:
    """The user who asked: as a dialect reads it, else as any span has it, else as one above the question does."""
    named = roles.known(lambda step: step.reading.user_id)
    if named is not None:
        return named
    if found := _first(_steps(roles), _USER):
        return found[1]
    told = (step.reading.user_id or (_first((step,), _USER) or ("", None))[1] for step in _above(roles))
    return next((each for each in told if each), None)


def _explicit(step: Step) -> tuple[Step, str] | None:
    found = first_id(step.span.attributes, _EXPLICIT)
    return (step, found) if found else None


def _read(step: Step) -> tuple[Step, str] | None:
    found = step.reading.conversation_id
    return (step, found) if found else None


def _steps(roles: Roles) -> list[Step]:
    """Those that a dialect reads come before a gateway's."""
    return sorted(roles.question.steps, key=lambda step: step.dialect is None)


def _above(roles: Roles) -> Iterator[Step]:
    """The steps above the question that it shares with others of a batch or a session, nearest first."""
    own = roles.question.steps
    return (step for step in own[0].ancestors() if step not in own)


def _first(steps: Iterable[Step], keys: Iterable[str]) -> tuple[Step, str] | None:
    """Of the first span that names any."""
    for step in steps:
        told: Mapping[str, object] = step.span.attributes
        if told.keys().isdisjoint(keys):
            continue  # as nearly always
        if found := first_id(told, *[key for key in keys if key in told]):
            return step, found
    return None
