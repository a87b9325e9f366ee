"""What a judge asks of a language model, and how asking fails.

EndpointError
├── UnavailableError   not now: the same question may be answered later
│   └── LaterError     it failed so often that others should be asked first
└── RefusedError       never: this question will not be answered by this model
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


class EndpointError(Exception):
    """A model that gave no completion."""

    def __init__(self, reason: str, *, paid: Sequence[Completion] = ()) -> None:
        super().__init__(reason)
        self.paid = tuple(paid)
        """What it said all the same, and nobody could use: it is on the bill."""


class UnavailableError(EndpointError):
    """The endpoint does not answer at present."""


class LaterError(UnavailableError):
    """The question failed so often in a row that others should be asked before it is asked again."""

    def __init__(self, reason: str, *, answered: int, paid: Sequence[Completion] = ()) -> None:
        super().__init__(reason, paid=paid)
        self.answered = answered
        """Questions that the endpoint has answered so far."""


class RefusedError(EndpointError):
    """The endpoint will not answer this question, however often it is asked."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked."""

    system: str
    data: str
    schema: Mapping[str, object]
    """JSON schema of the wanted reply."""
    most_tokens: int
    """Tokens that the reply may have; what a model thinks before it comes on top."""
    said: tuple[tuple[str, str], ...] = ()
    """Earlier replies, each with what was wrong with it."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said."""

    text: str
    model: str | None
    """As the endpoint names it; a dated snapshot where it says so."""
    cut: bool
    """Whether the reply ended because no more tokens were allowed."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    """With what it thought before."""
    refusal: str | None = None
    """Why the model will not say anything, in its own words."""
    remembered: bool = False
    """Said before, to the same question: it cost nothing."""
    asked: str | None = None
    """The model as it was asked for; None: the asker's own."""
    cut_to: int | None = None
    """Tokens to which the server cuts what it is sent; None: it read all, as far as can be told."""
    calls: int = 1
    """Requests that were paid for to get it."""


class Endpoint(Protocol):
    """A model that can be asked."""

    async def ask(self, question: Question) -> Completion:
        """What the model says; raises UnavailableError or RefusedError."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question may take."""

    in_flight: int = 8
    attempt_seconds: float = 60.0
    patience_seconds: float | None = None
    """How long an endpoint that does not answer is waited for; None: for ever."""
    tries: int | None = None
    """Failures in a row after which a question makes room for others; None: it waits where it is."""
    hedge_seconds: float | None = None
    """After so long without an answer the same is asked a second time, and the first answer counts; None: never."""
