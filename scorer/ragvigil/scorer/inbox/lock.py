"""One receiver per inbox folder, held by the operating system and so released by any kind of death."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from ragvigil.scorer.errors import StoreError


class FolderLock:
    """Exclusive use of a folder, from creation to `close`."""

    def __init__(self, folder: Path) -> None:
        path = folder / "lock"
        self._file = path.open("a+", encoding="ascii")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.seek(0)
            owner = self._file.read().strip() or "unknown"
            self._file.close()
            raise StoreError(
                f"inbox {folder} is in use by process {owner}; stop it, or set inbox.path to another folder"
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def close(self) -> None:
        """Let the next one in."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
