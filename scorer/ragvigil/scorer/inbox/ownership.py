"""The token of an inbox, by which a store knows the one that it has read.

A position in one inbox says nothing of another: a store that is restored or moved without its inbox, or pointed at
that of another, would pass over rows that were acknowledged.
"""

from __future__ import annotations

from pathlib import Path

from ragvigil.scorer.inbox.notes import note, noted

_FILE = "store"


def token_of(folder: Path) -> str | None:
    """The token of this inbox; None where it has none yet."""
    return noted(folder, _FILE)


def mark(folder: Path, token: str) -> None:
    """Give it that token, in one step that a loss of power does not undo. Raises OSError."""
    note(folder, _FILE, token)
