"""A file that a command was asked to write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ragvigil.scorer.errors import InputError


def write(path: Path, text: str) -> None:
    """Write it. InputError names the file and why it cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be written") from None


def refuse_what_is_read(out: Path | None, read: Iterable[Path | None]) -> None:
    """InputError where the file to be written is one that the command reads: what people wrote there would be gone."""
    if out is not None and out.is_file():
        for one in read:
            if one is not None and one.exists() and one.samefile(out):
                raise InputError(str(out), "is read here, and would be written over; name another file")
