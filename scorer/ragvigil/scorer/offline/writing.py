"""A file that a command was asked to write."""

from __future__ import annotations

from pathlib import Path

from ragvigil.scorer.errors import InputError


def write(path: Path, text: str) -> None:
    """Write it. InputError names the file and why it cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be written") from None
