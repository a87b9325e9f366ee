"""What the detectors will read of each record, written as it is scored."""

from __future__ import annotations

import hashlib
import sqlite3

from ragvigil.scorer.moments import HOUR
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.series import cheap_score, citation_check
from ragvigil.scorer.store._json import storable, to_json
from ragvigil.scorer.store.port import ScoredRecord
from ragvigil.scorer.trace import RagTrace

_MEET = "INSERT OR IGNORE INTO detectors (service, environment) VALUES (?, ?)"
_INSERT = (
    "INSERT OR IGNORE INTO sightings (record_id, service, environment, started_at, segment, conversation, cheap, "
    "citation_ok, documents) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_UPDATE = (
    "UPDATE sightings SET service = ?, environment = ?, started_at = ?, segment = ?, conversation = ?, cheap = ?, "
    "citation_ok = ?, documents = ? WHERE record_id = ? AND batch IS NULL"
)
_AHEAD_NANOSECONDS = HOUR
_LONGEST_VALUE = 64


class SqliteSightings:
    """Writes one row a record, within the caller's transaction."""

    def __init__(
        self, connection: sqlite3.Connection, pseudonyms: Pseudonyms, *, late_seconds: float | None
    ) -> None:
        self._connection = connection
        self._pseudonyms = pseudonyms
        self._late = late_seconds
        self._met = set[tuple[str, str]]()

    def put(self, record_id: int, scored: ScoredRecord, now: int, *, new: bool) -> None:
        """The record as it is now; one that a batch has taken already stays as it was taken.

        A record that began longer ago than `late_seconds`, or more than an hour ahead of `now`, is not seen.
        """
        record = scored.record
        if self._late is None:
            return
        if scored.ledger.state == "filtered":
            self._connection.execute(
                "DELETE FROM sightings WHERE record_id = ? AND batch IS NULL", (record_id,)
            )
            return
        place = _place(record)
        row = (*place, *self._seen(scored))
        if not new:
            self._connection.execute(_UPDATE, (*row, record_id))
            return
        if not now - self._late * 1e9 <= record.started_at <= now + _AHEAD_NANOSECONDS:
            return
        if place not in self._met:
            self._connection.execute(_MEET, place)
            self._met.add(place)
        self._connection.execute(_INSERT, (record_id, *row))

    def forget(self) -> None:
        """What was met may have been rolled back."""
        self._met.clear()

    def _seen(self, scored: ScoredRecord) -> tuple[object, ...]:
        record = scored.record
        checks = () if scored.awaited else scored.checks
        citation = citation_check(checks)
        known = None if citation is None else citation.value
        return (
            record.started_at,
            to_json(_dimensions(record)),
            self._conversation(record),
            cheap_score(checks),
            None if known is None else int(known >= 1.0),
            len(record.documents) if record.retrieved else None,
        )

    def _conversation(self, record: RagTrace) -> int:
        """Turns of one conversation share a number; a question without one stands alone."""
        name = record.conversation_id
        key = f"{record.trace_id} {record.span_id}" if name is None else self._pseudonyms.of(name)
        return int.from_bytes(hashlib.sha256(key.encode("utf-8", "replace")).digest()[:7])


def _place(record: RagTrace) -> tuple[str, str]:
    return storable(record.service), storable(record.environment or "")


def _dimensions(record: RagTrace) -> dict[str, str]:
    """What segments may be made of; a long value is no segment."""
    found = dict(record.segment) | ({"model": record.model} if record.model else {})
    return {name: value for name, value in sorted(found.items()) if len(value) <= _LONGEST_VALUE}
