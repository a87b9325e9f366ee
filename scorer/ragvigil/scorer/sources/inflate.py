"""Compressed streams undone piece by piece: gzip and zstd, any number of members or frames, bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from ragvigil.scorer.zstd import zstd

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"

_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_PIECE = 2**20


class CompressionError(ValueError):
    """Bytes that are not what their first ones promised."""


class Inflate(Protocol):
    """Takes what a file holds, gives what was compressed; a stream that has not ended yet gives what is there."""

    @property
    def open(self) -> bool:
        """Whether a member or frame has begun and not ended."""
        ...

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most a megabyte. Raises CompressionError."""
        ...


class Gunzip:
    """Undoes gzip; zeros between members are padding."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(_GZIP_WINDOW)
        self.open = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most a megabyte. Raises CompressionError."""
        try:
            while data:
                if self._stream.eof:
                    data = data.lstrip(b"\0")
                    if not data:
                        return
                    self._stream = zlib.decompressobj(_GZIP_WINDOW)
                piece = self._stream.decompress(data, _PIECE)
                data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
                self.open = not self._stream.eof
                if piece:
                    yield piece
        except zlib.error as error:
            raise CompressionError(f"not gzip: {error}") from None


class Unzstd:
    """Undoes zstd."""

    def __init__(self) -> None:
        self._module = zstd()
        self._stream = self._module.ZstdDecompressor()
        self.open = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Pieces of at most a megabyte. Raises CompressionError."""
        try:
            while data:
                if self._stream.eof:
                    self._stream = self._module.ZstdDecompressor()
                piece = self._stream.decompress(data, _PIECE)
                self.open = not self._stream.eof
                if piece:
                    yield piece
                yield from self._drained()
                data = self._stream.unused_data if self._stream.eof else b""
        except self._module.ZstdError as error:
            raise CompressionError(f"not zstd: {error}") from None

    def _drained(self) -> Iterator[bytes]:
        while not self._stream.eof and not self._stream.needs_input:
            piece = self._stream.decompress(b"", _PIECE)
            self.open = not self._stream.eof
            if piece:
                yield piece


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
