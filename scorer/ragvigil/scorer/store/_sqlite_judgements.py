"""Verdicts and what follows from them, within the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, replace

from ragvigil.scorer.series import faithfulness_value
from ragvigil.scorer.store._json import to_json
from ragvigil.scorer.store._sqlite_instruments import SqliteInstruments
from ragvigil.scorer.store._sqlite_ledger import write_ledger
from ragvigil.scorer.store._sqlite_observations import SqliteObservations, weight_of
from ragvigil.scorer.store.port import Job, Judgement, LedgerEntry
from ragvigil.scorer.verdict import Verdict

_INSERT_VERDICT = (
    "INSERT INTO verdicts (record_id, instrument_id, input_hash, state, support, faithfulness, passed, "
    "claims, reason, details, current, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?) "
    "ON CONFLICT DO UPDATE SET current = 1"
)


class SqliteJudgements:
    """Writes verdicts, ledger states and what they add to the faithfulness series."""

    def __init__(
        self, connection: sqlite3.Connection, instruments: SqliteInstruments, observations: SqliteObservations
    ) -> None:
        self._connection = connection
        self._instruments = instruments
        self._observations = observations

    def put(self, judgements: Iterable[Judgement], now: int) -> None:
        """Write these; one whose record has changed meanwhile is dropped."""
        for judgement in judgements:
            inclusion = self._waiting_at(judgement.job)
            if inclusion is not None:
                job = replace(judgement.job, inclusion=inclusion)
                self._write(replace(judgement, job=job), now)

    def _write(self, judgement: Judgement, now: int) -> None:
        job, verdict = judgement.job, judgement.verdict
        place = (job.record.trace_id, job.record.span_id)
        if verdict is None:
            write_ledger(
                self._connection, *place, LedgerEntry("failed", job.inclusion, judgement.failure), now
            )
            return
        self._write_verdict(job, verdict, now)
        write_ledger(self._connection, *place, LedgerEntry("judged", job.inclusion, verdict.state), now)
        value = faithfulness_value(verdict)
        if value is not None:
            instrument = self._instruments.judge(verdict)
            weight = weight_of(job.record, job.inclusion)
            self._observations.put(job.record_id, job.record, "faithfulness", instrument, value, weight)

    def _write_verdict(self, job: Job, verdict: Verdict, now: int) -> None:
        instrument = self._instruments.judge(verdict)
        claims = [asdict(claim) for claim in verdict.claims]
        self._connection.execute("UPDATE verdicts SET current = 0 WHERE record_id = ?", (job.record_id,))
        self._connection.execute(
            _INSERT_VERDICT,
            (
                job.record_id,
                instrument,
                job.input_hash,
                verdict.state,
                verdict.support,
                verdict.faithfulness,
                verdict.passed,
                to_json(claims),
                verdict.reason,
                to_json(verdict.details),
                now,
            ),
        )

    def _waiting_at(self, job: Job) -> float | None:
        """The inclusion probability of a record that still waits for this verdict; it may have risen meanwhile."""
        row = self._connection.execute(
            "SELECT l.inclusion FROM ledger l JOIN records r USING (trace_id, span_id) "
            "WHERE l.trace_id = ? AND l.span_id = ? AND l.state = 'pending' AND r.input_hash = ?",
            (job.record.trace_id, job.record.span_id, job.input_hash),
        ).fetchone()
        return None if row is None else float(row[0])
