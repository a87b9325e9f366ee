"""Facts about the whole request: conversation, user, segment, prompt version."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import Token
from types import TracebackType

from opentelemetry import context as otel_context
from opentelemetry.context import Context

from ragvigil.tracer import attributes as names
from ragvigil.tracer._notices import notices
from ragvigil.tracer._reading import encodable, identifier
from ragvigil.tracer._runtime import SCOPE_KEY, scope_of

MOST_DIMENSIONS = 16
"""Segment dimensions of one request: each is a series of its own, and spans have an attribute limit."""


def context(
    *,
    conversation_id: object = None,
    user_id: object = None,
    segment: Mapping[str, object] | None = None,
    prompt_version: object = None,
) -> RequestContext:
    """Facts for every span of the request that ends from now on.

    Inside a traced request one call is enough. Outside, for example in a middleware, use it as a
    ``with`` block around the request.

    >>> with context(conversation_id="c-42", segment={"language": "pt"}):
    ...     pass
    """
    return RequestContext(shared_attributes(conversation_id, user_id, segment, prompt_version))


class RequestContext:
    """What ``context`` returns: already applied to the request around it, and a ``with`` block."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self._attributes = attributes
        self._token: Token[Context] | None = None
        try:
            scope_of(otel_context.get_current()).attributes.update(attributes)
        except Exception as error:
            notices.say("context() had no effect", error)

    def __enter__(self) -> None:
        """Apply the facts to all that is traced in this block."""
        try:
            here = otel_context.get_current()
            scope = scope_of(here)
            if scope.span is not None:
                return
            inner = scope._replace(attributes={**scope.attributes, **self._attributes})
            self._token = otel_context.attach(otel_context.set_value(SCOPE_KEY, inner, here))
        except Exception as error:
            notices.say("context() had no effect", error)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the block; its exception, if any, goes on."""
        if self._token is not None:
            otel_context.detach(self._token)


def shared_attributes(
    conversation_id: object,
    user_id: object,
    segment: Mapping[str, object] | None,
    prompt_version: object,
) -> dict[str, str]:
    """The attributes of these facts; what is None or cannot be printed is left out."""
    found: dict[str, str] = segment_attributes(segment or {})
    try:
        conversation = identifier(conversation_id)
        values = {
            names.GEN_AI_CONVERSATION_ID: conversation,
            names.SESSION_ID: conversation,
            names.USER_ID: identifier(user_id),
            names.RAGVIGIL_PROMPT_VERSION: identifier(prompt_version),
        }
        found.update({name: value for name, value in values.items() if value is not None})
    except Exception as error:
        notices.say("context() could not read an id", error)
    return found


def segment_attributes(segment: Mapping[str, object]) -> dict[str, str]:
    """The segment's dimensions as attributes, at most sixteen.

    >>> segment_attributes({"language": "pt", "follow_up": True})
    {'ragvigil.segment.language': 'pt', 'ragvigil.segment.follow_up': 'true'}
    """
    found: dict[str, str] = {}
    try:
        for name, value in list(segment.items())[:MOST_DIMENSIONS]:
            told = str(value).lower() if isinstance(value, bool) else identifier(value)
            if told is not None:
                found[encodable(f"{names.RAGVIGIL_SEGMENT_PREFIX}{name}")] = told
    except Exception as error:
        notices.say("a segment could not be read", error)
    return found
