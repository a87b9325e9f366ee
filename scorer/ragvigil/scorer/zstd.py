"""The zstd module: the standard library's from Python 3.14 on, its backport before; loaded when it is needed."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType


def zstd() -> ModuleType:
    """The module, with the names of `compression.zstd`.

    >>> zstd().decompress(zstd().compress(b"Snow."))
    b'Snow.'
    """
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
