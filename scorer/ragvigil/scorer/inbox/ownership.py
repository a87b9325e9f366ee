"""The token of an inbox, by which a store knows the one that it has read.

A position in one inbox says nothing of another: a store that is restored or moved without its inbox, or pointed at
that of another, would pass over rows that were acknowledged.
"""

from __future__ import annotations

import os
from pathlib import Path

_FILE = "store"


def token_of(folder: Path) -> str | None:
    """The token of this inbox; None where it has none yet."""
    try:
        return (folder / _FILE).read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError):
        return None


def mark(folder: Path, token: str) -> None:
    """Give it that token, in one step that a loss of power does not undo. Raises OSError."""
    draft = folder / f"{_FILE}.new"
    with draft.open("w", encoding="utf-8") as file:
        file.write(token)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / _FILE)
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
