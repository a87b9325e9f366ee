"""Verdicts and what follows from them, within the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from ragvigil.scorer.series import faithfulness_value
from ragvigil.scorer.store._json import storable, to_json
from ragvigil.scorer.store._sqlite_counters import SqliteCounters
from ragvigil.scorer.store._sqlite_instruments import SqliteInstruments
from ragvigil.scorer.store._sqlite_ledger import write_ledger
from ragvigil.scorer.store._sqlite_observations import SqliteObservations, weight_of
from ragvigil.scorer.store._sqlite_score_counts import SqliteScoreCounts
from ragvigil.scorer.store._sqlite_summed_up import INSERT_SCORE, RETIRE_SCORE, SqliteSummedUp
from ragvigil.scorer.store.port import Job, Judgement, LedgerEntry
from ragvigil.scorer.verdict import FOR_PEOPLE, Measured, Verdict

_INSERT_VERDICT = (
    "INSERT INTO verdicts (record_id, instrument_id, input_hash, state, support, faithfulness, passed, "
    "claims, reason, details, current, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?) "
    "ON CONFLICT DO UPDATE SET current = 1"
)
_COSTS = (
    ("input_tokens", "judge_tokens.input", 1),
    ("output_tokens", "judge_tokens.output", 1),
    ("cost_usd", "judge_microusd", 10**6),
)
"""What a judge says of one verdict, the counter that it goes to, and in what unit."""
_UNBELIEVABLE = 1e9


class SqliteJudgements:
    """Writes verdicts, ledger states and what they add to the faithfulness series."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        instruments: SqliteInstruments,
        observations: SqliteObservations,
        score_counts: SqliteScoreCounts,
    ) -> None:
        self._connection = connection
        self._score_counts = score_counts
        self._instruments = instruments
        self._observations = observations
        self._summed_up = SqliteSummedUp(connection, instruments)

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
        self._wish(job.record_id, verdict, now)
        write_ledger(self._connection, *place, LedgerEntry("judged", job.inclusion, verdict.state), now)
        value = faithfulness_value(verdict)
        if value is not None:
            instrument = self._instruments.judge(verdict)
            weight = weight_of(job.record, job.inclusion)
            self._observations.put(job.record_id, job.record, "faithfulness", instrument, value, weight)
        if verdict.faithfulness is not None:
            instrument = self._instruments.judge(verdict)
            self._score_counts.add("faithfulness", instrument, job.record, verdict.faithfulness, now)
        for measured in verdict.measured:
            self._write_measured(job, measured, now)
        self._summed_up.write(job, verdict, now)

    def _write_measured(self, job: Job, measured: Measured, now: int) -> None:
        instrument = self._instruments.measured(measured)
        self._connection.execute(RETIRE_SCORE, (job.record_id, measured.name))
        details = {**measured.details, "share": measured.share}
        self._connection.execute(
            INSERT_SCORE,
            (
                job.record_id,
                instrument,
                job.input_hash,
                measured.value,
                None if measured.reason is None else storable(measured.reason),
                to_json(details),
                now,
            ),
        )
        if measured.value is not None:
            weight = weight_of(job.record, job.inclusion * measured.share)
            self._observations.put(
                job.record_id, job.record, measured.name, instrument, measured.value, weight
            )
            self._score_counts.add(measured.name, instrument, job.record, measured.value, now)

    def _write_verdict(self, job: Job, verdict: Verdict, now: int) -> None:
        instrument = self._instruments.judge(verdict)
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
                to_json(verdict.claims),
                verdict.reason,
                to_json(verdict.details),
                now,
            ),
        )

    def _wish(self, record_id: int, verdict: Verdict, now: int) -> None:
        """Ask people to read it, where judges do not agree."""
        flags = verdict.details.get("flags")
        found = (
            [one for one in FOR_PEOPLE if one in cast("list[str]", flags)] if isinstance(flags, list) else []
        )
        self._connection.execute("DELETE FROM label_wishes WHERE record_id = ?", (record_id,))
        if found:
            self._connection.execute(
                "INSERT INTO label_wishes (record_id, reason, at) VALUES (?, ?, ?)",
                (record_id, " ".join(found), now),
            )

    def _waiting_at(self, job: Job) -> float | None:
        """The inclusion probability of a record that still waits for this verdict; it may have risen meanwhile."""
        row = self._connection.execute(
            "SELECT l.inclusion FROM ledger l JOIN records r USING (trace_id, span_id) "
            "WHERE l.trace_id = ? AND l.span_id = ? AND l.state = 'pending' AND r.input_hash = ?",
            (job.record.trace_id, job.record.span_id, job.input_hash),
        ).fetchone()
        return None if row is None else float(row[0])


def count_judgement(counters: SqliteCounters, judgement: Judgement) -> None:
    """Count what the judge answered and what it says that cost; of a record that was forgotten nothing."""
    verdict = judgement.verdict
    if verdict is None:
        if judgement.failure != "forgotten":
            counters.add(f"judge_failure.{judgement.failure or 'unknown'}", 1)
        return
    counters.add(f"verdict.{verdict.state}", 1)
    usage = verdict.details.get("usage")
    if not isinstance(usage, Mapping):
        return
    said = cast("Mapping[str, object]", usage)
    for name, counter, factor in _COSTS:
        value = said.get(name)
        if isinstance(value, int | float) and 0 <= value < _UNBELIEVABLE:
            counters.add(counter, round(value * factor))
