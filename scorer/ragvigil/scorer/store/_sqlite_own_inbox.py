"""A store's positions in an inbox hold for that inbox alone."""

from __future__ import annotations

import logging
import secrets
import sqlite3
from contextlib import closing
from pathlib import Path

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import InboxReader
from ragvigil.scorer.inbox.ownership import own, owner
from ragvigil.scorer.store._rows import position
from ragvigil.scorer.store._sqlite_meta import remember, remembered

_log = logging.getLogger(__name__)

_TOKEN = "inbox"  # noqa: S105 - names an inbox, opens nothing
_POSITIONS = ("watermark", "counted_to")


def recognise(connection: sqlite3.Connection, folder: Path) -> None:
    """Forget the positions where the inbox is another than the one that they are of: it is read from its start.

    A trace that the store has is known again by its spans, so what is read twice changes nothing.
    """
    known, there = remembered(connection, _TOKEN), owner(folder)
    if not folder.is_dir():
        return
    is_own = known == there and not _lies_beyond(connection, folder)
    if is_own and known is not None:
        return
    if not is_own:
        _log.warning("inbox %s is not the one that the store has read; it is read from its start", folder)
        marks = ", ".join("?" * len(_POSITIONS))
        connection.execute(f"DELETE FROM meta WHERE key IN ({marks})", _POSITIONS)
    token = secrets.token_hex(8)
    remember(connection, _TOKEN, token)
    try:
        own(folder, token)
    except OSError as error:
        _log.warning(
            "inbox %s cannot be marked as read, and is read again at the next start: %s", folder, error
        )


def _lies_beyond(connection: sqlite3.Connection, folder: Path) -> bool:
    """Whether the inbox ends before the watermark: it is an old copy, or of a store that has no token yet."""
    watermark = position(connection, "watermark")
    if watermark is None:
        return False
    with closing(InboxReader(folder)) as reader:
        try:
            last = reader.last()
        except StoreError:  # told by whoever reads it
            return False
    return last is None or watermark > last
