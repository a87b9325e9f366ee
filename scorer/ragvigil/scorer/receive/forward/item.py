"""One request on its way to a backend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Signal = Literal["traces", "logs", "metrics"]

VIA = "x-ragvigil-via"
"""Header that names every ragvigil a request came through, so that none forwards it a second time."""

_OVERHEAD = 1024
"""Bytes that an item costs beside its body: headers, and its place in the queue."""
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Received:
    """One request that was accepted."""

    signal: Signal
    body: bytes
    """As it arrived."""
    plain: bytes
    """Decompressed; `body` itself when that was not compressed."""
    encoding: Literal["protobuf", "json"]
    headers: Mapping[str, str]
    """Of the sender; names in lower case."""

    @property
    def gzipped(self) -> bool:
        """Whether it arrived as gzip, which every backend takes."""
        return self.body is not self.plain and self.body.startswith(_GZIP)


@dataclass(frozen=True, slots=True)
class Item:
    """What a backend will be sent, in the form in which it waits."""

    signal: Signal
    body: bytes
    encoding: Literal["protobuf", "json"]
    gzipped: bool
    headers: Mapping[str, str]

    @property
    def size(self) -> int:
        """Bytes that it costs while it waits."""
        return len(self.body) + _OVERHEAD


@dataclass(frozen=True, slots=True)
class Answer:
    """What a backend said to one item."""

    taken: bool
    reason: str = ""
    """Why it was not, as a label: ``http_429``, ``timeout``."""
    retry: bool = False
    wait_seconds: float | None = None
    """How long the backend asks to be left alone."""
    rejected: int = 0
    """Spans, log records or data points that it will never take, though it took the request."""
    message: str = ""
    advice: str = ""
    """What an operator can do about it."""
