"""One writer: a file lock that the operating system gives back when its holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

from ragvigil.scorer.errors import StoreError, StoreNotNowError
from ragvigil.scorer.unusable import passes

PATIENCE_SECONDS = 5.0
"""What whoever starts waits for one that is ending: it finishes what it began, and lets go."""


class Lock:
    """Exclusive use of `what`, from creation to `close`.

    Raises StoreError with `remedy` when another process still holds it after `patience` seconds: a predecessor
    that is just ending is worth waiting for.
    """

    def __init__(self, path: Path, *, what: str, remedy: str, patience: float = 0.0) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+", encoding="ascii")
        except OSError as error:
            kind = StoreNotNowError if passes(error) else StoreError
            raise kind(f"{what}: {path}: {error.strerror}; {remedy}") from error
        deadline = time.monotonic() + patience
        while not take(self._file):
            if time.monotonic() >= deadline:
                self._file.seek(0)
                owner = self._file.read().strip() or "unknown"
                self._file.close()
                raise StoreNotNowError(f"{what} is in use by process {owner}; stop it, or {remedy}")
            time.sleep(0.05)
        with suppress(OSError):  # on a full disk nobody reads who holds it; it is held all the same
            os.ftruncate(self._file.fileno(), 0)
            os.write(self._file.fileno(), str(os.getpid()).encode())

    def close(self) -> None:
        """Let the next one in."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def take(file: IO[str] | IO[bytes]) -> bool:
    """Whether the open file is this process's alone from here on, until it is closed."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
