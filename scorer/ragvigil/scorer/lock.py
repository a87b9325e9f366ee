"""One writer: a lock beside a file or folder, given back by the kernel when its holder dies."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ragvigil.scorer.errors import StoreError

_PATIENCE_SECONDS = 5.0
"""A predecessor that is just ending is waited for."""


@contextmanager
def exclusive(path: Path, *, patience: float = _PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the lock ``PATH.lock``; raises StoreError when another process holds it for `patience` seconds."""
    place = path.with_name(path.name + ".lock")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        file = place.open("w")
    except OSError as error:
        raise StoreError(f"{place}: {error.strerror}") from error
    with file:
        deadline = time.monotonic() + patience
        while not _take(file.fileno()):
            if time.monotonic() > deadline:
                raise StoreError(
                    f"{path}: another scorer is using it; stop that one, or name another --store"
                )
            time.sleep(0.05)
        yield


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
