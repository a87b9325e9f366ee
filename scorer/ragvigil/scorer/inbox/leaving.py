"""What is stored, redacted, goes from the inbox when nobody is left who would let go of it in time."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.inbox.reader import InboxReader
from ragvigil.scorer.inbox.rows import Position
from ragvigil.scorer.inbox.segments import connect, open_for_writing, segments, sql
from ragvigil.scorer.lock import Lock


def leave(folder: Path, *, done: Position | None, read: Position | None, kept: Collection[str]) -> None:
    """Delete the segments of which all is `done`, and empty the rows up to `read` of all traces but those `kept`.

    The rows stay, so that what was received is still counted. Does nothing while a receiver runs, whose reader will go
    on. Raises StoreError, OSError or sqlite3.Error where it could not; what is left is read again at the next start.
    """
    with Lock(folder / "lock", what=f"inbox {folder}", remedy="let the receiver end"):
        if done is not None:
            with closing(InboxReader(folder)) as reader:
                reader.discard(Position(done.segment, done.row + 1))
        for number, path in segments(folder):
            if read is not None and number <= read.segment:
                _empty(path, read.row if number == read.segment else 2**62, kept)


def _empty(path: Path, last: int, kept: Collection[str]) -> None:
    with closing(connect(path, "ro")) as connection:
        if connection.execute(sql("last")).fetchone()[0] == 0:
            return
    with closing(open_for_writing(path)) as connection:
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("CREATE TEMP TABLE kept (trace_id BLOB PRIMARY KEY) WITHOUT ROWID")
        connection.executemany("INSERT INTO kept VALUES (?)", [(bytes.fromhex(trace),) for trace in kept])
        with connection:
            connection.execute(sql("empty"), (last,))
        connection.execute(sql("retire")).fetchone()
