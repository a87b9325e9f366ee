"""Why a span failed: from its exception event, its error.type, or its status message."""

from __future__ import annotations

import re

from ragvigil.scorer.dialects.reading import Failure
from ragvigil.scorer.dialects.values import text_of
from ragvigil.scorer.span import Span

_GENERIC = frozenset({"Exception", "Error", "_OTHER"})
"""Type names that say nothing: LangSmith's only one, JavaScript's default, and the conventions' unknown."""
_PREFIXED = re.compile(r"(?P<type>[A-Za-z_][\w.]*): (?P<message>.+)", re.DOTALL)
_REPR = re.compile(
    r"(?P<type>[A-Za-z_][\w.]*)\((?P<quote>['\"])(?P<message>.*?)(?P=quote)\)\s*(?:Traceback|\Z)", re.DOTALL
)
_TRACED = re.compile(r"(?P<type>[A-Za-z_][\w.]*)\((?P<message>.*?)\)\s*Traceback", re.DOTALL)
"""With more than a text in it, or another name than errors have, only what follows tells that it is an exception."""
_NAMED = re.compile(r"\n+(?P<type>[A-Za-z_]\w*): ")
_FRAME = re.compile(r"\n[ \t]+at \S")
"""A line of a stack trace of JavaScript."""
LONGEST_MESSAGE = 1000


def failure_of(span: Span) -> Failure | None:
    """What the span's exception event says, else its error.type and status; None when it did not fail.

    A span that recorded an exception without the status ERROR is read too: whether it counts is decided by
    its ancestors.

    >>> status = "ConnectionError('store unreachable')Traceback (most recent call last):"
    >>> failure_of(Span("0" * 32, "1" * 16, None, "s", 1, 0, 1, {}, failed=True, status_message=status))
    Failure(type='ConnectionError', message='store unreachable')
    """
    event = next((event for event in reversed(span.events) if event.name == "exception"), None)
    if event is not None:
        return failure(event.attributes.get("exception.type"), event.attributes.get("exception.message"))
    if not span.failed:
        return None
    return failure(span.attributes.get("error.type"), span.status_message)


def failure(type_name: object, message: object) -> Failure:
    """The failure with a type and message of its own, taken out of a message that repeats the type.

    >>> failure("Exception", "ValueError('too long')Traceback")
    Failure(type='ValueError', message='too long')
    >>> failure("Exception", "Unavailable('try later', 503)Traceback (most recent call last):")
    Failure(type='Unavailable', message="'try later', 503")
    >>> failure(None, "TimeoutError: after 3 s"), failure("Error", "after 3 s")
    (Failure(type='TimeoutError', message='after 3 s'), Failure(type=None, message='after 3 s'))
    >>> failure(None, "too long\\n\\nRangeError: too long\\n    at f (a.js:1:2)"), failure(None, "Error: after 3 s")
    (Failure(type='RangeError', message='too long'), Failure(type=None, message='after 3 s'))
    """
    name, text = text_of(type_name), _unstacked(text_of(message))
    name = None if name in _GENERIC else name
    found = _REPR.match(text) or _PREFIXED.match(text) if text else None
    if found and _agrees(name, found["type"]):
        name, text = name or found["type"], found["message"]
    elif name is None and found and found["type"] in _GENERIC:
        text = found["message"]
    elif name is None and text and (traced := _TRACED.match(text)) and traced["type"] not in _GENERIC:
        name, text = traced["type"], (_REPR.match(text) or traced)["message"]
    return Failure(name, text[:LONGEST_MESSAGE].strip() if text else None)


def _unstacked(text: str | None) -> str | None:
    """What JavaScript says of an error, without the stack; LangChain says the message before it once more."""
    stack = _FRAME.search(text) if text else None
    if not text or not stack:
        return text
    said = text[: stack.start()]
    for named in _NAMED.finditer(said):
        if said[named.end() :] == said[: named.start()]:
            return said[named.start() :].lstrip("\n")
    return said


def _agrees(known: str | None, found: str) -> bool:
    """A word before a colon is a type when it is the known one, or looks like one where none is known."""
    if known is not None:
        return known.rpartition(".")[2] == found.rpartition(".")[2]
    return found.endswith(("Error", "Exception", "Timeout", "Interrupt")) and found not in _GENERIC
