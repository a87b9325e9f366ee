"""The segment files of an inbox folder: their names, how they are made, opened and removed."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path

_FILES = ("-wal", "-shm", "")
"""A segment's files, in the order in which they go: what a crash leaves can still be found and removed."""


@cache
def sql(name: str) -> str:
    """The statement kept in ``sql/<name>.sql``."""
    return files("ragvigil.scorer.inbox").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8").strip()


def segments(folder: Path) -> list[tuple[int, Path]]:
    """Number and path of every segment, oldest first."""
    found = [(int(path.stem), path) for path in folder.glob("*.db") if path.stem.isdecimal()]
    return sorted(found)


def create(folder: Path, number: int) -> Path:
    """The path of a new, empty segment; it gets its name only when its table is there.

    So neither a crash in between nor a full disk leaves a segment that cannot be read.
    """
    path = folder / f"{number:04d}.db"
    draft = path.with_suffix(".new")
    remove(draft)
    with closing(connect(draft, "rwc")) as connection:
        connection.executescript(sql("open"))
        connection.executescript(sql("create"))
    draft.rename(path)
    return path


def open_for_writing(path: Path) -> sqlite3.Connection:
    """A connection that commits durably; usable from any one thread at a time."""
    connection = connect(path, "rw")
    try:
        connection.executescript(sql("open"))
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A connection in SQLite's URI mode ``ro``, ``rw`` or ``rwc``."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, check_same_thread=False)


def bytes_on_disk(folder: Path) -> int:
    """Size of everything in the folder, side files included; 0 when it is gone."""
    total = 0
    for path in folder.glob("*"):
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def remove(path: Path) -> None:
    """Delete a segment and its side files; those that are gone already do not matter."""
    for suffix in _FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
