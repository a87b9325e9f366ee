"""The segment now written: durable appends, a new file by size and age, a fresh start after a failure."""

from __future__ import annotations

import logging
import math
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from ragvigil.scorer.inbox.checkpoints import Checkpointer
from ragvigil.scorer.inbox.rows import Arrival
from ragvigil.scorer.inbox.segments import (
    ROLL,
    create,
    is_damage,
    next_number,
    open_for_writing,
    remove,
    segments,
    sql,
)

logger = logging.getLogger(__name__)

_RETRY_SECONDS = 0.1
"""Pause before a segment that could not be made is tried again."""
_LOOK_SECONDS = 1.0


@dataclass(slots=True)
class _Segment:
    path: Path
    connection: sqlite3.Connection
    size: int
    since: float
    """Moment of its first row, on the monotonic clock."""


class SegmentLog:
    """Appends to the newest segment of a folder; every method is called from one thread at a time."""

    def __init__(self, folder: Path, *, segment_bytes: int, segment_seconds: float) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._segment_seconds = segment_seconds
        self._checkpointer = Checkpointer()
        self._segment: _Segment | None = None
        self._failed_at = -math.inf
        self._damaged = False
        self._left: Path | None = None
        """The segment that was let go of after a failure."""
        try:
            self._segment = self._next()
        except BaseException:
            self._checkpointer.close()
            raise

    def append(self, rows: Sequence[Arrival], size: int) -> None:
        """Make the rows durable. Raises OSError or sqlite3.Error, and the next call starts afresh."""
        try:
            self._append(rows, size)
        except BaseException as error:
            self._failed_at = time.monotonic()
            self._damaged = isinstance(error, sqlite3.Error) and is_damage(error)
            self._let_go()
            raise

    def seconds_to_look(self) -> float:
        """Time until `roll_if_due` may have something to do; it also looks for requests."""
        segment = self._segment
        if segment is not None and not segment.size:
            return _LOOK_SECONDS
        since = self._failed_at if segment is None else segment.since
        left = since + self._segment_seconds - time.monotonic()
        return min(max(_RETRY_SECONDS, left), _LOOK_SECONDS)

    def roll_if_due(self, *, full: bool) -> bool:
        """End a segment by size, by age so that the reader can delete what it holds in time, and on request.

        In a full inbox also one of a second: its log may be what fills it. Whether it was tried.
        """
        due = self._due(self._segment, full=full) or self._asked()
        if due:
            self._roll()
        return due

    def _asked(self) -> bool:
        """Whether somebody left the file that asks for a new segment; it then goes."""
        try:
            (self._folder / ROLL).unlink()
        except OSError:
            return False
        return self._segment is not None and bool(self._segment.size)

    def _roll(self) -> None:
        segment = self._segment
        try:
            self._segment = self._next()
        except (OSError, sqlite3.Error) as error:
            logger.info("inbox %s: no new segment yet: %s", self._folder, error)
        else:
            if segment is not None:
                segment.connection.close()

    def close(self) -> None:
        """Finish the segment; an empty one after it lets a reader delete it without waiting for the next writer."""
        if self._segment is not None and self._segment.size:
            self._roll()
        self._let_go()
        self._checkpointer.close()

    def _due(self, segment: _Segment | None, *, full: bool) -> bool:
        """Whether it is time for another; after a failure, too, for the failed one may hold rows."""
        now = time.monotonic()
        if segment is None:
            return now - self._failed_at >= self._segment_seconds
        longest = min(_LOOK_SECONDS, self._segment_seconds) if full else self._segment_seconds
        ripe = segment.size >= self._segment_bytes or now - segment.since >= longest
        return bool(segment.size) and ripe

    def _append(self, rows: Sequence[Arrival], size: int) -> None:
        segment = self._segment = self._segment or self._again()
        segment.connection.executemany(sql("append"), rows)
        segment.connection.commit()
        if not segment.path.exists():
            raise FileNotFoundError(f"{segment.path} was deleted while in use")
        segment.since = segment.since if segment.size else time.monotonic()
        segment.size += size
        self._checkpointer.committed(size)

    def _again(self) -> _Segment:
        """After a failure: the same segment if it can still be used, else the next.

        Never an older one, where that one is gone: the reader may be past what would be appended to it.
        """
        existing = segments(self._folder)
        if existing and existing[-1][1] == self._left and not self._damaged:
            try:
                return self._open(existing[-1][1])
            except sqlite3.Error as error:
                logger.info("inbox segment %s cannot be used any more: %s", existing[-1][1], error)
        return self._next()

    def _next(self) -> _Segment:
        """A new one; it goes again where it cannot be used, for a reader would take the one before for finished."""
        path = create(self._folder, next_number(self._folder, time.time_ns() // 10**6))
        try:
            segment = self._open(path)
        except BaseException:
            with suppress(OSError):
                remove(path)
            raise
        self._damaged = False
        return segment

    def _open(self, path: Path) -> _Segment:
        connection = open_for_writing(path)
        try:
            with closing(connection.execute(sql("last"))) as cursor:
                rows: int = cursor.fetchone()[0]
            self._checkpointer.watch(open_for_writing(path))
        except BaseException:
            connection.close()
            raise
        return _Segment(path, connection, path.stat().st_size if rows else 0, time.monotonic())

    def _let_go(self) -> None:
        if self._segment is not None:
            self._segment.connection.close()
            self._left, self._segment = self._segment.path, None
