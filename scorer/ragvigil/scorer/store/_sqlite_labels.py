"""LabelStore over one SQLite connection."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pydantic import TypeAdapter

from ragvigil.scorer.labels.port import Drawn, Frame, Given
from ragvigil.scorer.store._packing import pack
from ragvigil.scorer.store._sqlite_monitoring import joined

FRAME = TypeAdapter(Frame)


class SqliteLabels:
    """Draws and labels, in one SQLite file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def keep_draw(self, drawn: Drawn) -> int:
        """Write the draw and its items; how many items."""
        with joined(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO label_draws VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    drawn.id,
                    drawn.service,
                    drawn.environment,
                    drawn.since,
                    drawn.until,
                    drawn.judge,
                    drawn.created_at,
                    pack(FRAME.dump_json(drawn.frame)),
                    drawn.criterion,
                ),
            )
            self._connection.execute("DELETE FROM label_items WHERE draw_id = ?", (drawn.id,))
            # A record may have been deleted since the command read it.
            return self._connection.executemany(
                "INSERT INTO label_items SELECT ?, id, ?, ?, ?, ? FROM records WHERE id = ?",
                [
                    (drawn.id, item.place, item.position, item.inclusion, item.readers, item.record_id)
                    for item in drawn.items
                ],
            ).rowcount

    def keep_labels(self, given: Sequence[Given], at: int) -> int:
        """Write labels of answers that are still as they were read; how many."""
        with joined(self._connection):
            return self._connection.executemany(
                "INSERT OR REPLACE INTO labels SELECT id, ?, input_hash, ?, ?, ?, ?, ?, ? FROM records "
                "WHERE id = ? AND input_hash = ?",
                [
                    (
                        one.annotator,
                        one.label,
                        one.note,
                        one.final,
                        one.source,
                        at + number,
                        one.criterion,
                        one.record_id,
                        bytes.fromhex(one.input_hash),
                    )
                    for number, one in enumerate(given)
                ],
            ).rowcount

    def take_back(self, record_id: int, annotator: str, criterion: str) -> int:
        """Delete that label; how many there were."""
        return self._connection.execute(
            "DELETE FROM labels WHERE record_id = ? AND annotator = ? AND criterion = ?",
            (record_id, annotator, criterion),
        ).rowcount
