"""Compressed streams undone piece by piece: gzip and zstd, any number of members or frames, bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from ragvigil.scorer.zstd import zstd

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"

_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_PIECE = 2**20
_SLICE = 2**15
"""Bytes that are handed over at once: what follows a member's end is copied, and a body may have very many."""


class CompressionError(ValueError):
    """Bytes that are not what their first ones promised."""


class Inflate(Protocol):
    """Takes what a file holds, gives what was compressed; a stream that has not ended yet gives what is there."""

    @property
    def open(self) -> bool:
        """Whether a member or frame has begun and not ended."""
        ...

    @property
    def members(self) -> int:
        """How many members or frames have begun."""
        ...

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most a megabyte, an empty one where a member ends. Raises CompressionError."""
        ...


class Gunzip:
    """Undoes gzip; zeros between members are padding."""

    def __init__(self, window: int = _GZIP_WINDOW) -> None:
        self._window = window
        self._stream = zlib.decompressobj(window)
        self.open = False
        self.members = 1

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most a megabyte, an empty one where a member ends. Raises CompressionError."""
        try:
            for part in _slices(data):
                yield from self._fed(part)
        except zlib.error as error:
            raise CompressionError(f"not gzip: {error}") from None

    def _fed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream.eof:
                data = data.lstrip(b"\0")
                if not data:
                    return
                self._stream = zlib.decompressobj(self._window)
                self.members += 1
            piece = self._stream.decompress(data, _PIECE)
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            self.open = not self._stream.eof
            if piece or self._stream.eof:
                yield piece


class Unzstd:
    """Undoes zstd. Raises ValueError for a window that the library does not know."""

    def __init__(self, window_log: int | None = None) -> None:
        self._module = zstd()
        limit = {self._module.DecompressionParameter.window_log_max: window_log} if window_log else None
        self._new = partial(self._module.ZstdDecompressor, options=limit)
        self._stream = self._new()
        self.open = False
        self.members = 1

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most a megabyte, an empty one where a frame ends. Raises CompressionError."""
        try:
            for part in _slices(data):
                yield from self._fed(part)
        except self._module.ZstdError as error:
            raise CompressionError(f"not zstd: {error}") from None

    def _fed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream.eof:
                self._stream = self._new()
                self.members += 1
            piece = self._stream.decompress(data, _PIECE)
            self.open = not self._stream.eof
            if piece or self._stream.eof:
                yield piece
            yield from self._drained()
            data = self._stream.unused_data if self._stream.eof else b""

    def _drained(self) -> Iterator[bytes]:
        while not self._stream.eof and not self._stream.needs_input:
            piece = self._stream.decompress(b"", _PIECE)
            self.open = not self._stream.eof
            if piece or self._stream.eof:
                yield piece


def _slices(data: bytes) -> Iterator[bytes]:
    return (data[at : at + _SLICE] for at in range(0, len(data), _SLICE))


INFLATES: dict[bytes, Callable[[], Inflate]] = {GZIP: Gunzip, ZSTD: Unzstd}
"""By the first bytes of a compressed stream."""


def inflated(body: bytes, *, limit: int) -> bytes:
    """`body` as it was before it was compressed; itself when it was not. Raises CompressionError above `limit`.

    >>> inflated(b"{}", limit=10), inflated(zlib.compress(b"{}", wbits=31), limit=10)
    (b'{}', b'{}')
    """
    make = next((make for magic, make in INFLATES.items() if body.startswith(magic)), None)
    if make is None:
        return body
    stream, pieces, size = make(), list[bytes](), 0
    for piece in stream.feed(body):
        size += len(piece)
        if size > limit:
            raise CompressionError(f"over the limit of {limit} bytes once decompressed")
        pieces.append(piece)
    if stream.open:
        raise CompressionError("the compressed data is cut short")
    return b"".join(pieces)
