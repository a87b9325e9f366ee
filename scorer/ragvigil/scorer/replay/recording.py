"""OTLP files in one order, whatever order, split or repetition they came in: that of the events themselves.

Every span and log record becomes a row of its own at the moment when a service could have sent it (a span's
end), sorted outside memory by a scratch SQLite file. So a shuffled or split file is the same recording.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Self

from ragvigil.scorer.inbox import Arrival, InboxRow, Kind, Position
from ragvigil.scorer.receive import wire
from ragvigil.scorer.receive.decode import LOGS, SPANS, Signal
from ragvigil.scorer.receive.wire import framed

_LATEST = 2**62
"""The year 2116: what says that it is later is sorted to there."""
_ALL = 2**62
_SIGNALS: dict[Kind, Signal] = {"spans": SPANS, "logs": LOGS, "changes": LOGS}


class Event(NamedTuple):
    """One span or log record."""

    at: int
    """Unix time at which it could have been sent, nanoseconds, at most 2**62."""
    kind: Kind
    trace_id: bytes
    payload: bytes
    """Serialized TracesData or LogsData that holds it alone."""


class Recording:
    """Events sorted by time, trace, span and bytes; equal ones count once. Delete it with `close`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ragvigil-replay-")
        self._connection = sqlite3.connect(Path(self._folder.name) / "recording.db", isolation_level=None)
        self._connection.executescript(_sql("create"))

    def add(self, rows: Iterable[Arrival]) -> int:
        """Record these; how many spans and log records they hold."""
        events = [event for row in rows for event in _events(row)]
        with self._connection:
            self._connection.execute("BEGIN")
            self._connection.executemany(_sql("add"), events)
        return len(events)

    def events(self) -> Iterator[Event]:
        """Every event once, in order."""
        last: Event | None = None
        for at, kind, trace_id, payload in self._connection.execute(_sql("ordered")):
            event = Event(at, kind, trace_id, payload)
            if event != last:
                yield event
            last = event

    @property
    def extent(self) -> tuple[int, int]:
        """The first and the last moment, Unix nanoseconds; (0, 0) of an empty one."""
        first, last = self._connection.execute(_sql("extent")).fetchone()
        return int(first), int(last)

    def close(self) -> None:
        """Delete the scratch file."""
        self._connection.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RecordedInbox:
    """The inbox of a replay: gives the pipeline what had happened by `now`.

    Positions are in segment 0, where no real inbox has any: a scorer that goes on with the store reads its own
    inbox from the beginning.
    """

    def __init__(self, recording: Recording, *, after: Position | None = None) -> None:
        self._events = recording.events()
        self._next: Event | None = next(self._events, None)
        self._row = after.row if after else 0
        self.now = 0

    @property
    def next_at(self) -> int | None:
        """When the next event happens; None at the end."""
        return self._next.at if self._next else None

    def read(self, after: Position | None, limit: int, /) -> list[InboxRow]:
        """The next events that have happened; `after` is where the last call ended."""
        del after
        rows: list[InboxRow] = []
        while self._next is not None and self._next.at <= self.now and len(rows) < limit:
            event, self._next = self._next, next(self._events, None)
            self._row += 1
            rows.append(
                InboxRow(Position(0, self._row), event.kind, event.trace_id.hex(), event.payload, event.at)
            )
        return rows

    def discard(self, before: Position) -> int:
        """Nothing is kept here."""
        del before
        return 0


def _events(row: Arrival) -> Iterator[tuple[int, bytes, bytes, str, bytes]]:
    signal = _SIGNALS[row.kind]
    for batch in wire.batches(row.payload, max_parts=_ALL):
        for item in batch.items:
            (parsed,) = signal.parse(framed(wire.ENTRY, framed(wire.SCOPE, item)))
            scope = framed(wire.SCOPE, batch.scope + item)
            payload = framed(wire.ENTRY, batch.resource + scope)
            yield min(_moment(parsed, signal), _LATEST), row.trace_id, parsed.span_id, row.kind, payload


def _moment(item: Any, signal: Signal) -> int:
    if signal is SPANS:
        return int(item.end_time_unix_nano or item.start_time_unix_nano)
    return int(item.time_unix_nano or item.observed_time_unix_nano)


@cache
def _sql(name: str) -> str:
    return files("ragvigil.scorer.replay").joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
