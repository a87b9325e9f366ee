"""Facts about a request in W3C baggage, which the service's own propagator carries to the next service."""

from __future__ import annotations

from collections.abc import Mapping

from opentelemetry import baggage
from opentelemetry.context import Context

from ragvigil.tracer import attributes as names
from ragvigil.tracer._findings import AttributeValue
from ragvigil.tracer._reading import identifier

MOST_ENTRIES = 24
_NAMES = frozenset(
    {
        names.GEN_AI_CONVERSATION_ID,
        names.SESSION_ID,
        names.USER_ID,
        names.RAGVIGIL_PROMPT_VERSION,
    }
)


def carried(context: Context) -> dict[str, AttributeValue]:
    """The facts that came over baggage; what is not ours, and all beyond 24 entries, is left alone.

    >>> carried(baggage.set_baggage("ragvigil.segment.language", "pt"))
    {'ragvigil.segment.language': 'pt'}
    """
    entries = baggage.get_all(context)
    found: dict[str, AttributeValue] = {}
    for name, value in entries.items() if entries else ():
        if _ours(name) and len(found) < MOST_ENTRIES and (told := identifier(value)) is not None:
            found[name[:100]] = told
    return found


def with_baggage(context: Context, attributes: Mapping[str, AttributeValue]) -> Context:
    """The context with these facts in its baggage, as far as they are ours to carry."""
    for name, value in attributes.items():
        if _ours(name):
            context = baggage.set_baggage(name, str(value), context)
    return context


def _ours(name: str) -> bool:
    return name in _NAMES or name.startswith(names.RAGVIGIL_SEGMENT_PREFIX)
