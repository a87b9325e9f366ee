"""What checks and verdict say together of a judged record, within the caller's transaction.

Stored beside what the checks say alone, under names of its own: only some records are judged, and figures over all of
them must not change with how many are.
"""

from __future__ import annotations

import json
import sqlite3

from ragvigil.scorer import failure_tags, grounded_answer
from ragvigil.scorer.store._json import storable, to_json
from ragvigil.scorer.store._sqlite_instruments import SqliteInstruments
from ragvigil.scorer.store.port import Job
from ragvigil.scorer.verdict import CLAIM_BEARING, CheckResult, Verdict

RETIRE_SCORE = (
    "UPDATE scores SET current = 0 WHERE record_id = ? "
    "AND instrument_id IN (SELECT id FROM instruments WHERE name = ?)"
)
INSERT_SCORE = (
    "INSERT INTO scores (record_id, instrument_id, input_hash, value, reason, details, current, created_at) "
    "VALUES (?, ?, ?, ?, ?, ?, 1, ?) ON CONFLICT DO UPDATE SET current = 1"
)
_CHECKS = (
    "SELECT i.name, i.check_version, s.value, s.reason, "
    "iif(i.name IN ('supported_claims', 'citation_support'), s.details, NULL) AS details "
    "FROM scores s JOIN instruments i ON i.id = s.instrument_id "
    "WHERE s.record_id = ? AND s.input_hash = ? AND s.current AND i.judge_version = '' "
    "AND (s.value IS NOT NULL OR s.details IS NOT NULL)"
)
"""Only of two checks the details are read by those that sum up; what says nothing is as good as not there."""


class SqliteSummedUp:
    """Writes ``judge.failure_tags`` and ``judge.grounded_answer``."""

    def __init__(self, connection: sqlite3.Connection, instruments: SqliteInstruments) -> None:
        self._connection = connection
        self._instruments = instruments

    def write(self, job: Job, verdict: Verdict, now: int) -> None:
        """Both results of the record; none where the verdict says nothing of its claims."""
        if verdict.state not in CLAIM_BEARING and verdict.state != "no_claims":
            return
        rows = self._connection.execute(_CHECKS, (job.record_id, job.input_hash))
        checks = [
            CheckResult(name, version, value, reason, json.loads(details) if details else {})
            for name, version, value, reason, details in rows
        ]
        found = {
            failure_tags.JUDGED: failure_tags.tagged(checks, verdict),
            grounded_answer.JUDGED: grounded_answer.as_result(checks, verdict),
        }
        for name, result in found.items():
            instrument = self._instruments.summed_up(name, result.version, verdict)
            reason = None if result.reason is None else storable(result.reason)
            self._connection.execute(RETIRE_SCORE, (job.record_id, name))
            self._connection.execute(
                INSERT_SCORE,
                (
                    job.record_id,
                    instrument,
                    job.input_hash,
                    result.value,
                    reason,
                    to_json(dict(result.details)),
                    now,
                ),
            )
