"""Conversation and user where no dialect looks: apps set them on spans of their own, and on all of a trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import first_id

_PREFIXES = ("traceloop.association.properties.", "langsmith.metadata.", "ai.telemetry.metadata.")
_CONVERSATION = (
    *("gen_ai.conversation.id", "session.id", "langfuse.session.id"),
    *(prefix + key for prefix in _PREFIXES for key in ("session_id", "sessionId", "thread_id", "threadId")),
    *(
        prefix + key
        for prefix in _PREFIXES
        for key in ("conversation_id", "conversationId", "chat_id", "chatId")
    ),
)
_USER = (
    *("user.id", "enduser.id", "langfuse.user.id"),
    *(prefix + key for prefix in _PREFIXES for key in ("user_id", "userId")),
)


def conversation_in(steps: Iterable[Step]) -> str | None:
    """The conversation that the first of the spans names.

    >>> from ragvigil.scorer.dialects.reading import Reading
    >>> from ragvigil.scorer.span import Span
    >>> request = Span("0" * 32, "1" * 16, None, "GET /ask", 1, 0, 1, {"session.id": "s-1", "enduser.id": 7})
    >>> steps = [Step(request, Reading(), None)]
    >>> conversation_in(steps), user_in(steps)
    ('s-1', '7')
    """
    return _first(steps, _CONVERSATION)


def user_in(steps: Iterable[Step]) -> str | None:
    """The user whom the first of the spans names."""
    return _first(steps, _USER)


def _first(steps: Iterable[Step], keys: Iterable[str]) -> str | None:
    for step in steps:
        told: Mapping[str, object] = step.span.attributes
        if found := first_id(told, *(key for key in keys if key in told)):
            return found
    return None
