"""Facts about the whole request: conversation, user, segment, prompt version, content policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import Token
from types import TracebackType

from opentelemetry import context as otel_context
from opentelemetry.context import Context

from ragvigil.tracer import attributes as names
from ragvigil.tracer._baggage import CONTENT, LONGEST_NAME, with_baggage
from ragvigil.tracer._facts import AttributeValue, Facts, strictest, together
from ragvigil.tracer._gate import sdk
from ragvigil.tracer._notices import notices
from ragvigil.tracer._reading import encodable, short
from ragvigil.tracer._runtime import destination
from ragvigil.tracer._scope import SCOPE_KEY, crossed, let_go, scope_of
from ragvigil.tracer._settings import Content
from ragvigil.tracer._users import user_attribute

MOST_DIMENSIONS = 16
"""Segment dimensions of one request: each is a series of its own, and spans have an attribute limit."""


def context(
    *,
    conversation_id: object = None,
    user_id: object = None,
    hash_user_id: bool | None = None,
    segment: Mapping[str, object] | None = None,
    answer_type: object = None,
    language: object = None,
    experiment: object = None,
    prompt_version: object = None,
    cached: bool | None = None,
    content: Content | None = None,
    baggage: bool | None = None,
) -> RequestContext:
    """Facts for every span of the request, in this service and in those that it calls from now on.

    Inside a traced request one call is enough, wherever in it. It covers the spans that are open and those that
    begin later; one that has ended gets the facts if it was not sent yet, and the root has them in any case.
    Outside, for example in a middleware, use it as a ``with`` block around the request.

    ``answer_type``, ``language`` and ``experiment`` (the arm of an experiment) are segment dimensions under these
    names. ``hash_user_id`` replaces the user id by a keyed hash, by default as ``configure`` says. ``cached`` says
    that the answer came from a cache. ``content`` records less of texts than ``configure`` allows, never more: of a
    block in the block, else of the whole request as far as it was not sent yet.

    The facts and the content policy cross to other services in W3C baggage, which goes wherever the service's
    instrumented HTTP clients go: a user id in clear stays here unless ``baggage=True``; ``baggage=False`` keeps
    everything here.

    >>> with context(conversation_id="c-42", language="pt"):
    ...     pass
    """
    hashed = _hashes() if hash_user_id is None else hash_user_id
    dimensions = _dimensions(segment, answer_type=answer_type, language=language, experiment=experiment)
    attributes = _shared_attributes(conversation_id, user_id, dimensions, prompt_version, hashed=hashed)
    if cached is not None:
        attributes[names.RAGVIGIL_CACHED] = cached
    crossing = {
        name: value for name, value in attributes.items() if baggage or hashed or name != names.USER_ID
    }
    return RequestContext(
        attributes, {} if baggage is False else crossing, content, crosses=baggage is not False
    )


class RequestContext:
    """What ``context`` returns: already applied to the request around it, and a ``with`` block."""

    def __init__(
        self,
        attributes: Mapping[str, AttributeValue],
        crossing: Mapping[str, AttributeValue],
        content: Content | None = None,
        *,
        crosses: bool = True,
    ) -> None:
        self._attributes = attributes
        self._content: Content | None = content
        self._crossing = {**crossing, CONTENT: content} if content is not None and crosses else crossing
        self._undo: Callable[[], None] | None = None
        self._tokens: list[Token[Context]] = []
        self._unheard = False
        """Whether nothing around listens: then only a ``with`` block has an effect."""
        try:
            self._unheard = SCOPE_KEY not in otel_context.get_current() and _recording()
            self._undo = _say(attributes, self._crossing, content)
        except (Exception, SystemExit) as error:
            notices.say("context() had no effect", error)

    def __del__(self) -> None:
        """Say that a call outside of any request told nobody anything."""
        if self._unheard:
            with suppress(Exception, SystemExit):
                notices.say(
                    "context() had no effect", "outside of a traced request it is a 'with' block around one"
                )

    def __enter__(self) -> None:
        """Apply the facts to all that is traced in this block, and the content policy to nothing else."""
        self._unheard = False
        try:
            if self._undo is not None:
                self._undo()
            here = otel_context.get_current()
            scope = scope_of(here)
            content = strictest(scope.content, self._content)
            if scope.span is not None:
                _say(
                    self._attributes,
                    {name: self._crossing[name] for name in self._crossing if name != CONTENT},
                )
                here = otel_context.get_current()
                scope = scope_of(here)._replace(content=content)
            else:
                scope = scope._replace(facts=Facts(dict(self._attributes), scope.facts), content=content)
            here = with_baggage(here, self._crossing)
            self._tokens.append(otel_context.attach(otel_context.set_value(SCOPE_KEY, scope, here)))
        except (Exception, SystemExit) as error:
            notices.say("context() had no effect", error)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the block; its exception, if any, goes on."""
        if self._tokens:
            let_go(self._tokens.pop())


