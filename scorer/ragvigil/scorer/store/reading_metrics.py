"""What a snapshot of metrics reads of a store that another thread writes: sums and counters, never records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ragvigil.exporters import Measurement
from ragvigil.scorer.monitoring import SeriesKey, SeriesState, Sums
from ragvigil.scorer.store._rows import key_of, measurement_of
from ragvigil.scorer.store._sqlite_monitoring import LAST_BUCKET
from ragvigil.scorer.store._sqlite_outbox import GROUPED

_SUMS = (
    "count(*), total(weight), total(weight * value), total(weight * weight), "
    "total(weight * weight * value), total(weight * weight * value * value)"
)
_NEWEST = (
    "SELECT o.record_id, o.value, o.weight FROM series JOIN observations o "
    "USING (series, service, environment, instrument_id) "
    "WHERE series = ? AND service = ? AND environment = ? AND bucket >= ? AND bucket < ?{} "
    "ORDER BY bucket DESC LIMIT ?"
)
_WITHOUT = " AND NOT (bucket >= ? AND bucket < ?)"


@dataclass(frozen=True, slots=True)
class Level:
    """The latest evaluation of one series."""

    key: SeriesKey
    instrument: str
    """What measures it, with its versions."""
    state: SeriesState
    before: Measurement | None
    now: Measurement | None
    counted: Sequence[tuple[int, int]]
    """Of which buckets `now` is: those that start in one of these stretches [from, to), Unix nanoseconds, ascending.

    Empty without a `now`, and before the first evaluation by a version that notes it.
    """
    last: int
    """Start of its newest bucket, Unix nanoseconds."""


class ScoreCount(NamedTuple):
    """One bucket of one histogram, with the latest answer in it; its ids are None when that was forgotten."""

    score: str
    service: str
    environment: str | None
    instrument: str
    edge: float
    n: int
    total: float
    trace_id: str | None
    span_id: str | None
    value: float
    at: int


class Delivered(NamedTuple):
    """What became of the alerts to one channel."""

    channel: str
    outcome: str
    """``delivered``, ``waiting``, or why it never will be."""
    n: int
    attempts: int


_INSTRUMENT = (
    "iif(i.judge_version = '', i.name || ' ' || i.check_version, "
    "i.judge_version || ' ' || substr(i.prompt_digest, 1, 12))"
)
"""A check with its version, or a judge with its version and the beginning of its prompt's digest."""


def levels(connection: sqlite3.Connection) -> Sequence[Level]:
    """The latest evaluation of every series, busiest first."""
    rows = connection.execute(
        f'SELECT s.series, s.service, s.environment, s.state, s."before", s.now, s.counted, '
        f"{_INSTRUMENT} AS instrument, {LAST_BUCKET} AS last "
        "FROM series s JOIN instruments i ON i.id = s.instrument_id "
        "ORDER BY coalesce(json_extract(s.now, '$.n_traces'), 0) DESC, s.service, s.environment, s.series"
    )
    return [
        Level(
            key_of(row),
            row["instrument"],
            row["state"],
            measurement_of(row["before"]),
            measurement_of(row["now"]),
            [(begin, end) for begin, end in json.loads(row["counted"] or "[]")],
            row["last"] or 0,
        )
        for row in rows
    ]


def sums_of(connection: sqlite3.Connection, key: SeriesKey, stretches: Sequence[tuple[int, int]]) -> Sums:
    """The sums of a series over those stretches [from, to), Unix nanoseconds, out of its rollups."""
    whole = Sums()
    for begin, end in stretches:
        row = connection.execute(
            "SELECT coalesce(sum(n), 0), total(w), total(wx), total(w2), total(w2x), total(w2x2) "
            "FROM series JOIN rollups USING (series, service, environment, instrument_id) "
            "WHERE series = ? AND service = ? AND environment = ? AND bucket >= ? AND bucket < ?",
            (key.name, key.service, key.environment or "", begin, end),
        ).fetchone()
        whole += Sums(*row)
    return whole


def segment_sums(
    connection: sqlite3.Connection, key: SeriesKey, stretches: Sequence[tuple[int, int]], most: int
) -> Iterator[tuple[str, Sums]]:
    """(JSON object of dimensions, its sums) over the newest observations of a series in those stretches.

    At most `most` of them. Of the narrow tables that the detectors read, so a record that they do not see
    (docs/detection.md) is missing.
    """
    begin, *between, end = (moment for stretch in stretches for moment in stretch)
    newest = _NEWEST.format(_WITHOUT * (len(between) // 2))
    rows = connection.execute(
        f"SELECT s.segment, {_SUMS} FROM ({newest}) o JOIN sightings s USING (record_id) GROUP BY s.segment",
        (key.name, key.service, key.environment or "", begin, end, *between, most),
    )
    for row in rows:
        yield row[0], Sums(*row[1:])


def score_counts(connection: sqlite3.Connection) -> Sequence[ScoreCount]:
    """Every bucket of what the present instruments have scored, edges rising."""
    rows = connection.execute(
        f"SELECT c.score, c.service, c.environment, {_INSTRUMENT}, c.edge, c.n, c.total, c.trace_id, c.span_id, "
        "c.value, c.at FROM score_counts c JOIN instruments i ON i.id = c.instrument_id "
        "WHERE c.instrument_id IN (SELECT instrument_id FROM series) "
        "ORDER BY c.score, c.service, c.environment, c.instrument_id, c.edge"
    )
    return [ScoreCount(row[0], row[1], row[2] or None, *row[3:]) for row in rows]


def ledger_counts(connection: sqlite3.Connection) -> Sequence[tuple[str, str, int, int]]:
    """(state, reason or "", records that ever entered it, records that stand in it), most entered first."""
    rows = connection.execute("SELECT * FROM ledger_counts ORDER BY entered DESC, state, reason")
    return [tuple(row) for row in rows]


def counters(connection: sqlite3.Connection) -> Mapping[str, int]:
    """Totals over all commits."""
    return dict(connection.execute("SELECT name, value FROM counters").fetchall())


def deliveries(connection: sqlite3.Connection) -> Sequence[Delivered]:
    """What became of the alerts, by channel."""
    rows = connection.execute(
        "SELECT channel, CASE WHEN delivered_at IS NOT NULL THEN 'delivered' WHEN refused_at IS NULL THEN 'waiting' "
        f"WHEN reason LIKE '{GROUPED}%' THEN 'grouped' ELSE coalesce(reason, 'refused') END AS outcome, "
        f"count(*), sum(iif(reason LIKE '{GROUPED}%', 0, attempts)) FROM outbox GROUP BY 1, 2"
    )
    return [Delivered(*row) for row in rows]


def incident_counts(connection: sqlite3.Connection) -> Sequence[tuple[SeriesKey, int, int]]:
    """(series, incidents ever opened, those not resolved)."""
    rows = connection.execute(
        "SELECT series, service, environment, count(*) AS opened, sum(resolved_at IS NULL) AS unresolved "
        "FROM incidents GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    )
    return [(key_of(row), row["opened"], row["unresolved"]) for row in rows]


def sizes(connection: sqlite3.Connection, path: Path) -> tuple[int, int, int]:
    """Bytes of the file, of what it holds, and of the write-ahead log beside it."""
    page, pages, free = (
        int(connection.execute(f"PRAGMA {name}").fetchone()[0])
        for name in ("page_size", "page_count", "freelist_count")
    )
    log = path.with_name(f"{path.name}-wal")
    return page * pages, page * (pages - free), log.stat().st_size if log.exists() else 0
