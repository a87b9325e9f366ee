"""Compressed columns: what repeats the text of a trace's spans costs next to nothing beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from ragvigil.scorer.store._json import to_json
from ragvigil.scorer.zstd import zstd

_LEVEL = 1
_SHORTEST_QUOTED = 24
_SHORTEST_PREFIX = 8
_FEW = 1024
"""Bytes that do not stand in the source, up to which they are not compared with it."""
FRAME_HEAD = 18
"""Bytes at the beginning of what was packed, at most, that say how large it was."""
_QUOTING, _COMPARED = b"q", b"c"
"""First byte: compressed alone, or with the source before it."""


def pack(data: bytes, like: bytes = b"") -> bytes:
    """The data, compressed; what it has in common with `like` is not stored again.

    >>> text = b"Water boils at 100 degrees Celsius at the level of the sea."
    >>> len(pack(text)) > 3 * len(pack(text, like=text)), unpack(pack(text, like=text), like=text) == text
    (True, True)
    """
    prefix = _prefix(like)
    packer = zstd().ZstdCompressor(_LEVEL, zstd_dict=prefix) if prefix else _packer()
    packed: bytes = packer.compress(data, packer.FLUSH_FRAME)
    return packed


def pack_quoting(value: object, texts: Sequence[str], source: bytes) -> bytes:
    """JSON of a value, and `texts`, compressed; a text that stands in `source` is not stored again but pointed at.

    >>> source = b"... Water boils at 100 degrees Celsius at the level of the sea. ..."
    >>> packed = pack_quoting({"rank": 1}, ["Water boils at 100 degrees Celsius at the level of the sea."], source)
    >>> unpack_quoting(packed, source)
    ({'rank': 1}, ['Water boils at 100 degrees Celsius at the level of the sea.'])
    """
    quoted: list[tuple[int, int] | str] = []
    end, missing = 0, 0
    for text in texts:
        wanted = text.encode("utf-8", "replace")
        start = _place(wanted, source, end)
        if start < 0:
            quoted.append(wanted.decode())
            missing += len(wanted)
        else:
            quoted.append((start, len(wanted)))
            end = start + len(wanted)
    plain = to_json([value, quoted]).encode()
    if missing > _FEW:
        return _COMPARED + pack(plain, like=source)
    return _QUOTING + pack(plain)


def unpack_quoting(data: bytes, source: bytes) -> tuple[Any, list[str]]:
    """What was packed, with the same `source`. Raises ZstdError with another, or ValueError."""
    kind, rest = data[:1], data[1:]
    value, quoted = json.loads(unpack(rest, like=source) if kind == _COMPARED else unpack(rest))
    return value, [
        one if isinstance(one, str) else source[one[0] : one[0] + one[1]].decode("utf-8", "replace")
        for one in quoted
    ]


def _place(wanted: bytes, source: bytes, after: int) -> int:
    """Where `wanted` stands in `source`, looked for behind `after` first; negative where it does not, or is short.

    Its beginning is looked for, which is quicker, before the whole.
    """
    if len(wanted) < _SHORTEST_QUOTED:
        return -1
    start = source.find(wanted[:_SHORTEST_QUOTED], after)
    if start >= 0 and source.startswith(wanted, start):
        return start
    return source.find(wanted)


def unpack(data: bytes, like: bytes = b"") -> bytes:
    """What was packed, with the same `like`. Raises ZstdError with another."""
    unpacked: bytes = zstd().decompress(data, _prefix(like))
    return unpacked


def unpacked_size(head: bytes) -> int:
    """How many bytes were packed, of the first `FRAME_HEAD` bytes of what became of them.

    >>> unpacked_size(pack(b"Water boils." * 10_000)[:FRAME_HEAD])
    120000
    """
    return int(zstd().get_frame_info(head).decompressed_size)


@cache
def _packer() -> Any:
    """One for all: setting one up costs half as much as compressing a trace; it locks itself."""
    return zstd().ZstdCompressor(_LEVEL)


def _prefix(source: bytes) -> Any:
    return zstd().ZstdDict(source, is_raw=True).as_prefix if len(source) >= _SHORTEST_PREFIX else None
