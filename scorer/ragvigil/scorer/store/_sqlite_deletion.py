"""Deletes traces with all that was said of them; what they added to the rollups stays there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

_IDS = "(SELECT value FROM json_each(?))"
_RECORDS = f"(SELECT id FROM records WHERE trace_id IN {_IDS})"
_SETTLE = (
    "UPDATE rollups SET settled_n = settled_n + 1, settled_w = settled_w + ?, settled_wx = settled_wx + ? "
    "WHERE series = ? AND service = ? AND environment = ? AND instrument_id = ? AND bucket = ?"
)
_STANDING = (
    "SELECT weight, weight * value, series, service, environment, instrument_id, bucket "
    f"FROM observations WHERE record_id IN {_RECORDS}"
)
_BARE = (
    f"SELECT count(DISTINCT trace_id) FROM ledger WHERE trace_id IN {_IDS} "
    "AND trace_id NOT IN (SELECT trace_id FROM traces)"
)
_MESSAGES = (
    "SELECT id, channel, alert, delivered_at FROM outbox WHERE EXISTS (SELECT 1 "
    "FROM json_each(outbox.alert, '$.examples') AS example "
    f"WHERE json_extract(example.value, '$.trace_id') IN {_IDS})"
)


class Message(NamedTuple):
    """A message to a channel out of which an example was taken."""

    channel: str
    delivered: bool
    """Whether the channel has shown it already, and keeps its own copy."""


def delete_traces(connection: sqlite3.Connection, trace_ids: Collection[str], *, counter: str) -> int:
    """Delete these traces within the caller's transaction; how many ledger rows that were.

    The ledger's sums hold: the rows are counted under `counter`, and the rollups keep what they were.
    """
    ids = json.dumps(list(trace_ids))
    count(connection, "bare_deleted", int(connection.execute(_BARE, (ids,)).fetchone()[0]))
    connection.executemany(_SETTLE, [tuple(row) for row in connection.execute(_STANDING, (ids,))])
    for table in (
        *("observations", "sightings", "rejudged", "leaks", "scores", "verdicts"),
        *("canaries", "label_items", "label_wishes", "labels"),
    ):
        connection.execute(f"DELETE FROM {table} WHERE record_id IN {_RECORDS}", (ids,))
    connection.execute(
        f"UPDATE score_counts SET trace_id = NULL, span_id = NULL WHERE trace_id IN {_IDS}", (ids,)
    )
    for table in ("records", "traces"):
        connection.execute(f"DELETE FROM {table} WHERE trace_id IN {_IDS}", (ids,))
    deleted = connection.execute(f"DELETE FROM ledger WHERE trace_id IN {_IDS}", (ids,)).rowcount
    count(connection, counter, deleted)
    return deleted


def take_out_examples(connection: sqlite3.Connection, trace_ids: Collection[str]) -> Sequence[Message]:
    """Take these traces out of all messages to channels, waiting and delivered, within the caller's transaction."""
    rows = connection.execute(_MESSAGES, (json.dumps(list(trace_ids)),)).fetchall()
    for row in rows:
        alert: dict[str, Any] = json.loads(row["alert"])
        alert["examples"] = [item for item in alert["examples"] if item["trace_id"] not in trace_ids]
        connection.execute(
            "UPDATE outbox SET alert = ? WHERE id = ?", (json.dumps(alert, ensure_ascii=False), row["id"])
        )
    return [Message(row["channel"], row["delivered_at"] is not None) for row in rows]


def count(connection: sqlite3.Connection, name: str, amount: int) -> None:
    """Add to one of the counters that the ledger is held against."""
    if amount:
        connection.execute(
            "INSERT INTO counters (name, value) VALUES (?, ?) "
            "ON CONFLICT DO UPDATE SET value = value + excluded.value",
            (name, amount),
        )
