"""What the environment says: whether to trace, and whether texts may be recorded."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ragvigil.tracer._notices import notices

CAPTURE_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The convention's own switch; wins over ``configure(capture_content=…)``."""

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})
# EVENT_ONLY promises that spans stay free of texts, and we write spans only.
_CONTENT_ON = _YES | {"span_only", "span_and_event"}
_CONTENT_OFF = _NO | {"no_content", "event_only"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a request one span may carry; what is cut is marked on the span.

    Every limit is at least 1.

    >>> Limits(documents=20).document_characters
    16384
    """

    attribute_characters: int = 262_144
    """Characters of one attribute: a query, an answer, or the JSON of all documents."""
    document_characters: int = 16_384
    """Characters of one document's text."""
    documents: int = 100
    """Documents of one retrieval."""

    def __post_init__(self) -> None:
        """Refuse a limit that would leave nothing."""
        for name in ("attribute_characters", "document_characters", "documents"):
            if getattr(self, name) < 1:
                raise ValueError(f"limits.{name} must be at least 1")


def disabled() -> bool:
    """Whether ``RAGVIGIL_DISABLED`` or ``OTEL_SDK_DISABLED`` switches tracing off."""
    return any(_environment(name) in _YES for name in ("RAGVIGIL_DISABLED", "OTEL_SDK_DISABLED"))


def content_allowed(default: bool) -> bool:
    """Whether texts may be recorded: the environment's word, else the default; an unknown word means no."""
    word = _environment(CAPTURE_CONTENT)
    if not word:
        return default
    if word not in _CONTENT_ON | _CONTENT_OFF:
        notices.say("content is off", f"{CAPTURE_CONTENT}={word!r} is none of true, false, {_MODES}")
    return word in _CONTENT_ON


_MODES = "NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT"


def limits_under_environment(limits: Limits) -> Limits:
    """Limits that stay below the SDK's own value length limit, which would cut JSON in the middle."""
    words = [
        _environment(name)
        for name in ("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT")
    ]
    given = next((int(word) for word in words if word.isdecimal() and int(word) > 0), None)
    if given is None or given >= limits.attribute_characters:
        return limits
    return Limits(
        attribute_characters=given,
        document_characters=min(given, limits.document_characters),
        documents=limits.documents,
    )


def _environment(name: str) -> str:
    return os.environ.get(name, "").strip().lower()
