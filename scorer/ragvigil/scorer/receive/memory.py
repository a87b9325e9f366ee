"""Memory that is free but still ours, given back."""

from __future__ import annotations

import ctypes
import gc
from typing import Any

_M_MMAP_THRESHOLD = -3
"""As malloc.h of glibc names it."""
_LARGE_BYTES = 2**20


def give_back() -> bool:
    """Whether memory went back to the system: glibc keeps what imports freed, 3 of 62 MB after a start.

    Does nothing where the C library has no ``malloc_trim``, such as musl's and macOS'.
    """
    trim = _of_the_c_library("malloc_trim")
    if trim is None:
        return False
    gc.collect()
    return bool(trim(0))


def keep_large_apart() -> bool:
    """Whether large blocks are from now on the system's as soon as they are freed.

    By itself glibc takes the first large block that is freed as a sign that more will come, and from then on keeps
    up to 32 MB each between small ones: hostile requests, each decompressed up to its limit, left 210 MB behind
    that nobody used, 67 MB with this. Does nothing where the C library has no ``mallopt``.
    """
    option = _of_the_c_library("mallopt")
    return option is not None and bool(option(_M_MMAP_THRESHOLD, _LARGE_BYTES))


def _of_the_c_library(name: str) -> Any:
    try:
        return getattr(ctypes.CDLL(None), name)
    except (AttributeError, OSError, TypeError):
        return None
