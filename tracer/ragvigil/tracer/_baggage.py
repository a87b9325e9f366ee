"""Facts about a request in W3C baggage, which the service's own propagator carries to the next service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from opentelemetry import baggage
from opentelemetry.context import Context

from ragvigil.tracer import attributes as names
from ragvigil.tracer._facts import AttributeValue
from ragvigil.tracer._reading import identifier, short
from ragvigil.tracer._settings import Content

MOST_ENTRIES = 24
LONGEST_NAME = 100
"""Characters of an attribute's name that a service may choose."""
CONTENT = "ragvigil.content_policy"
"""Entry with the strictest content policy of the request: it can only take texts away from those who read it."""

_NAMES = frozenset(
    {
        names.GEN_AI_CONVERSATION_ID,
        names.SESSION_ID,
        names.USER_ID,
        names.RAGVIGIL_PROMPT_VERSION,
        names.RAGVIGIL_CACHED,
    }
)


def carried(context: Context) -> dict[str, AttributeValue]:
    """The facts that came over baggage; what is not ours, and all beyond 24 entries, is left alone.

    What is cut here, or was cut before it was sent, is named under ``ragvigil.content.truncated``.

    >>> carried(baggage.set_baggage("ragvigil.segment.language", "pt"))
    {'ragvigil.segment.language': 'pt'}
    """
    entries = baggage.get_all(context)
    found: dict[str, AttributeValue] = {}
    cut: list[str] = []
    for name, value in entries.items() if entries else ():
        if name == names.RAGVIGIL_CONTENT_TRUNCATED:
            cut += [mark[:LONGEST_NAME] for mark in str(value).split(",")[:MOST_ENTRIES]]
        elif _ours(name):
            attribute = name[:LONGEST_NAME]
            if len(found) >= MOST_ENTRIES:
                cut.append(names.CUT_BAGGAGE)
            elif (told := short(value, attribute, cut)) is not None:
                found[attribute] = told == "true" if name == names.RAGVIGIL_CACHED else told
                cut += [attribute] * (len(name) > LONGEST_NAME)
    if cut:
        found[names.RAGVIGIL_CONTENT_TRUNCATED] = tuple(dict.fromkeys(cut))
    return found


def carried_content(context: Context) -> Content | None:
    """The content policy that came over baggage; whoever sends one can have less recorded, never more."""
    told = identifier(baggage.get_baggage(CONTENT, context))
    return None if told is None else cast("Content", told)


def with_baggage(context: Context, facts: Mapping[str, AttributeValue]) -> Context:
    """The context with these facts in its baggage, as far as they are ours to carry."""
    for name, value in facts.items():
        if name == names.RAGVIGIL_CONTENT_TRUNCATED:
            marks = ",".join(cast("tuple[str, ...]", value))
            context = baggage.set_baggage(name, marks, context)
        elif name == CONTENT or _ours(name):
            told = str(value).lower() if isinstance(value, bool) else str(value)
            context = baggage.set_baggage(name, told, context)
    return context


def _ours(name: str) -> bool:
    return name in _NAMES or name.startswith(names.RAGVIGIL_SEGMENT_PREFIX)
