"""One traced call: opens its span, makes it current, and closes it with what was found."""

from __future__ import annotations

import time
from contextvars import Token

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.trace import Status, StatusCode, set_span_in_context

from ragvigil.tracer import attributes as names
from ragvigil.tracer._answers import AnswerPieces
from ragvigil.tracer._arguments import Arguments, Keywords
from ragvigil.tracer._findings import Findings
from ragvigil.tracer._notices import describe, notices
from ragvigil.tracer._reading import identifier
from ragvigil.tracer._roles import Pieces, Role
from ragvigil.tracer._runtime import SCOPE_KEY, Runtime, Scope, destination, isolated, scope_of


def begin(role: Role, arguments: Arguments, keywords: Keywords) -> Call | None:
    """Open a span for this call and make it current; None when nothing is recorded. Never raises."""
    try:
        chosen = destination.current()
        return None if chosen is None else Call(role, chosen, arguments, keywords)
    except Exception as error:
        notices.say("a call could not be traced", error)
        return None


class Call:
    """A call that is being traced; once it is made, nothing here raises."""

    __slots__ = ("_context", "_findings", "_role", "_scope", "_span", "_started", "_token", "pieces")

    def __init__(self, role: Role, chosen: Runtime, arguments: Arguments, keywords: Keywords) -> None:
        self._role = role
        self._started = time.perf_counter()
        self.pieces: Pieces | None = None
        self._findings = Findings(content=chosen.content, limits=chosen.limits)
        here = otel_context.get_current()
        scope = scope_of(here)
        apart = isolated(chosen) if scope.apart is None else scope.apart
        parent = set_span_in_context(scope.span, here) if apart and scope.span is not None else here
        # Attributes known at the start are for samplers; our own provider's samples everything.
        early = None if chosen.configured else role.fixed
        self._span = chosen.tracer.start_span(self._name(arguments, keywords), parent, role.kind, early)
        query = self._read(scope, arguments, keywords) if self._span.is_recording() else None
        shared = self._shared(scope, arguments, keywords) if role.root else scope.attributes
        self._scope = Scope(self._span, query if role.root else scope.query, shared, apart)
        self._context = Context({**here, SCOPE_KEY: self._scope})
        if not apart:
            self._context = set_span_in_context(self._span, self._context)
        self._token: Token[Context] | None = otel_context.attach(self._context)

    def fail(self, error: BaseException) -> None:
        """Close the span with the error that leaves the function, and what was streamed before it."""
        self.leave(error)
        try:
            # A message may quote the user or a passage.
            words = describe(error) if self._findings.content else None
            self._findings.add(names.ERROR_TYPE, _qualified(type(error)))
            self._span.set_status(Status(StatusCode.ERROR, words))
            self._take_pieces()
        except Exception as failure:
            notices.say("an error could not be recorded", failure)
        self._close()

    def end(self, result: object) -> None:
        """Close the span with the result."""
        self.leave()
        if self._span.is_recording():
            try:
                extract = self._role.extract
                self._role.after(self._findings, result if extract is None else extract(result))
            except Exception as error:
                self._could_not_read(error)
        self._close()

    def end_stream(self, *, early: bool = False) -> None:
        """Close the span with what was streamed; ``early`` when its reader left."""
        if early:
            self._findings.add(names.RAGVIGIL_STREAM_CLOSED_EARLY, True)
        self._take_pieces()
        self._close()

    def take(self, piece: object) -> None:
        """Note one streamed piece."""
        try:
            if self.pieces is None:
                self._first_piece()
            extract = self._role.extract
            if self.pieces is not None:
                self.pieces.add(piece if extract is None else extract(piece))
        except Exception as error:
            self._could_not_read(error)

    def enter(self) -> None:
        """Make the span current, for one step of a stream."""
        self._token = otel_context.attach(self._context)

    def leave(self, error: BaseException | None = None) -> None:
        """Make the span not current any more.

        A suspended coroutine that is destroyed gets its ``GeneratorExit`` wherever the garbage collector
        runs; detaching there would log an error of OpenTelemetry's into the service.
        """
        token, self._token = self._token, None
        if token is None:
            return
        if isinstance(error, GeneratorExit) and otel_context.get_current() is not self._context:
            return
        otel_context.detach(token)

    def _name(self, arguments: Arguments, keywords: Keywords) -> str:
        try:
            return self._role.name(arguments, keywords)
        except Exception as error:
            self._could_not_read(error)
            return self._role.operation

    def _read(self, scope: Scope, arguments: Arguments, keywords: Keywords) -> str | None:
        """The question; all that is read of the arguments is read before the function can change them."""
        try:
            query = self._role.query(arguments, keywords, scope.query)
            self._role.before(self._findings, query, arguments, keywords)
        except Exception as error:
            self._could_not_read(error)
            return None
        return query

    def _shared(self, scope: Scope, arguments: Arguments, keywords: Keywords) -> dict[str, str]:
        if not self._role.shared:
            return dict(scope.attributes)
        try:
            given = {
                name: identifier(parameter.value(arguments, keywords))
                for name, parameter in self._role.shared.items()
            }
            return scope.attributes | {name: value for name, value in given.items() if value is not None}
        except Exception as error:
            self._could_not_read(error)
            return dict(scope.attributes)

    def _first_piece(self) -> None:
        self.pieces = self._role.pieces(self._findings.limits)
        if isinstance(self.pieces, AnswerPieces):
            self._findings.add(names.GEN_AI_REQUEST_STREAM, True)
            elapsed = time.perf_counter() - self._started
            self._findings.add(names.GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK, elapsed)

    def _take_pieces(self) -> None:
        if self.pieces is None:
            return
        try:
            self._role.after(self._findings, self.pieces.result())
        except Exception as error:
            self._could_not_read(error)

    def _could_not_read(self, error: Exception) -> None:
        notices.say(f"a {self._role.operation} could not be read", error)
        mark = f"{self._role.operation}: {type(error).__name__}"
        if mark not in self._findings.unreadable:
            self._findings.unreadable.append(mark)

    def _close(self) -> None:
        try:
            if self._span.is_recording():
                if not self._findings.content:
                    self._findings.add(names.RAGVIGIL_CONTENT, names.CONTENT_OFF)
                found = {**self._role.fixed, **self._scope.attributes, **self._findings.finished()}
                self._span.set_attributes(found)
            self._span.end()
        except Exception as error:
            notices.say("a span could not be finished", error)


def _qualified(kind: type[BaseException]) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
