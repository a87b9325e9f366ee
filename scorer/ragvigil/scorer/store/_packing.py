"""Compressed columns: what repeats the text of a trace's spans costs next to nothing beside them."""

from __future__ import annotations

import zlib

_WINDOW = 32 * 1024
"""As far as zlib looks back."""
_QUICK = 1
_PATIENT = 6
"""Level 1 takes the first short match; level 6 finds the whole passage, and is done as soon (57 against 56 µs)."""


def pack(data: bytes, like: bytes = b"") -> bytes:
    """The data, compressed; what it has in common with the end of `like` is not stored again.

    >>> text = b"Water boils at 100 degrees Celsius at the level of the sea."
    >>> len(pack(text)) > 3 * len(pack(text, like=text)), unpack(pack(text, like=text), like=text) == text
    (True, True)
    """
    packer = zlib.compressobj(_PATIENT, zdict=like[-_WINDOW:]) if like else zlib.compressobj(_QUICK)
    return packer.compress(data) + packer.flush()


def unpack(data: bytes, like: bytes = b"") -> bytes:
    """What was packed, with the same `like`. Raises zlib.error with another."""
    unpacker = zlib.decompressobj(zdict=like[-_WINDOW:]) if like else zlib.decompressobj()
    return unpacker.decompress(data)