def _say(
    attributes: Mapping[str, AttributeValue],
    crossing: Mapping[str, AttributeValue],
    content: Content | None = None,
) -> Callable[[], None]:
    """Tell the request around these facts, and its baggage; what takes them back."""
    here = otel_context.get_current()
    scope = scope_of(here)
    before = scope.facts.say(attributes, crossing, content)
    # Not detached unless taken back: the traced call around it restores what was before it.
    token = otel_context.attach(crossed(here, scope)) if scope.span is not None and crossing else None

    def undo() -> None:
        scope.facts.restore(before)
        if token is not None:
            let_go(token)

    return undo


def _shared_attributes(
    conversation_id: object,
    user_id: object,
    segment: Mapping[str, object] | None,
    prompt_version: object,
    *,
    hashed: bool,
) -> dict[str, AttributeValue]:
    """The attributes of these facts; what is None or cannot be printed is left out."""
    found, cut = segment_attributes(segment or {}), list[str]()
    try:
        conversation = short(conversation_id, names.GEN_AI_CONVERSATION_ID, cut)
        cut += [names.SESSION_ID] * len(cut)
        user = short(user_id, names.USER_ID, cut)
        values = {
            names.GEN_AI_CONVERSATION_ID: conversation,
            names.SESSION_ID: conversation,
            names.USER_ID: None if user is None else user_attribute(user, hashed=hashed),
            names.RAGVIGIL_PROMPT_VERSION: short(prompt_version, names.RAGVIGIL_PROMPT_VERSION, cut),
        }
        found.update({name: value for name, value in values.items() if value is not None})
        if cut:
            found = together(found, {names.RAGVIGIL_CONTENT_TRUNCATED: tuple(cut)})
    except (Exception, SystemExit) as error:
        notices.say("context() could not read an id", error)
    return found


def segment_attributes(segment: Mapping[str, object]) -> dict[str, AttributeValue]:
    """The segment's dimensions as attributes, at most sixteen, and what was cut of them.

    >>> segment_attributes({"language": "pt", "follow_up": True})
    {'ragvigil.segment.language': 'pt', 'ragvigil.segment.follow_up': 'true'}
    """
    found: dict[str, AttributeValue] = {}
    cut: list[str] = []
    try:
        for name, value in list(segment.items())[:MOST_DIMENSIONS]:
            whole = encodable(f"{names.RAGVIGIL_SEGMENT_PREFIX}{name}")
            attribute = whole[:LONGEST_NAME]
            told = str(value).lower() if isinstance(value, bool) else short(value, attribute, cut)
            if told is not None:
                found[attribute] = told
                cut += [attribute] * (len(whole) > LONGEST_NAME)
        cut += [names.CUT_SEGMENT] * (len(segment) > MOST_DIMENSIONS)
    except (Exception, SystemExit) as error:
        notices.say("a segment could not be read", error)
    if cut:
        found[names.RAGVIGIL_CONTENT_TRUNCATED] = tuple(cut)
    return found


def _dimensions(segment: Mapping[str, object] | None, **named: object) -> Mapping[str, object]:
    given = {name: value for name, value in named.items() if value is not None}
    if not given:
        return segment or {}
    try:
        return {**given, **(segment or {})}
    except (Exception, SystemExit) as error:
        notices.say("a segment could not be read", error)
        return given


def _recording() -> bool:
    """Whether a request that began now would be recorded: where none is, nothing is wrong without one."""
    chosen = destination.current()
    if chosen is None or not sdk.gate.passing:
        return False
    return chosen.gate is None or chosen.gate.passing


def _hashes() -> bool:
    chosen = destination.current()
    return chosen is not None and chosen.policy.hash_user_id
