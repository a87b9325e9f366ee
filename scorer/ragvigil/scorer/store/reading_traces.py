"""Every stored trace of a stretch of time, as it was kept: spans and log records for files."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple

from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.store._packing import unpack

_PAGE = 100
"""Traces whose compressed rows are in memory at once."""
_ENDS = "SELECT min(rowid), max(rowid) FROM traces INDEXED BY traces_updated_at WHERE updated_at >= :since"
_TRACES = (
    "SELECT t.rowid, t.spans, t.logs, :service IS NULL OR t.service = :service OR EXISTS "
    "(SELECT 1 FROM records r WHERE r.trace_id = t.trace_id AND r.service = :service) AS wanted "
    "FROM traces t WHERE t.rowid >= :first AND t.rowid <= :last ORDER BY t.rowid LIMIT :limit"
)
_WITHOUT = (
    "SELECT count(DISTINCT trace_id) FROM records r WHERE started_at >= :since AND started_at < :until "
    "AND (:service IS NULL OR service = :service) "
    "AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.trace_id = r.trace_id)"
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which traces."""

    since: int
    until: int
    """Unix nanoseconds at which a trace began; `until` is not in it."""
    service: str | None = None
    """Whose root, or any of whose answers, it holds; None: all."""


class KeptTrace(NamedTuple):
    """What is kept of one trace, redacted."""

    spans: bytes
    """Serialized TracesData."""
    logs: bytes
    """Serialized LogsData; empty where there is none."""


def kept_traces(
    opening: Callable[[], AbstractContextManager[sqlite3.Connection]], wanted: Wanted
) -> Iterator[KeptTrace]:
    """The traces in the order in which they were first stored, each once; read page by page, as scores are.

    No trace is stored before it began: what comes before the first that was written since is not read.
    """
    bounds = {"service": wanted.service, "limit": _PAGE}
    with opening() as connection:
        first, last = connection.execute(_ENDS, {"since": wanted.since}).fetchone()
    while first is not None and first <= last:
        with opening() as connection:
            rows = connection.execute(_TRACES, {**bounds, "first": first, "last": last}).fetchall()
        if not rows:
            return
        first = rows[-1]["rowid"] + 1
        for row in rows:
            if row["wanted"]:
                trace = KeptTrace(unpack(row["spans"]), unpack(row["logs"]) if row["logs"] else b"")
                if wanted.since <= _began(trace) < wanted.until:
                    yield trace


def without_content(connection: sqlite3.Connection, wanted: Wanted) -> int:
    """Traces with an answer of that stretch whose spans retention took out."""
    bounds = {"since": wanted.since, "until": wanted.until, "service": wanted.service}
    return int(connection.execute(_WITHOUT, bounds).fetchone()[0])


def _began(trace: KeptTrace) -> int:
    """When the first span began, or of what has none the first log record was made; 0 where nothing says so."""
    spans = (
        span.start_time_unix_nano
        for part in TracesData.FromString(trace.spans).resource_spans
        for scope in part.scope_spans
        for span in scope.spans
    )
    records = (
        record.time_unix_nano or record.observed_time_unix_nano
        for part in LogsData.FromString(trace.logs).resource_logs
        for scope in part.scope_logs
        for record in scope.log_records
    )
    return min(filter(None, spans), default=0) or min(filter(None, records), default=0)
