"""What ``ragvigil status`` reads of the sequential detectors in a store that another process writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.moments import DAY
from ragvigil.scorer.watch.port import Place, Seen

_MOST_RECORDS = 100_000
_LAST_DAY = (
    "SELECT * FROM (SELECT s.record_id, r.trace_id, s.started_at, s.segment, s.conversation, s.cheap, s.citation_ok, "
    "s.documents, iif(l.state = 'judged' AND l.reason IN ('unparseable', 'failed'), 'failed', l.state), l.inclusion, "
    "o.value, i.judge_version || ' ' || i.prompt_digest, s.stream "
    "FROM sightings s INDEXED BY sightings_by_time JOIN records r ON r.id = s.record_id "
    "JOIN ledger l ON l.trace_id = r.trace_id AND l.span_id = r.span_id "
    "LEFT JOIN observations o ON o.record_id = s.record_id AND o.series = 'faithfulness' "
    "LEFT JOIN instruments i ON i.id = o.instrument_id "
    "WHERE s.service = ? AND s.environment = ? AND s.started_at >= ? AND s.started_at < ? AND s.batch BETWEEN 1 AND ? "
    "ORDER BY s.started_at DESC, s.record_id DESC LIMIT ?) ORDER BY started_at, record_id"
)


def detectors(connection: sqlite3.Connection) -> Sequence[tuple[Place, str | None]]:
    """Every watched service with what its watcher remembers (JSON), None before its first batch."""
    rows = connection.execute("SELECT service, environment, state FROM detectors ORDER BY 1, 2")
    return [(Place(row[0], row[1] or None), row[2]) for row in rows]


def last_day(connection: sqlite3.Connection, place: Place, end: int) -> Sequence[Seen]:
    """The records of the batches that were decided on within the day before `end`, the latest 100,000 at most.

    One that the judge answered with nothing that could be read has failed: its verdict never came.
    """
    values = (place.service, place.environment or "", end - DAY, end, end, _MOST_RECORDS)
    return [Seen(*row) for row in connection.execute(_LAST_DAY, values)]
