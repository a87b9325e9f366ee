"""Bodies as they were before the sender compressed them."""

from __future__ import annotations

import zlib
from collections.abc import Callable

from ragvigil.scorer.receive.refusal import Reason, Refusal

_EITHER = 32 + zlib.MAX_WBITS
"""gzip, or zlib, which HTTP calls deflate: the first bytes tell."""
_CHUNK = 2**20


def check_encoding(encoding: str) -> bool:
    """Whether the body is compressed. Raises Refusal for anything but gzip, deflate and identity.

    >>> check_encoding("gzip"), check_encoding("deflate"), check_encoding("")
    (True, True, False)
    """
    wanted = encoding.strip().lower()
    if wanted in ("", "identity"):
        return False
    if wanted in ("gzip", "deflate"):
        return True
    raise Refusal(
        Reason.UNSUPPORTED,
        f"Content-Encoding {encoding[:40]!r} is not supported; send gzip, deflate or identity",
    )


def gunzip(body: bytes, *, limit: int, grow: Callable[[int], None]) -> bytes:
    """`body` decompressed, at most `limit` bytes; `grow` is told of each piece before it is kept.

    Raises Refusal when it is neither gzip nor deflate, is cut short, or would be larger.
    """
    pieces: list[bytes] = []
    size, rest = 0, body
    try:
        while rest:
            stream = zlib.decompressobj(_EITHER)
            while not stream.eof:
                piece = stream.decompress(rest, min(_CHUNK, limit + 1 - size))
                rest = stream.unconsumed_tail
                if not piece and not rest and not stream.eof:
                    raise Refusal.malformed("the compressed body is cut short")
                size += len(piece)
                if size > limit:
                    raise Refusal.too_large("the decompressed body", limit)
                grow(len(piece))
                pieces.append(piece)
            rest = stream.unused_data
    except zlib.error as error:
        raise Refusal.malformed(f"the body is not gzip or deflate: {error}") from None
    return b"".join(pieces)
