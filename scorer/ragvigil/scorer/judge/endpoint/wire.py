"""What a wire format has to tell the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

from ragvigil.scorer.judge.endpoint.manner import Manner, Structure
from ragvigil.scorer.judge.endpoint.port import Completion, Question

Json = Mapping[str, object]

_MOST_TOKENS = 10**9
"""Of one question or reply."""


class Wire(Protocol):
    """One way to put a question and to read what comes back. A reply that makes no sense is an empty completion."""

    path: str
    """Of the call, under the base address."""
    structures: tuple[Structure, ...]
    """Ways to ask for JSON that it knows, each with a body of its own, the strictest first."""

    def headers(self, key: str | None) -> Mapping[str, str]:
        """What says who asks."""
        ...

    def body(self, question: Question, model: str, manner: Manner) -> dict[str, object]:
        """The question."""
        ...

    def completion(self, answer: Json) -> Completion:
        """The reply."""
        ...


def mapping(value: object) -> Json:
    """A JSON object; an empty one when it is none."""
    return cast("Json", value) if isinstance(value, dict) else {}


def items(value: object) -> list[object]:
    """A JSON array; an empty one when it is none."""
    return cast("list[object]", value) if isinstance(value, list) else []


def text(value: object) -> str:
    """A JSON string; an empty one when it is none."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """A count of tokens; None when it is none, or more than any model reads: it would use up a limit for weeks."""
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
        else None
    )
