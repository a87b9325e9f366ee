"""The writing side of the inbox: group commit on one thread, an answer only after the commit."""

from __future__ import annotations

import logging
import math
import sqlite3
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

from ragvigil.scorer.errors import InboxFull, InboxTooSmall, StoreError
from ragvigil.scorer.inbox.room import Room
from ragvigil.scorer.inbox.rows import Arrival
from ragvigil.scorer.inbox.segment_log import SegmentLog
from ragvigil.scorer.inbox.segments import bytes_on_disk
from ragvigil.scorer.inbox.writable import try_to_write
from ragvigil.scorer.lock import PATIENCE_SECONDS, Lock
from ragvigil.scorer.unusable import remedy

logger = logging.getLogger(__name__)

_QUIET_SECONDS = 300.0
"""On a full disk small commits succeed between large ones: so long after a failure that was told the next are not."""

_Batch = list[tuple[Sequence[Arrival], Future[None]]]


class InboxWriter:
    """Appends rows durably. One per folder; `append` may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int = 2**30,
        segment_bytes: int = 64 * 2**20,
        segment_seconds: float = 300.0,
        commit_seconds: float = 0.005,
        commit_bytes: int = 2**20,
    ) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._commit_seconds = commit_seconds
        self._commit_bytes = commit_bytes
        self._wake = threading.Condition()
        self._queue: _Batch = []
        self._queued = self._queued_rows = 0
        self._committed_at = -math.inf
        self._full = False
        self._stopping = False
        self._failing: str | None = None
        self._telling, self._quiet_until = True, 0.0
        self._lock = _enter(folder)
        try:
            self._log = SegmentLog(folder, segment_bytes=segment_bytes, segment_seconds=segment_seconds)
        except (OSError, sqlite3.Error) as error:
            self._lock.close()
            raise StoreError(f"inbox {folder} cannot be written: {error}{remedy(error)}") from None
        self._room = Room(folder, max_bytes)
        self._thread = threading.Thread(target=self._run, name="inbox-writer", daemon=True)
        self._thread.start()

    @property
    def failing(self) -> str | None:
        """Why the last commit failed; None when it succeeded, and once the folder can be written again."""
        return self._failing

    @property
    def queued_bytes(self) -> int:
        """Bytes that wait for their commit."""
        return self._queued

    @property
    def bytes_on_disk(self) -> int:
        """Size of the folder as of now."""
        return bytes_on_disk(self._folder)

    def append(self, rows: Sequence[Arrival]) -> Future[None]:
        """A future that resolves once the rows are durable; StoreError when they could not be made so.

        Raises InboxFull at once when the folder might outgrow `max_bytes` otherwise, and InboxTooSmall when it
        might even if it were empty.
        """
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # a sender that hangs up does not undo the commit
        size = sum(len(row.payload) for row in rows)
        with self._wake:
            if self._stopping:
                raise StoreError(f"inbox {self._folder} is closed")
            if not self._room.has(self._queued_rows + len(rows), self._queued + size):
                if (needed := self._room.needed(len(rows), size)) > self._max_bytes:
                    raise InboxTooSmall(needed, self._max_bytes)
                self._full = True
                raise InboxFull(self._folder, self._max_bytes)
            first = not self._queue
            before, self._queued = self._queued, self._queued + size
            self._queued_rows += len(rows)
            self._queue.append((rows, future))
            if first or before < self._commit_bytes <= self._queued:
                self._wake.notify()
        return future

    def close(self) -> None:
        """Commit what is queued, answer it, and let go of the folder."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join()
        self._log.close()
        self._lock.close()

    def _run(self) -> None:
        while True:
            batch = self._gather()
            if batch:
                self._commit(batch)
            elif self._stopping:
                return
            elif self._failing:
                self._look()
            if self._log.roll_if_due(full=self._full):
                with self._wake:
                    self._room.began()
                    self._full = False

    def _gather(self) -> _Batch:
        """What arrived since the last commit; [] when woken by time or by the end.

        Commits are at least `commit_seconds` apart unless `commit_bytes` wait, so a lone request is committed
        at once and a crowd shares one commit.
        """
        with self._wake:
            if not self._queue and not self._stopping:
                self._wake.wait(self._log.seconds_to_look())
            while self._queue and self._queued < self._commit_bytes and not self._stopping:
                left = self._committed_at + self._commit_seconds - time.monotonic()
                if left <= 0:
                    break
                self._wake.wait(left)
            batch, self._queue = self._queue, []
            return batch

    def _commit(self, batch: _Batch) -> None:
        rows = [row for arrived, _ in batch for row in arrived]
        size = sum(len(row.payload) for row in rows)
        failure: StoreError | None = None
        try:
            self._log.append(rows, size)
        except Exception as error:
            failure = StoreError(f"inbox {self._folder} cannot be written: {error}{remedy(error)}")
        with self._wake:
            self._queued -= size
            self._queued_rows -= len(rows)
            self._room.took(len(rows), size)
            if failure:
                self._room.began()
        self._committed_at = time.monotonic()
        self._remember(failure)
        for _, future in batch:
            if failure:
                future.set_exception(failure)
            else:
                future.set_result(None)

    def _look(self) -> None:
        """After a failure, once a second: whoever took the receiver for failing sends nothing that would show."""
        try:
            try_to_write(self._folder, self._commit_bytes)
        except OSError as error:
            logger.info("inbox %s: not yet: %s", self._folder, error)
        else:
            self._remember(None)

    def _remember(self, failure: StoreError | None) -> None:
        """One log line when commits begin to fail and one when they work again; few of what comes and goes."""
        if failure and not self._failing:
            now = time.monotonic()
            self._telling = now >= self._quiet_until
            if self._telling:
                self._quiet_until = now + _QUIET_SECONDS
            level = logging.ERROR if self._telling else logging.INFO
            logger.log(level, "%s; senders are told to come back", failure)
        elif self._failing and not failure:
            level = logging.WARNING if self._telling else logging.INFO
            logger.log(level, "inbox %s can be written again", self._folder)
        self._failing = str(failure) if failure else None


def _enter(folder: Path) -> Lock:
    """The folder made if needed, readable by its owner only (texts are not redacted yet), and locked."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Lock(
            folder / "lock",
            what=f"inbox {folder}",
            remedy="set inbox.path to another folder",
            patience=PATIENCE_SECONDS,  # a score process that outlived its receiver lets go of what is stored
        )
    except OSError as error:
        raise StoreError(
            f"inbox folder {folder} cannot be used: {error}; "
            "name a folder that can be written by inbox.path, or by store.url, beside which it lies by default"
        ) from None
