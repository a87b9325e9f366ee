"""What a back-test reads of a store: rollups and records of a stretch, as the detectors saw them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.monitoring import Bucket, SeriesKey, Sums
from ragvigil.scorer.store._rows import key_of
from ragvigil.scorer.store._sqlite_seen import LEDGER_STATE
from ragvigil.scorer.watch.port import Place, Seen

_SCORE = (
    "(SELECT {what} FROM scores s JOIN instruments c ON c.id = s.instrument_id "
    "WHERE s.record_id = r.id AND s.current AND c.name = '{name}')"
)
_SEEN = (
    "SELECT r.id, r.trace_id, r.started_at, json_patch(r.segment, iif(r.model IS NULL, '{{}}', "
    "json_object('model', r.model))) AS segment, coalesce(r.conversation_id, r.trace_id) AS conversation, "
    "{cheap} AS cheap, {citation} AS citation_ok, {documents} AS documents, {state} AS state, l.inclusion, o.value, "
    "i.judge_version || ' ' || i.prompt_digest, NULL AS stream "
    "FROM records r JOIN ledger l USING (trace_id, span_id) "
    "LEFT JOIN observations o ON o.record_id = r.id AND o.series = 'faithfulness' "
    "LEFT JOIN instruments i ON i.id = o.instrument_id "
    "WHERE r.service = ? AND r.environment = ? AND r.started_at >= ? AND r.started_at < ? AND l.state <> 'filtered' "
    "ORDER BY r.started_at, r.id"
).format(
    state=LEDGER_STATE,
    cheap=_SCORE.format(what="json_extract(s.details, '$.faithfulness')", name="supported_claims"),
    citation=_SCORE.format(what="s.value >= 1", name="citation_correctness"),
    documents=_SCORE.format(what="1 - s.value", name="empty_retrieval"),
)


def first_and_last(connection: sqlite3.Connection) -> tuple[int, int] | None:
    """When the oldest and the newest record began; None without records."""
    row = connection.execute("SELECT min(started_at), max(started_at) FROM records").fetchone()
    return None if row[0] is None else (int(row[0]), int(row[1]))


def keys(connection: sqlite3.Connection) -> Sequence[SeriesKey]:
    """Every series that ever had an observation."""
    return [
        key_of(row)
        for row in connection.execute("SELECT * FROM series ORDER BY series, service, environment")
    ]


def buckets(connection: sqlite3.Connection, key: SeriesKey) -> Sequence[Bucket]:
    """All of a series, oldest first, as its present instrument measured it."""
    rows = connection.execute(
        "SELECT bucket, n, w, wx, w2, w2x, w2x2 "
        "FROM series JOIN rollups USING (series, service, environment, instrument_id) "
        "WHERE series = ? AND service = ? AND environment = ? AND n > 0 ORDER BY bucket",
        (key.name, key.service, key.environment or ""),
    )
    return [Bucket(row[0], Sums(*row[1:])) for row in rows]


def versions(connection: sqlite3.Connection, key: SeriesKey, since: int, until: int) -> int:
    """How many instruments measured a series in that time."""
    row = connection.execute(
        "SELECT count(DISTINCT instrument_id) FROM rollups WHERE series = ? AND service = ? AND environment = ? "
        "AND bucket >= ? AND bucket < ? AND n > 0",
        (key.name, key.service, key.environment or "", since, until),
    ).fetchone()
    return int(row[0])


def services(connection: sqlite3.Connection) -> Sequence[Place]:
    """Every service with records."""
    rows = connection.execute("SELECT DISTINCT service, environment FROM records ORDER BY 1, 2 LIMIT 200")
    return [Place(row[0], row[1] or None) for row in rows]


def knows(connection: sqlite3.Connection, service: str) -> bool:
    """Whether there are records of that service."""
    return (
        connection.execute("SELECT 1 FROM records WHERE service = ? LIMIT 1", (service,)).fetchone()
        is not None
    )


def seen(connection: sqlite3.Connection, place: Place, since: int, until: int) -> Sequence[Seen]:
    """The records of a stretch as the sequential detectors read them, in order of time."""
    conversations: dict[str, int] = {}
    rows = connection.execute(_SEEN, (place.service, place.environment or "", since, until))
    return [
        Seen(*row)._replace(conversation=conversations.setdefault(row["conversation"], len(conversations)))
        for row in rows
    ]
