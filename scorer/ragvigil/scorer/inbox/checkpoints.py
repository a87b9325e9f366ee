"""Checkpoints on a thread of their own, so that no commit pays for one (p99 65 to 90 ms when it does)."""

from __future__ import annotations

import logging
import sqlite3
import threading

from ragvigil.scorer.inbox.segments import sql

logger = logging.getLogger(__name__)

_EVERY_BYTES = 4 * 2**20
_EVERY_SECONDS = 1.0


class Checkpointer:
    """Moves what was committed from the write-ahead log into the segment, beside the writer."""

    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._current: sqlite3.Connection | None = None
        self._retired: list[sqlite3.Connection] = []
        self._pending = 0
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name="inbox-checkpoints", daemon=True)
        self._thread.start()

    def watch(self, connection: sqlite3.Connection) -> None:
        """Take over `connection` as the one to the segment now written; the one before is finished."""
        with self._wake:
            self._retire()
            self._current = connection

    def committed(self, size: int) -> None:
        """So many bytes more are in the log."""
        with self._wake:
            before, self._pending = self._pending, self._pending + size
            if before < _EVERY_BYTES <= self._pending:
                self._wake.notify()

    def close(self) -> None:
        """Finish every segment."""
        with self._wake:
            self._retire()
            self._stopping = True
            self._wake.notify()
        self._thread.join()

    def _retire(self) -> None:
        if self._current is not None:
            self._retired.append(self._current)
            self._current = None
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(
                    lambda: self._stopping or bool(self._retired) or self._pending >= _EVERY_BYTES,
                    timeout=_EVERY_SECONDS,
                )
                retired, self._retired = self._retired, []
                current = self._current if self._pending else None
                self._pending = 0
                stopping = self._stopping
            for connection in retired:
                _checkpoint(connection, "retire")
                connection.close()
            if current is not None:
                _checkpoint(current, "checkpoint")
            if stopping:
                return


def _checkpoint(connection: sqlite3.Connection, statement: str) -> None:
    """A failed checkpoint loses nothing (the log still has it), so it is only told."""
    try:
        connection.execute(sql(statement)).fetchone()
    except sqlite3.Error as error:
        logger.info("checkpoint of the inbox failed: %s", error)
