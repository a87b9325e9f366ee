"""The bounds of the receiving side, shared by both servers."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from ragvigil.scorer.receive.refusal import Refusal


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request, and all requests together, may cost."""

    max_body_bytes: int = 64 * 2**20
    """Largest request, also after decompression."""
    max_span_bytes: int = 4 * 2**20
    """Largest span or log record; a larger one is rejected alone."""
    max_parts: int = 500_000
    """Most spans, log records and other top-level parts of one request: what its bytes may cost in time."""
    max_json_values: int = 2_000_000
    """Most values of one JSON request: an empty object takes three bytes on the wire and seventy in memory."""
    max_depth: int = 90
    """Deepest nesting of messages in JSON; protobuf has the library's own limit of 100."""
    max_open_bytes: int = 160 * 2**20
    """Bytes of all requests that are not answered yet."""
    chunk_seconds: float = 10.0
    """Longest silence of a sender in the middle of a request."""
    request_seconds: float = 60.0
    """Longest time from a request's first byte to its last."""
    retry_seconds: int = 1
    """When a refused sender may come back."""


class OpenBytes:
    """How many bytes of unanswered requests are held, with a bound."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._held = 0
        self._lock = threading.Lock()

    @property
    def held(self) -> int:
        """Bytes held now."""
        return self._held

    def take(self, size: int, *, already: int) -> None:
        """Count `size` more for a request that holds `already`. Raises Refusal above the bound.

        A request that is alone is never refused here, so that the bound cannot lock out a large one for ever.
        """
        with self._lock:
            if self._held + size > self._limits.max_open_bytes and self._held > already:
                raise Refusal.busy(
                    f"{self._held} bytes of requests are being worked on; try again later",
                    self._limits.retry_seconds,
                )
            self._held += size

    def give_back(self, size: int) -> None:
        """The request that held them is answered."""
        with self._lock:
            self._held -= size


class Held:
    """The bytes that one request holds, given back at the end of the ``with`` block."""

    def __init__(self, open_bytes: OpenBytes) -> None:
        self._open = open_bytes
        self._size = 0

    def grow(self, size: int) -> None:
        """Hold `size` bytes more. Raises Refusal when all requests together hold too much."""
        self._open.take(size, already=self._size)
        self._size += size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.give_back(self._size)
