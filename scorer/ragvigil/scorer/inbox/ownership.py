"""Which store an inbox is read into: a token that both keep.

A position of one inbox says nothing of another. A store that is restored or moved without its inbox meets a new one
that numbers its segments from 1 again, and would pass over the first rows of it, which were acknowledged.
"""

from __future__ import annotations

from pathlib import Path

_FILE = "store"


def owner(folder: Path) -> str | None:
    """The token of the store that this inbox is read into; None where none is told."""
    try:
        return (folder / _FILE).read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError):
        return None


def own(folder: Path, token: str) -> None:
    """Note it, in one step. Raises OSError."""
    draft = folder / f"{_FILE}.new"
    draft.write_text(token, encoding="utf-8")
    draft.replace(folder / _FILE)
