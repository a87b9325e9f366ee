"""How one server wants to be asked. Servers differ in what they take; what works is found out once and kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

Structure = Literal["json_schema", "tool", "json_object", "plain"]
STRUCTURES: tuple[Structure, ...] = ("json_schema", "tool", "json_object", "plain")
"""From the most that a server may be able to do to what every one can."""


@dataclass(frozen=True, slots=True)
class Manner:
    """What is sent beside the question."""

    structure: Structure = "json_schema"
    """How the server is told to answer in JSON; ``plain``: only by the prompt."""
    temperature: bool = True
    """Whether temperature 0 is sent; models that reason refuse it."""
    old_limit: bool = False
    """Whether the limit of tokens goes by its old name, ``max_tokens``; models that reason refuse that."""
    room: int = 1
    """Factor on the tokens allowed: models that reason spend them before they answer."""


_MOST_ROOM = 8


_WORDS: Mapping[Structure, tuple[str, ...]] = {
    "json_schema": ("response_format", "json_schema", "structured output", "guided"),
    "tool": ("tool_choice", "tools", "tool call", "function call"),
    "json_object": ("response_format", "json_object", "json mode"),
    "plain": (),
}
"""By which servers name what they do not take."""


def after_refusal(
    manner: Manner, complaint: str, structures: Sequence[Structure] = STRUCTURES
) -> Manner | None:
    """The next manner to try when a server refused this one, of those that its wire format has; None: no other.

    >>> after_refusal(Manner(), "Unsupported parameter: 'temperature'").temperature
    False
    >>> after_refusal(Manner(structure="plain", temperature=False, old_limit=True), "no") is None
    True
    """
    said = complaint.lower()
    if manner.temperature and "temperature" in said:
        return replace(manner, temperature=False)
    if not manner.old_limit and ("max_completion_tokens" in said or "max_tokens" in said):
        return replace(manner, old_limit=True)
    place = structures.index(manner.structure)
    if place + 1 < len(structures):
        return replace(manner, structure=structures[place + 1])
    if manner.temperature:
        return replace(manner, temperature=False)
    return None if manner.old_limit else replace(manner, old_limit=True)


def is_about(manner: Manner, complaint: str) -> bool:
    """Whether a refusal names something of how it was asked, as when a server lost what it could do.

    >>> is_about(Manner(), "response_format is not supported"), is_about(Manner(), "the prompt was filtered")
    (True, False)
    """
    said = complaint.lower()
    return (
        (manner.temperature and "temperature" in said)
        or (not manner.old_limit and "max_completion_tokens" in said)
        or any(word in said for word in _WORDS[manner.structure])
    )


def with_more_room(manner: Manner) -> Manner | None:
    """The manner for a model that had thought so long that no answer was left; None at the limit."""
    return replace(manner, room=manner.room * 2) if manner.room < _MOST_ROOM else None
