"""A store's positions in an inbox hold for that inbox alone."""

from __future__ import annotations

import logging
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import InboxReader
from ragvigil.scorer.inbox.ownership import mark, token_of
from ragvigil.scorer.store._rows import position
from ragvigil.scorer.store._sqlite_meta import remember, remembered
from ragvigil.scorer.store._sqlite_monitoring import joined

_log = logging.getLogger(__name__)

_TOKEN = "inbox"  # noqa: S105 - names an inbox, opens nothing
_INTENDED = "inbox_intended"
"""The token that an inbox is about to get; there while there is no other, so that it never vouches for a later one."""
_POSITIONS = ("watermark", "counted_to")


def recognise(connection: sqlite3.Connection, folder: Path) -> None:
    """Forget the positions where the inbox is another than the one that they are of: it is read from its start.

    A trace that the store has is known again by its spans, so what is read twice changes nothing but how much was
    read; therefore the token that an inbox gets is noted before: a death at any moment forgets no position. The
    caller has no transaction open.
    """
    if not folder.is_dir():
        return
    there = token_of(folder)
    with joined(connection):
        if not _is_own(connection, there) or _lies_beyond(connection, folder):
            _log.warning("inbox %s is not the one that the store has read; it is read from its start", folder)
            marks = ", ".join("?" * len(_POSITIONS))
            connection.execute(f"DELETE FROM meta WHERE key IN ({marks})", _POSITIONS)
        if there is not None:
            _know(connection, there)
            return
        token = secrets.token_hex(8)
        remember(connection, _INTENDED, token)
        connection.execute("DELETE FROM meta WHERE key = ?", (_TOKEN,))
    try:
        mark(folder, token)
    except OSError as error:
        _log.warning("inbox %s cannot be marked as the one that the store reads: %s", folder, error)
        return
    with joined(connection):
        _know(connection, token)


def _know(connection: sqlite3.Connection, token: str) -> None:
    """The positions are of the inbox with that token from now on, and of no other that was about to get one."""
    remember(connection, _TOKEN, token)
    connection.execute("DELETE FROM meta WHERE key = ?", (_INTENDED,))


def _is_own(connection: sqlite3.Connection, there: str | None) -> bool:
    """Whether the positions are of the inbox with that token, which it may have got just before a death.

    Where neither knows of one, the store is of an earlier version, and its positions are of segments that no new
    inbox has: those are numbered by the clock.
    """
    known = remembered(connection, _TOKEN)
    if known is None and there is not None:
        known = remembered(connection, _INTENDED)
    return there == known


def _lies_beyond(connection: sqlite3.Connection, folder: Path) -> bool:
    """Whether the inbox ends before the watermark: it is an old copy, whose next segments a clock that was set back
    may number below it.
    """
    watermark = position(connection, "watermark")
    if watermark is None:
        return False
    with closing(InboxReader(folder)) as reader:
        try:
            last = reader.last()
        except StoreError:  # told by whoever reads it
            return False
    return last is None or watermark > last
