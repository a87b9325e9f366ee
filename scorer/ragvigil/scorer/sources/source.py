"""What the receiving side asks of a source that is read instead of sending."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragvigil.scorer.receive.decode import Encoding, Signal


@dataclass(frozen=True, slots=True)
class Batch:
    """One request's worth, and where it stands."""

    place: str
    """For people: file and line."""
    body: bytes
    signal: Signal | None = None
    """None: nothing that anybody needs here, such as metrics."""
    encoding: Encoding = "protobuf"
    problem: str | None = None
    """Why it cannot be read; then `body` is empty."""


class Source(Protocol):
    """Yields batches, takes acks. Called from one thread at a time, never from the event loop's.

    What was not acked before a crash is yielded again by the next process.
    """

    name: str

    def batches(self) -> Sequence[Batch]:
        """What comes next, a few at a time; [] when there is nothing new. Raises OSError."""
        ...

    def ack(self) -> None:
        """All that was yielded is durable, and need not be yielded again. Raises OSError."""
        ...
