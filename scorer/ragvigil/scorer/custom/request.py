"""What is asked of the process of custom functions."""

from __future__ import annotations

import pickle
import struct

from ragvigil.scorer.trace import RagTrace

HEAD = struct.Struct(">QQ")
"""Before each pickled record: which functions are asked, one bit for each, and the record's size in bytes."""
MOST = 64
"""Functions, at most."""


def packed(mask: int, record: RagTrace) -> bytes:
    """The request for the functions whose bits are set in `mask`.

    >>> HEAD.unpack(packed(5, RagTrace("0" * 32, "1" * 16, "shop", 0))[: HEAD.size])[0]
    5
    """
    body = pickle.dumps(record, protocol=pickle.HIGHEST_PROTOCOL)
    return HEAD.pack(mask, len(body)) + body
