"""What the environment says: whether to trace, and whether texts may be recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from ragvigil.tracer._notices import notices

if TYPE_CHECKING:
    from ragvigil.tracer.redaction import Redactor

Content: TypeAlias = Literal["full", "redacted", "ids_only"]
"""What of texts is recorded: all, all but what identifies or opens, or nothing but ids, scores and citations."""

STRICTNESS: Mapping[Content, int] = {"full": 0, "redacted": 1, "ids_only": 2}

CAPTURE_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The convention's own switch: off is off everywhere; on lets texts go to the service's own provider too."""

_YES = frozenset({"1", "true", "yes", "on"})
_NO = frozenset({"0", "false", "no", "off"})
# EVENT_ONLY promises that spans stay free of texts, and we write spans only.
_CONTENT_ON = _YES | {"span_only", "span_and_event"}
_CONTENT_OFF = _NO | {"no_content", "event_only"}


MOST_SPAN_BYTES = 15 * 2**17
"""Of the 2 MiB of a request; the rest is for the service's name and what else it says of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a request one span may carry; what is cut is marked on the span.

    Every limit is at least 1.

    >>> Limits(documents=20).document_bytes
    16384
    """

    attribute_bytes: int = 262_144
    """Bytes in UTF-8 of one attribute: a query, an answer, or the JSON of all documents."""
    document_bytes: int = 16_384
    """Bytes in UTF-8 of one document's text."""
    documents: int = 100
    """Documents of one retrieval."""

    span_bytes: int = 1_048_576
    """Bytes of all attributes of one span together, as they are sent; at most 1,966,080, so that one request holds it.

    Attributes that say what the span is, and 2,048 bytes of marks, are there in any case.
    """

    def __post_init__(self) -> None:
        """Refuse a limit that would leave nothing, and one that no request could hold."""
        for name in ("attribute_bytes", "document_bytes", "documents", "span_bytes"):
            if getattr(self, name) < 1:
                raise ValueError(f"limits.{name} must be at least 1")
        if self.span_bytes > MOST_SPAN_BYTES:
            raise ValueError(f"limits.span_bytes must be at most {MOST_SPAN_BYTES}")


def disabled() -> bool:
    """Whether ``RAGVIGIL_DISABLED`` or ``OTEL_SDK_DISABLED`` switches tracing off."""
    return any(_environment(name) in _YES for name in ("RAGVIGIL_DISABLED", "OTEL_SDK_DISABLED"))


def threads_allowed() -> bool:
    """Whether requests may be carried into threads without being asked to: ``RAGVIGIL_THREADS`` can say no."""
    return _environment("RAGVIGIL_THREADS") not in _NO


def content_allowed(default: bool) -> bool:
    """Whether texts may be recorded: the environment's word, else the default; an unknown word means no."""
    word = _environment(CAPTURE_CONTENT)
    if not word:
        return default
    if word not in _CONTENT_ON | _CONTENT_OFF:
        notices.say("content is off", f"{CAPTURE_CONTENT}={word!r} is none of true, false, {_MODES}")
    return word in _CONTENT_ON


_MODES = "NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What may be recorded, how, and how much of it."""

    content: Content = "full"
    redact: Redactor | None = None
    """Applied to every text where the content is ``redacted``; None means the built-in rules."""
    limits: Limits = Limits()
    longest_value: int | None = None
    """Letters of one attribute of a span, and of each entry of a list, beyond which the provider cuts it."""
    most_attributes: int | None = None
    """Attributes that one span of the provider can hold; it evicts the oldest beyond that."""
    openinference: bool = False
    """Whether documents and messages are also spread over OpenInference's numbered attributes."""
    hash_user_id: bool = False

    def __post_init__(self) -> None:
        """Refuse a word that means nothing."""
        refuse_unknown(self.content)

    def at_least(self, *wanted: Content | None) -> Content:
        """The strictest of this policy's content and what was wanted; an unknown word lets no text out.

        >>> Policy(content="redacted").at_least("full", None, "ids_only")
        'ids_only'
        """
        strictest = self.content
        for content in wanted:
            if content is not None and content not in STRICTNESS:
                notices.say(
                    "only ids are recorded", f"content={content!r} is none of {', '.join(STRICTNESS)}"
                )
                return "ids_only"
            if content is not None and STRICTNESS[content] > STRICTNESS[strictest]:
                strictest = content
        return strictest


def refuse_unknown(content: Content) -> None:
    """Raise ``ValueError`` for a word that is no content policy."""
    if content not in STRICTNESS:
        raise ValueError(f"content={content!r} is none of {', '.join(STRICTNESS)}")


def limits_within(limits: Limits, longest: int | None) -> Limits:
    """Limits that stay below an SDK's value length limit, which would cut JSON in the middle."""
    if longest is None or longest >= limits.attribute_bytes:
        return limits
    return replace(
        limits,
        attribute_bytes=max(1, longest),
        document_bytes=max(1, min(longest, limits.document_bytes)),
    )


def value_limit() -> int | None:
    """Longest attribute value that the environment allows the SDK, None without a limit."""
    return _whole("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", _whole("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", None))


def count_limit() -> int | None:
    """Most attributes that the environment allows a span, by default the SDK's 128."""
    return _whole("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", _whole("OTEL_ATTRIBUTE_COUNT_LIMIT", 128))


def _whole(name: str, default: int | None) -> int | None:
    word = _environment(name)
    return int(word) if word.isdecimal() and int(word) > 0 else default


def _environment(name: str) -> str:
    return os.environ.get(name, "").strip().lower()
