"""Spans of other people's instrumentations on their way to the scorer, within what may be recorded.

They carry texts wherever their convention puts them. So only what is known to be no text stays where texts may not
leave, and every text is redacted where it must be, on the sending thread.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import cast

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, Span, SpanProcessor
from opentelemetry.trace import Status

from ragvigil.tracer import attributes as names
from ragvigil.tracer._baggage import carried_content
from ragvigil.tracer._configure import current
from ragvigil.tracer._facts import AttributeValue
from ragvigil.tracer._notices import notices
from ragvigil.tracer._runtime import destination
from ragvigil.tracer._scope import scope_of
from ragvigil.tracer._settings import Content, Policy
from ragvigil.tracer._sizes import bound_beside
from ragvigil.tracer._users import user_attribute

MASK = "__REDACTED__"
"""What OpenInference puts in the place of a text that may not be recorded; the scorer takes it for missing."""
_MOST_OPEN = 10_000
_KEPT_PREFIXES = (
    "gen_ai.request.",
    "gen_ai.response.",
    "gen_ai.usage.",
    "llm.token_count.",
    "telemetry.",
    "graph.",
)
_KEPT_SUFFIXES = (".document.id", ".score", ".message.role", ".tool_call.id")
_KEPT = frozenset(
    {
        names.OPENINFERENCE_SPAN_KIND,
        names.GEN_AI_OPERATION_NAME,
        names.GEN_AI_PROVIDER_NAME,
        names.GEN_AI_CONVERSATION_ID,
        names.SESSION_ID,
        names.USER_ID,
        "gen_ai.system",
        "gen_ai.data_source.id",
        "llm.model_name",
        "llm.provider",
        "llm.system",
        "llm.finish_reason",
        "embedding.model_name",
        "reranker.model_name",
        "input.mime_type",
        "output.mime_type",
        "tool.name",
        "error.type",
    }
)
"""Texts that are names or ids."""
_MASKED_SUFFIXES = ("input.value", "output.value", ".content")


class Forwarding(SpanProcessor):
    """Hands spans to whatever delivers to the scorer when they end; without one they are dropped."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, Content | None] = OrderedDict()
        """What the request around each open span wants recorded of texts, by span id."""
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        """Take a fresh lock: in a forked child another thread may have held it, and none that ran there runs here."""
        self._lock = threading.Lock()

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Note what the request around it wants; never raises."""
        try:
            here = otel_context.get_current() if parent_context is None else parent_context
            scope = scope_of(here)
            policy = Policy(content="full")
            wanted = policy.at_least(scope.content, scope.facts.strictest(), carried_content(here))
            with self._lock:
                self._open[span.get_span_context().span_id] = wanted
                while len(self._open) > _MOST_OPEN:
                    self._open.popitem(last=False)
        except (Exception, SystemExit) as error:
            notices.say("an instrumented span could not be followed", error)

    def on_end(self, span: ReadableSpan) -> None:
        """Hand the span on, within what may be recorded; never raises."""
        try:
            tracing, chosen = current(), destination.current()
            if tracing is None or chosen is None or tracing.delivery is None or span.context is None:
                return
            with self._lock:
                wanted = self._open.pop(span.context.span_id, "ids_only")
            content = chosen.policy.at_least(wanted)
            resource = span.resource if tracing.provider is None else tracing.provider.resource
            tracing.delivery.take(Cleaned(span, resource, chosen.policy, content), bound_beside(span))
        except (Exception, SystemExit) as error:
            notices.say("an instrumented span could not be sent", error)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Whether all that ended was handed over within the time."""
        tracing = current()
        return True if tracing is None else tracing.flush(timeout_seconds=timeout_millis / 1000)


class Cleaned(ReadableSpan):
    """A span as it may leave: what its texts become is found out when it is sent."""

    def __init__(self, span: ReadableSpan, resource: Resource, policy: Policy, content: Content) -> None:
        full = content == "full"
        super().__init__(
            name=span.name,
            context=span.context,
            parent=span.parent,
            resource=resource,
            attributes=span.attributes,
            events=span.events if full else [_without_words(event) for event in span.events],
            links=span.links,
            kind=span.kind,
            status=span.status if full else Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )
        self._policy = policy
        self._content: Content = content

    @property
    def attributes(self) -> Mapping[str, AttributeValue]:
        """What may be recorded of them."""
        given = cast("Mapping[str, AttributeValue]", super().attributes or {})
        found = dict(given)
        if self._content != "full":
            keep = _only_names if self._content == "ids_only" else _redacting(self._policy)
            found = {name: kept for name, value in given.items() if (kept := keep(name, value)) is not None}
            off = self._content == "ids_only"
            found[names.RAGVIGIL_CONTENT] = names.CONTENT_OFF if off else names.CONTENT_REDACTED
        if (user := found.get(names.USER_ID)) is not None:
            found[names.USER_ID] = user_attribute(str(user), hashed=self._policy.hash_user_id)
        return found


def _without_words(event: Event) -> Event:
    """An event with its type alone: what an error says may quote the user or a passage."""
    attributes = event.attributes or {}
    kept = {name: value for name, value in attributes.items() if name == "exception.type"}
    return Event(event.name, kept, event.timestamp)


def _only_names(name: str, value: AttributeValue) -> AttributeValue | None:
    """Numbers, ids and names; a mask where the convention has one, nothing for the rest, such as vectors of a text."""
    if isinstance(value, int | float) or _is_name(name):
        return value
    return MASK if name.endswith(_MASKED_SUFFIXES) else None


def _is_name(name: str) -> bool:
    """Whether the attribute of this name holds an id, a name or a setting."""
    return name in _KEPT or name.endswith(_KEPT_SUFFIXES) or name.startswith(_KEPT_PREFIXES)


def _redacting(policy: Policy) -> Callable[[str, AttributeValue], AttributeValue | None]:
    """Applies the policy's redactor to all texts but ids and names; a text on which it fails does not leave."""
    from ragvigil.tracer.redaction import redact

    clean = policy.redact or redact

    def keep(name: str, value: AttributeValue) -> AttributeValue | None:
        if isinstance(value, int | float) or _is_name(name):
            return value
        try:
            if isinstance(value, str):
                return clean(value)
            texts = [clean(one) for one in value if isinstance(one, str)]  # pyright: ignore[reportUnnecessaryIsInstance]  # knows one kind of sequence only
            return texts or value
        except (Exception, SystemExit) as error:
            notices.say("a text was left out, redaction failed", error)
            return None

    return keep
