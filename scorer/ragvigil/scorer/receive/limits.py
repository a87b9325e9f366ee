"""The bounds of the receiving side, and what it counted; shared by both servers and shown by /healthz."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
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


@dataclass(slots=True)
class Counters:
    """What was received, rejected and refused since the start. Changed by the event loop's thread only."""

    requests: Counter[str] = field(default_factory=Counter[str])
    """By protocol and signal, such as ``http spans``."""
    bytes: int = 0
    """Bytes of request bodies, decompressed."""
    spans: int = 0
    """Spans committed."""
    logs: int = 0
    """Log records committed."""
    ignored: Counter[str] = field(default_factory=Counter[str])
    """Accepted and put aside: log records without a trace id, metrics requests."""
    rejected: Counter[str] = field(default_factory=Counter[str])
    """Spans and log records that can never be accepted, by reason."""
    refused: Counter[str] = field(default_factory=Counter[str])
    """Whole requests that were not accepted, by reason."""

    def snapshot(self) -> dict[str, object]:
        """The counts as plain JSON values.

        >>> Counters(spans=3).snapshot()["spans"]
        3
        """
        return {
            "requests": dict(self.requests),
            "bytes": self.bytes,
            "spans": self.spans,
            "logs": self.logs,
            "ignored": dict(self.ignored),
            "rejected": dict(self.rejected),
            "refused": dict(self.refused),
        }


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
