"""Why a database cannot be used, and whether another try may find it otherwise."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from pathlib import Path

from ragvigil.scorer.errors import StoreError, StoreNotNowError, located, why

_PASSING = frozenset(
    [
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
    ]
)
"""What another start may not meet again."""
_NO_ROOM = frozenset([sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR])
_FULL = frozenset([errno.ENOSPC, errno.EDQUOT, errno.EIO])


def unusable(path: Path, error: sqlite3.Error | OSError) -> StoreError:
    """Why a database cannot be used; a StoreNotNowError where another try may find it otherwise.

    >>> unusable(Path("/a.db"), OSError(errno.ENOSPC, "No space left on device"))
    StoreNotNowError('/a.db: [Errno 28] No space left on device; its disk is full or fails: make room there')
    """
    refusal = refused(path) if _cannot_open(error) else None
    told = f"{error} ({why(refusal)})" if refusal else str(error)
    kind = StoreNotNowError if passes(refusal or error) else StoreError
    return kind(f"{located(path)}: {told}{remedy(refusal or error)}")


def remedy(error: Exception) -> str:
    """What to do where the disk is at fault, to be said behind the error; nothing where it is not.

    >>> remedy(OSError(errno.ENOSPC, "No space left on device")), remedy(PermissionError(errno.EACCES, "denied"))
    ('; its disk is full or fails: make room there', '')
    """
    full = error.errno in _FULL if isinstance(error, OSError) else code_of(error) in _NO_ROOM
    return "; its disk is full or fails: make room there" if full else ""


def passes(error: sqlite3.Error | OSError) -> bool:
    """Whether another try may find it otherwise.

    >>> passes(OSError(errno.ENOSPC, "No space left on device")), passes(PermissionError(errno.EACCES, "denied"))
    (True, False)
    """
    if isinstance(error, OSError):
        return error.errno in _FULL
    return code_of(error) in _PASSING


def code_of(error: Exception) -> int:
    """What SQLite calls the error, without what the rest of its code says more of the same; 0 of any other.

    >>> code_of(OSError()), code_of(sqlite3.ProgrammingError("a closed database"))
    (0, 0)
    """
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _cannot_open(error: Exception) -> bool:
    """Whether SQLite says that it cannot open a file, which it says of one that it cannot make, too."""
    return code_of(error) == sqlite3.SQLITE_CANTOPEN


def refused(path: Path) -> OSError | None:
    """What the system says to a file that is made beside `path`, which SQLite keeps to itself; None: it makes one.

    >>> refused(Path("/absent/ragvigil.db"))
    FileNotFoundError(2, 'No such file or directory')
    """
    try:
        descriptor, name = tempfile.mkstemp(prefix=".ragvigil-", dir=path.absolute().parent)
    except OSError as error:
        return error
    os.close(descriptor)
    Path(name).unlink()
    return None
