"""The segment files of an inbox folder: their names, how they are made, opened and removed."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path

from ragvigil.scorer.inbox.notes import note, noted

_FILES = ("-wal", "-shm", "")
"""A segment's files, in the order in which they go: what a crash leaves can still be found and removed."""

_ASIDE = ".damaged"
_DRAFT = "segment.new"
_HIGHEST = "highest"
"""The file with the highest number that a segment of this folder ever had."""
ROLL = "roll"
"""The file whose presence asks the writer to end its segment, so that the reader can delete it."""

_NEVER_READABLE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR})
"""Primary result codes that no second attempt mends; SQLITE_ERROR, as the statements are ours: no such table."""


@cache
def sql(name: str) -> str:
    """The statement kept in ``sql/<name>.sql``."""
    return files("ragvigil.scorer.inbox").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8").strip()


def segments(folder: Path) -> list[tuple[int, Path]]:
    """Number and path of every segment, oldest first."""
    found = [(int(path.stem), path) for path in folder.glob("*.db") if path.stem.isdecimal()]
    return sorted(found)


def last_number(folder: Path) -> int:
    """The highest number of a segment that is still there, damaged ones too; 0 in an empty folder."""
    numbers = [number for number, _ in segments(folder)]
    numbers += [int(path.name.partition(".")[0]) for path in damaged(folder)]
    return max(numbers, default=0)


def next_number(folder: Path, now: int) -> int:
    """The number of a segment that begins at `now`, Unix milliseconds: that moment, and above all that ever were there.

    A number that came back, or a lower one, would make a reader that is past it skip rows: also where somebody deleted
    segments of which a store still has a position, and a clock was set back.
    """
    highest = noted(folder, _HIGHEST) or ""
    return max(last_number(folder) + 1, int(highest) + 1 if highest.isdecimal() else 0, now)


def damaged(folder: Path) -> list[Path]:
    """The segments that were set aside."""
    return [path for path in folder.glob(f"*.db{_ASIDE}") if path.name.partition(".")[0].isdecimal()]


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file itself is at fault, not a lock, a full disk or a lack of file handles.

    An OperationalError without a code comes from Python's module: text that is not UTF-8.

    >>> is_damage(sqlite3.ProgrammingError("a closed database"))
    False
    """
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return isinstance(error, sqlite3.OperationalError)
    return code & 0xFF in _NEVER_READABLE


def set_aside(path: Path) -> Path:
    """The new path of a damaged segment, moved with its side files to where nobody reads it by itself.

    The segment goes first: its writer, if it has one, then takes another before its next answer.
    """
    aside = path.with_name(path.name + _ASIDE)
    for suffix in reversed(_FILES):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(aside.with_name(aside.name + suffix))
    return aside


def create(folder: Path, number: int) -> Path:
    """The path of a new, empty segment; it gets its name only when its table is there, and its number is noted.

    So neither a crash in between nor a full disk leaves a segment that cannot be read. Raises OSError or sqlite3.Error.
    """
    path, draft = folder / f"{number:04d}.db", folder / _DRAFT
    note(folder, _HIGHEST, str(number))
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


def most_bytes(folder: Path) -> int:
    """What the folder holds at most once every write-ahead log has been copied into its table.

    Logs are looked at first: what a checkpoint moves meanwhile counts twice and not at all.
    """
    logs = 0
    for path in folder.glob("*-wal"):
        with suppress(FileNotFoundError):
            logs += path.stat().st_size
    return logs + bytes_on_disk(folder)


def request_roll(folder: Path) -> None:
    """Ask the writer to end its segment, so that the reader can delete it; it looks once a second."""
    (folder / ROLL).touch(mode=0o600)


def remove(path: Path) -> None:
    """Delete a segment and its side files; those that are gone already do not matter."""
    for suffix in _FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
