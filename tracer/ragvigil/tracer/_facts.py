"""What is known of one request: read when its spans are sent, so that it covers those that began or ended before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias, cast

from ragvigil.tracer import attributes as names
from ragvigil.tracer._settings import STRICTNESS, Content

AttributeValue: TypeAlias = str | bool | int | float | Sequence[str]
MOST_MARKS = 64
"""Of what was cut."""


class Said(NamedTuple):
    """Facts as they were at one moment."""

    attributes: dict[str, AttributeValue]
    crossing: dict[str, AttributeValue]
    content: Content | None


class Facts:
    """Conversation, user, segment, prompt version and content policy, shared by all spans of a request."""

    __slots__ = ("attributes", "content", "crossing", "outer", "version")

    def __init__(
        self, attributes: dict[str, AttributeValue] | None = None, outer: Facts | None = None
    ) -> None:
        self.attributes: dict[str, AttributeValue] = {} if attributes is None else attributes
        self.crossing: dict[str, AttributeValue] = {}
        """What of them goes to other services, in baggage."""
        self.content: Content | None = None
        """What the whole request wants of texts to be recorded at most."""
        self.outer = outer
        """Those of the request, or of the ``with`` block, around."""
        self.version = 0
        """How often something was said that crosses services."""

    def all(self) -> Mapping[str, AttributeValue]:
        """These facts and those around; of two for one name the inner."""
        around = None if self.outer is None else self.outer.all()
        return together(around, self.attributes) if around else self.attributes

    def strictest(self) -> Content | None:
        """The strictest content policy of this request and of those around."""
        found, around = self.content, self.outer
        while around is not None:
            if around.content is not None:
                found = strictest(found, around.content)
            around = around.outer
        return found

    def say(
        self,
        attributes: Mapping[str, AttributeValue],
        crossing: Mapping[str, AttributeValue],
        content: Content | None,
    ) -> Said:
        """Add to the facts, and return what they were before."""
        before = Said(dict(self.attributes), dict(self.crossing), self.content)
        self.attributes.update(together(self.attributes, attributes))
        self.content = strictest(self.content, content)
        if crossing:
            self.crossing.update(crossing)
            self.version += 1
        return before

    def restore(self, before: Said) -> None:
        """Take back what was said since then."""
        self.attributes, self.crossing, self.content = before


def together(
    before: Mapping[str, AttributeValue], more: Mapping[str, AttributeValue]
) -> dict[str, AttributeValue]:
    """All of these facts, of two for one name the later; what either says was cut stays said."""
    facts, name = {**before, **more}, names.RAGVIGIL_CONTENT_TRUNCATED
    if name in before and name in more:
        marks = (*cast("Sequence[str]", before[name]), *cast("Sequence[str]", more[name]))
        facts[name] = tuple(dict.fromkeys(marks))[:MOST_MARKS]
    return facts


def strictest(*wanted: Content | None) -> Content | None:
    """The strictest of these policies; a misspelt one counts as stricter than all, None as none.

    >>> strictest("redacted", None, "full")
    'redacted'
    """
    found: Content | None = None
    for one in wanted:
        if one is not None and (found is None or _strictness(one) > _strictness(found)):
            found = one
    return found


def _strictness(content: Content) -> int:
    return STRICTNESS[content] if content in STRICTNESS else len(STRICTNESS)
