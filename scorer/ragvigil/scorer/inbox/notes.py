"""What an inbox keeps of itself beside its segments: one short text in a file of its own."""

from __future__ import annotations

import os
from pathlib import Path


def noted(folder: Path, name: str) -> str | None:
    """The text under that name; None where there is none, or none that can be read."""
    try:
        return (folder / name).read_text(encoding="utf-8").strip() or None
    except (OSError, ValueError):
        return None


def note(folder: Path, name: str, text: str) -> None:
    """Instead of what stood there, in one step that a loss of power does not undo. Raises OSError."""
    draft = folder / f"{name}.new"
    with draft.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / name)
    directory = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
