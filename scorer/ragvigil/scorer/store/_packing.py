"""Compressed columns: what repeats the text of a trace's spans costs next to nothing beside them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any

from ragvigil.scorer.store._json import to_json

_WINDOW = 32 * 1024
"""As far as zlib looks back."""
_QUICK = 1
_PATIENT = 6
_SHORTEST_QUOTED = 24
_FEW = 1024
"""Bytes that do not stand in the source, up to which the small compressor is enough."""
_SMALL_WINDOW, _SMALL_MEMORY = 12, 5
"""Of a compressor that costs little to set up: 4 KiB of window."""
_QUOTING, _COMPARED = b"q", b"c"
"""First byte: compressed alone, or with the end of the source as its dictionary."""
"""Level 1 takes the first short match; level 6 finds the whole passage, and is done as soon (57 against 56 µs)."""


def pack(data: bytes, like: bytes = b"") -> bytes:
    """The data, compressed; what it has in common with the end of `like` is not stored again.

    >>> text = b"Water boils at 100 degrees Celsius at the level of the sea."
    >>> len(pack(text)) > 3 * len(pack(text, like=text)), unpack(pack(text, like=text), like=text) == text
    (True, True)
    """
    packer = zlib.compressobj(_PATIENT, zdict=like[-_WINDOW:]) if like else zlib.compressobj(_QUICK)
    return packer.compress(data) + packer.flush()


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
    packer = zlib.compressobj(_QUICK, zlib.DEFLATED, _SMALL_WINDOW, _SMALL_MEMORY)
    return _QUOTING + packer.compress(plain) + packer.flush()


def unpack_quoting(data: bytes, source: bytes) -> tuple[Any, list[str]]:
    """What was packed, with the same `source`. Raises zlib.error with another, or ValueError."""
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
    """What was packed, with the same `like`. Raises zlib.error with another."""
    unpacker = zlib.decompressobj(zdict=like[-_WINDOW:]) if like else zlib.decompressobj()
    return unpacker.decompress(data)
