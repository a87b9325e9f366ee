"""What a traced call passes on to the calls below it: the request, its question, its facts and its documents."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextvars import ContextVar, Token
from typing import Any, NamedTuple

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span

from ragvigil.tracer._baggage import with_baggage
from ragvigil.tracer._facts import Facts
from ragvigil.tracer._settings import Content

SCOPE_KEY = otel_context.create_key("ragvigil-scope")

LATE_SECONDS = 30.0
"""How long after its end a request still has late parts, such as a stream that is read by a thread of its own."""


class Request:
    """How long a request lasts: the outermost traced call, or each root."""

    __slots__ = ("ended", "forks")

    def __init__(self) -> None:
        self.ended: float | None = None
        """When it ended, on the monotonic clock."""
        self.forks = forks.count

    def over(self, *, for_root: bool) -> bool:
        """Whether a call that begins now is no part of it: at once for a root, after half a minute for a part."""
        if self.forks != forks.count and forks.in_pool():
            return True
        return self.ended is not None and (for_root or time.monotonic() - self.ended > LATE_SECONDS)


class Forks:
    """How often this process was forked from one that traced: a pool's workers outlive the request around a fork."""

    def __init__(self) -> None:
        self.count = 0
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def in_pool(self) -> bool:
        """Whether this process is a worker of a process pool."""
        processes: Any = sys.modules.get("multiprocessing.process")
        target: object = None if processes is None else getattr(processes.current_process(), "_target", None)
        return getattr(target, "__module__", None) in ("concurrent.futures.process", "multiprocessing.pool")

    def _forked(self) -> None:
        self.count += 1


forks = Forks()
"""The forks of this process."""


class Scope(NamedTuple):
    """What a span's children must know: it travels in the OpenTelemetry context."""

    span: Span | None
    query: str | None
    """The question of the enclosing request."""
    facts: Facts
    """Conversation, user, segment and prompt version, shared by all spans of a request."""
    retrieved: list[str | None]
    """Ids of the documents that the request has retrieved so far, as the generator sees them."""
    content: Content | None = None
    """What the block or the root around wants of texts to be recorded at most."""
    apart: bool | None = None
    """Whether our spans stay off the service's current span; None until the first span has decided it."""
    request: Request | None = None
    """The request that the span belongs to; None where there is no span."""
    crossed: int = 0
    """The version of the facts that the context's baggage has."""


def scope_of(context: Mapping[str, object]) -> Scope:
    """The scope that a context carries, or an empty one."""
    found = context.get(SCOPE_KEY)
    return found if isinstance(found, Scope) else Scope(None, None, Facts(), [])


def without_ended(here: Context, *, for_root: bool) -> Context:
    """The context without a request that is over; most often as it is.

    A worker thread or a background task that was started inside of a request lives on with its context.
    """
    scope = scope_of(here)
    if scope.request is None or not scope.request.over(for_root=for_root):
        return here
    outside = Context({name: value for name, value in here.items() if name != SCOPE_KEY})
    if trace.get_current_span(here) is scope.span:
        outside = trace.set_span_in_context(trace.INVALID_SPAN, outside)
    return outside


def let_go(token: Token[Context]) -> None:
    """Go back to the context of before the token; silently nothing where the token is of another task or thread.

    A block may end elsewhere than it began: in a synchronous dependency of FastAPI, in an asynchronous generator that
    another task closes, or wherever the garbage collector runs. OpenTelemetry's own ``detach`` would there log an error
    into the service; what the block had made current is current in that other context alone, and ends with it.
    """
    variable: ContextVar[Context] | None = getattr(token, "var", None)
    if variable is None:  # of a context store that the service has put in place of OpenTelemetry's own
        otel_context.detach(token)
        return
    try:  # not suppress(), which costs more than the rest, in each call
        variable.reset(token)
    except (ValueError, RuntimeError):  # of another context; used already
        return


def crossed(here: Context, scope: Scope) -> Context:
    """The context with the request's facts in its baggage, as far as they cross services."""
    here = with_baggage(here, dict(scope.facts.crossing))
    return otel_context.set_value(SCOPE_KEY, scope._replace(crossed=scope.facts.version), here)
