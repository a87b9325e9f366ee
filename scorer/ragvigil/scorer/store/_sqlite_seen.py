"""Records as the detectors see them, in SQL: of a batch for the watcher, of a day for ``ragvigil status``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ragvigil.scorer.store._sqlite_places import places_in

NO_VERDICT = ("unparseable", "failed")
"""States of a verdict that says nothing of an answer that could be judged: it is one that never came."""
NOT_SCOREABLE = ("not_scoreable", "partial_evidence")
"""States of a verdict on an answer that nobody could judge: its content, its passages or a part of them are missing."""
LEDGER_STATE = f"iif(l.state = 'judged' AND l.reason IN {NO_VERDICT}, 'failed', l.state)"
"""The ledger's state of a record, `failed` where the judge answered with nothing that could be read."""


def told_state(state: str, reason: str | None) -> str:
    """The ledger's state as people are told it: `judged` has a verdict that says something of the answer.

    >>> told_state("judged", "supported"), told_state("judged", "unparseable"), told_state("judged", "partial_evidence")
    ('judged', 'failed', 'not_scoreable')
    """
    if state != "judged":
        return state
    return "failed" if reason in NO_VERDICT else "not_scoreable" if reason in NOT_SCOREABLE else state


_SEEN = (
    "SELECT s.record_id, r.trace_id, s.started_at, s.segment, s.conversation, s.cheap, s.citation_ok, s.documents, "
    f"{LEDGER_STATE} AS state, l.inclusion, o.value, i.judge_version || ' ' || i.prompt_digest, s.stream "
    "FROM sightings s INDEXED BY sightings_by_time JOIN records r ON r.id = s.record_id "
    "JOIN ledger l ON l.trace_id = r.trace_id AND l.span_id = r.span_id "
    "LEFT JOIN observations o ON o.record_id = s.record_id AND o.series = 'faithfulness' "
    "LEFT JOIN instruments i ON i.id = o.instrument_id "
    "WHERE s.service = ? AND s.environment = ? AND s.started_at >= ? AND s.started_at < ?"
)
BATCH = f"{_SEEN} AND s.batch = ? ORDER BY s.started_at, s.record_id"
"""Columns of `watch.port.Seen`; takes service, environment, since, until and the batch's end (Unix nanoseconds)."""
LAST_DAY = (
    f"SELECT * FROM ({_SEEN} AND s.batch BETWEEN 1 AND ? "
    "ORDER BY s.started_at DESC, s.record_id DESC LIMIT ?) ORDER BY started_at, record_id"
)
"""The same of all batches that ended by then; takes at most how many of the latest besides."""


def seen_places(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Each service and environment with such a record, in order."""
    return places_in(connection, "sightings INDEXED BY sightings_by_time")
