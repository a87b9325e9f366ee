"""Whether a folder can be written: looked at where nothing is sent that would show it."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

_PROBE = "probe.new"


def try_to_write(folder: Path, size: int) -> None:
    """Write so many bytes durably and remove them. Raises OSError where that cannot be done.

    Room that the system knows to be missing is not tried for: others on a full disk need what is left of it.
    """
    if shutil.disk_usage(folder).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(folder))
    path = folder / _PROBE
    try:
        with path.open("wb") as file:
            file.write(bytes(size))
            file.flush()
            os.fsync(file.fileno())
    finally:
        with suppress(OSError):
            path.unlink()
