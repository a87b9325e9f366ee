"""The reading side of the inbox, for the score process."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.errors import DamagedSegmentError, StoreError
from ragvigil.scorer.inbox.rows import InboxRow, Position
from ragvigil.scorer.inbox.segments import (
    connect,
    damaged,
    is_damage,
    last_number,
    remove,
    segments,
    set_aside,
    sql,
)

logger = logging.getLogger(__name__)

MOST_BYTES_A_READ = 32 * 2**20
"""A read ends once it has so many bytes of payload, though more may wait."""


class InboxReader:
    """Reads committed rows in order and deletes what is done. Used by one thread at a time, never writes.

    A damaged segment is told in the log, moved aside as ``0001.db.damaged`` where `sqlite3 FILE .recover` may
    save what is left of it, and the next one is read; `damaged` counts them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path: Path | None = None
        self._connection: sqlite3.Connection | None = None

    @property
    def damaged(self) -> int:
        """Segments that were set aside and are still there."""
        return len(damaged(self._folder))

    def read(
        self, after: Position | None = None, limit: int = 200, *, max_bytes: int = MOST_BYTES_A_READ
    ) -> list[InboxRow]:
        """The next rows after `after` (None: from the oldest), in order; [] when there is nothing new.

        Stops at `limit` rows or once `max_bytes` of payload are reached. Raises StoreError when a file cannot
        be read for now, DamagedSegmentError when one never can be and cannot be moved aside either.
        """
        existing = segments(self._folder)
        start = self._resume(after, existing)
        rows: list[InboxRow] = []
        size = 0
        for number, path in existing:
            if number < start.segment:
                continue
            try:
                for row in self._rows(path, number, start.row if number == start.segment else 0):
                    rows.append(row)
                    size += len(row.payload)
                    if len(rows) >= limit or size >= max_bytes:
                        return rows
            except DamagedSegmentError as damage:
                self._set_aside(path, damage)
        return rows

    def discard(self, before: Position) -> int:
        """The number of segments deleted: those that hold only rows before `before` and are finished.

        A segment is finished when there is a newer one. The newest always stays: numbers continue from it.
        To say "everything up to and including this row", pass ``Position(segment, row + 1)``.
        """
        finished = segments(self._folder)[:-1]
        done = [
            path
            for number, path in finished
            if number < before.segment or (number == before.segment and self._ended(path, before.row))
        ]
        for path in done:
            if path == self._path:
                self.close()
            remove(path)
        return len(done)

    def backlog(self, after: Position | None = None) -> tuple[int, int]:
        """Rows and bytes that wait after `after`: rows by the last id of each segment, bytes by file size.

        Raises StoreError when a segment cannot be read.
        """
        existing = segments(self._folder)
        start = self._resume(after, existing)
        waiting = [(number, path) for number, path in existing if number >= start.segment]
        rows = sum(
            self._last(path) - (start.row if number == start.segment else 0) for number, path in waiting
        )
        return rows, sum(_size(path) for _, path in waiting)

    def items(self, after: Position | None = None) -> int:
        """Spans and log records that wait after `after`. Raises StoreError when a segment cannot be read."""
        existing = segments(self._folder)
        start = self._resume(after, existing)
        return sum(
            self._number("items", path, start.row if number == start.segment else 0)
            for number, path in existing
            if number >= start.segment
        )

    def last(self) -> Position | None:
        """Where the inbox ends; None when there is none."""
        existing = segments(self._folder)
        return Position(existing[-1][0], self._last(existing[-1][1])) if existing else None

    def oldest_received_at(self) -> int | None:
        """When the oldest row that is still on disk arrived, read or not, Unix nanoseconds; None when none is.

        Raises StoreError when a segment cannot be read.
        """
        for _, path in segments(self._folder):
            try:
                with closing(connect(path, "ro")) as connection:
                    row = connection.execute(sql("first")).fetchone()
            except sqlite3.Error as error:
                raise _unreadable(path, error) from None
            if row is not None:
                return int(row[0])
        return None

    def close(self) -> None:
        """Let go of the open segment."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._path = None

    def _resume(self, after: Position | None, existing: list[tuple[int, Path]]) -> Position:
        """Where to go on: the oldest row, too, when the folder was emptied and numbered anew."""
        if after is None or not existing:
            return Position(0, 0)
        if after.segment > last_number(self._folder):
            logger.warning("inbox %s was emptied by somebody; reading it from its start", self._folder)
            return Position(0, 0)
        return after

    def _rows(self, path: Path, number: int, after: int) -> Iterator[InboxRow]:
        try:
            with closing(self._open(path).execute(sql("after"), (after,))) as cursor:
                for row, kind, trace_id, payload, received_at, items in cursor:
                    if not (
                        isinstance(trace_id, bytes) and isinstance(payload, bytes) and isinstance(items, int)
                    ):
                        raise DamagedSegmentError(path, f"row {row} does not hold what a row must")
                    yield InboxRow(Position(number, row), kind, trace_id.hex(), payload, received_at, items)
        except sqlite3.Error as error:
            raise _unreadable(path, error) from None

    def _set_aside(self, path: Path, damage: DamagedSegmentError) -> None:
        self.close()
        try:
            aside = set_aside(path)
        except OSError:
            raise damage from None
        logger.error("%s: moved to %s, reading goes on; what it still held is not scored", damage, aside)

    def _ended(self, path: Path, row: int) -> bool:
        """Whether its last row is before `row`; not so when nobody can tell."""
        try:
            return self._last(path) < row
        except DamagedSegmentError:
            return False

    def _last(self, path: Path) -> int:
        return self._number("last", path)

    def _number(self, query: str, path: Path, *values: int) -> int:
        try:
            with closing(connect(path, "ro")) as connection:
                number: int = connection.execute(sql(query), values).fetchone()[0]
        except sqlite3.Error as error:
            raise _unreadable(path, error) from None
        return number

    def _open(self, path: Path) -> sqlite3.Connection:
        """The open connection is kept while the same segment is read."""
        if self._connection is None or path != self._path:
            self.close()
            self._connection, self._path = connect(path, "ro"), path
        return self._connection


def _size(path: Path) -> int:
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)


def _unreadable(path: Path, error: sqlite3.Error) -> StoreError:
    if is_damage(error):
        return DamagedSegmentError(path, error)
    return StoreError(f"inbox segment {path} cannot be read: {error}")
