"""Bodies as they were before the sender compressed them.

What the Collector's `compression` may be and is not here (snappy, x-snappy-framed, lz4) has no decoder in Python or
its usual libraries: it is refused, and the answer's Accept-Encoding says what is taken.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Literal

from ragvigil.scorer.receive.refusal import Reason, Refusal
from ragvigil.scorer.sources.inflate import CompressionError, Gunzip, Inflate, Unzstd

Coding = Literal["zlib", "zstd"]

_CODINGS: dict[str, Coding] = {
    **dict.fromkeys(("gzip", "x-gzip", "deflate", "zlib"), "zlib"),
    "zstd": "zstd",
}
ACCEPTED = "gzip, deflate, zstd"
"""For the header Accept-Encoding of a refusal."""
_EITHER = 32 + zlib.MAX_WBITS
"""gzip, or zlib, which HTTP calls deflate: the first bytes tell."""
_WINDOW_LOG = 25
"""32 MB: the largest window that the Collector's zstd library uses at any level."""
_MOST_MEMBERS = 10_000
"""Of one body: an empty one takes twenty bytes on the wire and some microseconds."""


def coding_of(encoding: str) -> Coding | None:
    """How a body is compressed; None when it is not. Raises Refusal for what cannot be undone.

    >>> coding_of("gzip"), coding_of("deflate"), coding_of("zstd"), coding_of("identity")
    ('zlib', 'zlib', 'zstd', None)
    """
    wanted = encoding.strip().lower()
    if wanted in ("", "identity"):
        return None
    if wanted in _CODINGS:
        return _CODINGS[wanted]
    raise Refusal(
        Reason.UNSUPPORTED,
        f"Content-Encoding {encoding[:40]!r} is not supported; send {ACCEPTED} or identity",
    )


def decompressed(body: bytes, coding: Coding, *, limit: int, grow: Callable[[int], None]) -> bytes:
    """`body` decompressed, at most `limit` bytes; `grow` is told of each piece before it is kept.

    Raises Refusal when it is not what `coding` says, is cut short, or would be larger. zstd's window holds up to 32 MB
    of what came out a second time: that is told to `grow` as well.
    """
    stream: Inflate = Gunzip(_EITHER) if coding == "zlib" else Unzstd(_WINDOW_LOG)
    window = 0 if coding == "zlib" else 2**_WINDOW_LOG
    pieces, size = list[bytes](), 0
    try:
        for piece in stream.feed(body):
            before, size = size, size + len(piece)
            if size > limit:
                raise Refusal.too_large("the decompressed body", limit)
            if stream.members > _MOST_MEMBERS:
                raise Refusal.malformed(f"the compressed body has over {_MOST_MEMBERS} members; send one")
            grow(len(piece) + min(size, window) - min(before, window))
            pieces.append(piece)
    except CompressionError as error:
        raise Refusal.malformed(f"the body is not what its Content-Encoding says: {error}") from None
    if stream.open:
        raise Refusal.malformed("the compressed body is cut short")
    return b"".join(pieces)
