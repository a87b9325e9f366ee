"""One traced call: opens its span, makes it current, and closes it with what was found."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from contextvars import Token
from itertools import islice
from typing import cast

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.trace import Span, Status, StatusCode, get_current_span, set_span_in_context

from ragvigil.tracer import attributes as names
from ragvigil.tracer._arguments import Arguments, Keywords
from ragvigil.tracer._baggage import CONTENT, carried, carried_content
from ragvigil.tracer._facts import AttributeValue, Facts, strictest, together
from ragvigil.tracer._findings import Findings
from ragvigil.tracer._finishing import finished
from ragvigil.tracer._gate import sdk
from ragvigil.tracer._notices import LONGEST_DETAIL, describe, notices, typed
from ragvigil.tracer._pieces import AnswerPieces
from ragvigil.tracer._reading import short
from ragvigil.tracer._roles import Pieces, Role
from ragvigil.tracer._runtime import Runtime, destination, isolated
from ragvigil.tracer._sampling import sampling
from ragvigil.tracer._scope import SCOPE_KEY, Request, Scope, crossed, let_go, scope_of, without_ended
from ragvigil.tracer._users import user_attribute

_NO_LIBRARYS = (type(None), bool, int, float)
_MOST_KINDS = 100
_CUT = names.RAGVIGIL_CONTENT_TRUNCATED


def begin(
    role: Role, arguments: Arguments, keywords: Keywords, *, started_at: int | None = None
) -> Call | None:
    """Open a span for this call and make it current; None when nothing is recorded. Never raises.

    ``started_at``, in nanoseconds since 1970, is for a call that is over.
    """
    try:
        if not sdk.gate.passing and not sdk.gate.admits(root=role.root):
            return None
        chosen = destination.current()
        if chosen is None:
            return None
        gate = chosen.gate
        if gate is not None and not gate.passing and not gate.admits(root=role.root):
            return None
        return Call(role, chosen, arguments, keywords, started_at)
    except (Exception, SystemExit) as error:
        notices.say("a call could not be traced", error)
        sdk.failed()
        return None


class Call:
    """A call that is being traced; once it is made, nothing here raises."""

    __slots__ = (
        "_chosen", "_closed", "_context", "_ended_at", "_findings", "_kinds", "_recording", "_request", "_role",
        "_scope", "_span", "_started", "_token", "_told", "awaits", "pieces",
    )  # fmt: skip

    def __init__(
        self,
        role: Role,
        chosen: Runtime,
        arguments: Arguments,
        keywords: Keywords,
        started_at: int | None = None,
    ) -> None:
        self._closed = True
        self._role = role
        self._chosen = chosen
        self._started = time.perf_counter()
        self._ended_at: int | None = None
        self._request: Request | None = None
        self._kinds: dict[str, type] = {}
        """Types of what was streamed, by their short names."""
        self.pieces: Pieces | None = None
        self.awaits: str | None = None
        """Type of the future that will have the result."""
        here = without_ended(otel_context.get_current(), for_root=role.root)
        scope = scope_of(here)
        if scope.crossed != scope.facts.version:
            here = crossed(here, scope)
        facts = self._facts(scope, here)
        self._findings = Findings(
            chosen.policy, chosen.policy.at_least(role.content, scope.content, facts.strictest())
        )
        apart = isolated(chosen) if scope.apart is None else scope.apart
        parent = set_span_in_context(scope.span, here) if apart and scope.span is not None else here
        # Attributes known at the start are for samplers; our own provider's samples everything.
        early = None if chosen.configured else role.fixed
        name = self._name(arguments, keywords)
        self._span = chosen.tracer.start_span(name, parent, role.kind, early, start_time=started_at)
        self._recording = self._span.is_recording()
        query = self._read(scope, arguments, keywords) if self._recording else None
        if scope.span is None and self._recording:
            self._note_sampling(get_current_span(here))
        self._scope = self._inner(scope, query, apart, facts, arguments, keywords)
        self._context = Context({**here, SCOPE_KEY: self._scope})
        self._told = facts.version
        if role.root and role.content is not None:
            facts.say({}, {CONTENT: role.content}, None)
            self._pass_on()
        if not apart:
            self._context = set_span_in_context(self._span, self._context)
        self._token: Token[Context] | None = otel_context.attach(self._context)
        self._closed = False

    def __del__(self) -> None:
        """Close the span of what was dropped where nobody could close it, as after its event loop's end."""
        if self._closed or (self.pieces is None and self.awaits is None):
            return
        with suppress(Exception, SystemExit):
            if self.awaits is not None:
                self._findings.unreadable.append(f"{self._role.operation}: {self.awaits} was never done")
            self.end_stream(early=self.pieces is not None)

    @property
    def answers(self) -> bool:
        """Whether the result is an answer, which may come as a stream inside of something."""
        return self._role.answers

    @property
    def trace_id(self) -> str:
        """Trace id as 32 hexadecimal characters."""
        return f"{self._span.get_span_context().trace_id:032x}"

    def fail(self, error: BaseException) -> None:
        """Close the span, unless it is, with the error that leaves the function, and what was streamed before it."""
        if self._closed:
            return
        self.leave(error)
        try:
            # A message may quote the user or a passage.
            content = strictest(self._findings.content, self._scope.facts.strictest())
            words = describe(error) if content == "full" else None
            if words is not None and len(words) >= LONGEST_DETAIL:
                self._findings.mark_cut(names.CUT_ERROR)
            self._findings.add(names.ERROR_TYPE, _qualified(type(error)))
            self._span.set_status(Status(StatusCode.ERROR, words))
            self._take_pieces()
        except (Exception, SystemExit) as failure:
            notices.say("an error could not be recorded", failure)
        self._close()

    def end(self, result: object, *, ended_at: int | None = None) -> None:
        """Close the span with the result."""
        self._ended_at = ended_at
        self.leave()
        if self._recording:
            try:
                extract = self._role.extract
                given = result if extract is None else extract(result)
                self._role.after(self._findings, given)
                if self._findings.unreadable and not isinstance(given, _NO_LIBRARYS):
                    self._say_unread(given)
            except (Exception, SystemExit) as error:
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
                given = piece if extract is None else extract(piece)
                if type(given) is not str and len(self._kinds) < _MOST_KINDS:
                    self._kinds[type(given).__name__] = type(given)
                self.pieces.add(given)
        except (Exception, SystemExit) as error:
            self._could_not_read(error)

    def note_unread(self, kind: str) -> None:
        """Note that a stream of this type ended without a piece read."""
        self._findings.unreadable.append(f"stream: {kind}")

    def enter(self) -> None:
        """Make the span current, for one step of a stream."""
        self._token = otel_context.attach(self._context)

    def leave(self, error: BaseException | None = None) -> None:
        """Make the span not current any more, wherever this is called."""
        token, self._token = self._token, None
        if token is None:
            return
        let_go(token)
        # A suspended coroutine that is destroyed gets its ``GeneratorExit`` wherever the garbage collector runs.
        if isinstance(error, GeneratorExit):
            return
        if self._told != self._scope.facts.version:
            self._pass_on()
            here = otel_context.get_current()
            around = scope_of(here)
            if around.span is not None and around.facts is self._scope.facts:
                otel_context.attach(crossed(here, around))

    def _pass_on(self) -> None:
        """Put what was said of the request into the baggage of this call's later steps."""
        self._told = self._scope.facts.version
        self._context = crossed(self._context, scope_of(self._context))

    def _name(self, arguments: Arguments, keywords: Keywords) -> str:
        try:
            name, is_cut = self._role.name(arguments, keywords)
            if is_cut:
                self._findings.mark_cut(names.CUT_NAME)
            return name
        except (Exception, SystemExit) as error:
            self._could_not_read(error)
            return self._role.operation

    def _read(self, scope: Scope, arguments: Arguments, keywords: Keywords) -> str | None:
        """The question; all that is read of the arguments is read before the function can change them."""
        try:
            query = self._role.query(arguments, keywords, scope.query)
            if query is None and (given := self._role.question.value(arguments, keywords)) is not None:
                self._findings.unreadable.append(names.UNREADABLE_QUERY + type(given).__name__)
            self._role.before(self._findings, query, arguments, keywords)
        except (Exception, SystemExit) as error:
            self._could_not_read(error)
            return None
        return query

    def _facts(self, scope: Scope, here: Context) -> Facts:
        """Those of the request around; a request that begins has its own, with what came over baggage."""
        if scope.span is None:
            known = scope.facts.all()
            came = {name: value for name, value in carried(here).items() if name not in known or name == _CUT}
            facts = Facts(came, scope.facts)
            facts.content = carried_content(here)
            return facts
        return Facts(outer=scope.facts) if self._role.root else scope.facts

    def _inner(
        self,
        scope: Scope,
        query: str | None,
        apart: bool,
        facts: Facts,
        arguments: Arguments,
        keywords: Keywords,
    ) -> Scope:
        """What the calls below must know; a root starts a request of its own."""
        told = facts.version
        if not self._role.root:
            request = scope.request or self._opened()
            return Scope(self._span, scope.query, facts, scope.retrieved, scope.content, apart, request, told)
        self._share(facts, arguments, keywords)
        content = self._findings.content if self._role.content else scope.content
        return Scope(self._span, query, facts, [], content, apart, self._opened(), told)

    def _opened(self) -> Request:
        """The request that lasts as long as this call."""
        self._request = Request()
        return self._request

    def _note_sampling(self, around: Span) -> None:
        own = self._chosen.configured
        told = self._chosen.sampling_probability
        probability = sampling.probability(told, None if own else self._span, around)
        if probability is not None and (probability < 1 or not own):
            name = names.RAGVIGIL_SERVICE_SAMPLING_PROBABILITY if own else names.RAGVIGIL_SAMPLING_PROBABILITY
            self._findings.add(name, probability)

    def _share(self, facts: Facts, arguments: Arguments, keywords: Keywords) -> None:
        found: dict[str, AttributeValue] = {}
        cut: list[str] = []
        try:
            for name, parameter in self._role.shared.items():
                given = parameter.value(arguments, keywords)
                if name == names.RAGVIGIL_CONTENT_TRUNCATED:
                    cut += cast("tuple[str, ...]", given)  # of the decorator's own segment
                elif (told := short(given, name, cut)) is not None:
                    hashing = name == names.USER_ID and self._chosen.policy.hash_user_id
                    found[name] = user_attribute(told, hashed=hashing)
        except (Exception, SystemExit) as error:
            self._could_not_read(error)
        if cut:
            found[names.RAGVIGIL_CONTENT_TRUNCATED] = tuple(cut)
        if found:
            facts.attributes.update(together(facts.attributes, found))

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
            if self._findings.unreadable:
                self._say_unread(None)
        except (Exception, SystemExit) as error:
            self._could_not_read(error)

    def _say_unread(self, given: object) -> None:
        """Say once what of which type could not be read: its library may be older or newer than those tested.

        What is odd inside of a list's entries is said of the entries.
        """
        listed = type(given) in (list, tuple)
        inside = list(islice(cast("Iterable[object]", given), _MOST_KINDS)) if listed else []
        whole = type(inside[0] if inside else given)
        for each in (*inside, given):
            self._kinds.setdefault(type(each).__name__, type(each))
        way = "can say where it is" if self._role.extract is None else "gave this"
        for mark in self._findings.unreadable:
            kind = self._kinds.get(mark.rpartition(": ")[2], whole)
            source = "stream" if kind is type(None) else typed(kind)
            notices.once(f"{self._role.operation}: not all of a {source} was read", f"{mark}; extract= {way}")

    def _could_not_read(self, error: BaseException) -> None:
        notices.say(f"a {self._role.operation} could not be read", error)
        mark = f"{self._role.operation}: {type(error).__name__}"
        if mark not in self._findings.unreadable:
            self._findings.unreadable.append(mark)

    def _close(self) -> None:
        self._closed = True
        if self._request is not None:
            self._request.ended = time.monotonic()
        try:
            if self._recording:
                self._finish(self._findings, self._chosen.pending)
            self._span.end(self._ended_at)
        except (Exception, SystemExit) as error:
            notices.say("a span could not be finished", error)
            if self._chosen.pending is not None:
                self._chosen.pending.pop(self._span.get_span_context().span_id, None)
            sdk.failed()
        else:
            if sdk.failures:
                sdk.worked()

    def _finish(self, findings: Findings, pending: dict[int, Findings] | None) -> None:
        """Leave the findings to the delivery, or write them on the span where another one delivers it."""
        findings.fixed = self._role.fixed
        findings.shared = self._scope.facts
        self._role.see(self._scope.retrieved, findings)
        if pending is None:
            self._span.set_attributes(finished(findings))
        else:
            pending[self._span.get_span_context().span_id] = findings


def _qualified(kind: type[BaseException]) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
